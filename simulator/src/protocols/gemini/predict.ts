// `:predict` below a project, which is how vectors are asked for there. Each comes with the count of its tokens.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { vectorOf } from '../../content/vector.ts';
import { numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import type { Call } from '../../operation.ts';
import { geminiProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 768;

export function answerPredict({ body, commands }: Call): Answer {
  const texts = objectsIn(body.instances).flatMap((instance) => stringAt(instance, 'content') ?? []);
  if (texts.length === 0) return geminiProtocol.error(400, 'The instances of the request have no content.');
  const dimensions = numberAt(objectAt(body, 'parameters') ?? {}, 'outputDimensionality') ?? DEFAULT_DIMENSIONS;
  return jsonAnswer(200, {
    predictions: texts.map((text) => ({
      embeddings: {
        statistics: { truncated: false, token_count: commands.promptTokens ?? countTokens(text) },
        values: Array.from(vectorOf(text, dimensions)),
      },
    })),
  });
}
