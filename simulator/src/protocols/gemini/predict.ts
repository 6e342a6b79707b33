// `:predict` below a project, for embeddings. Vectors of texts come with their token counts; the model for texts and
// pictures has its own form.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { vectorOf } from '../../content/vector.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import type { Call } from '../../operation.ts';
import { geminiProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 768;

const MULTIMODAL_DIMENSIONS = 1408;

const isMultimodal = (instance: JsonObject): boolean => instance.text !== undefined || instance.image !== undefined;

function answerMultimodal(body: JsonObject): Answer {
  const dimensions = numberAt(objectAt(body, 'parameters') ?? {}, 'dimension') ?? MULTIMODAL_DIMENSIONS;
  const vector = (seed: string) => Array.from(vectorOf(seed, dimensions));
  return jsonAnswer(200, {
    predictions: objectsIn(body.instances).map((instance) => {
      const text = stringAt(instance, 'text');
      const picture = stringAt(objectAt(instance, 'image') ?? {}, 'bytesBase64Encoded');
      return {
        ...(text === undefined ? {} : { textEmbedding: vector(text) }),
        ...(picture === undefined ? {} : { imageEmbedding: vector(picture) }),
      };
    }),
  });
}

export function answerPredict({ body, commands }: Call): Answer {
  if (objectsIn(body.instances).some(isMultimodal)) return answerMultimodal(body);
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
