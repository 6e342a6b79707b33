// POST /v2/embed: vectors of texts, equal for equal texts.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { vectorOf } from '../../content/vector.ts';
import { numberAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { cohereProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 1536;

function answerEmbed({ body, commands, sequence }: Call): Answer {
  const texts: readonly unknown[] = Array.isArray(body.texts) ? body.texts : [];
  const isText = (text: unknown): text is string => typeof text === 'string';
  if (texts.length === 0 || !texts.every(isText)) {
    return cohereProtocol.error(400, 'invalid request: texts must be a list of texts');
  }
  if (typeof body.input_type !== 'string') return cohereProtocol.error(400, 'invalid request: input_type is required');
  const dimensions = numberAt(body, 'output_dimension') ?? DEFAULT_DIMENSIONS;
  const counted = commands.promptTokens ?? texts.reduce((sum, text) => sum + countTokens(text), 0);
  return jsonAnswer(200, {
    id: `4d3e8f0b-91a1-4f2c-${sequence}`,
    embeddings: { float: texts.map((text) => Array.from(vectorOf(text, dimensions))) },
    texts,
    meta: bendUsage({ api_version: { version: '2' }, billed_units: { input_tokens: counted } }, commands.usage),
    response_type: 'embeddings_by_type',
  });
}

export const cohereEmbedOperation: Operation = {
  method: 'POST',
  path: '/v2/embed',
  protocol: cohereProtocol,
  answer: answerEmbed,
};
