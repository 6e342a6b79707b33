// POST /v2/embed: vectors of texts and pictures, equal for equal inputs. A picture counts a hundred tokens.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { vectorOf } from '../../content/vector.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { cohereProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 1536;

const PICTURE_TOKENS = 100;

/** The content of an input that mixes texts and pictures, in one line. */
const contentIn = (input: JsonObject): string =>
  objectsIn(input.content)
    .flatMap((part) => stringAt(part, 'text') ?? stringAt(objectAt(part, 'image_url') ?? {}, 'url') ?? [])
    .join(' ');

const picturesIn = (body: JsonObject): number =>
  objectsIn(body.inputs).flatMap((input) => objectsIn(input.content).filter(({ type }) => type === 'image_url')).length;

function answerEmbed({ body, commands, sequence }: Call): Answer {
  const lists = [body.texts, body.images, objectsIn(body.inputs).map(contentIn)];
  const texts: readonly unknown[] = (lists.find((list) => Array.isArray(list) && list.length > 0) as unknown[]) ?? [];
  const isText = (text: unknown): text is string => typeof text === 'string';
  if (texts.length === 0 || !texts.every(isText)) {
    return cohereProtocol.error(400, 'invalid request: texts must be a list of texts');
  }
  if (typeof body.input_type !== 'string') return cohereProtocol.error(400, 'invalid request: input_type is required');
  const dimensions = numberAt(body, 'output_dimension') ?? DEFAULT_DIMENSIONS;
  const pictures = picturesIn(body);
  const words = Array.isArray(body.texts) ? texts.reduce((sum, text) => sum + countTokens(text), 0) : 0;
  const counted = {
    ...(Array.isArray(body.images) ? { images: body.images.length } : { input_tokens: commands.promptTokens ?? words }),
    ...(pictures === 0 ? {} : { image_tokens: pictures * PICTURE_TOKENS }),
  };
  return jsonAnswer(200, {
    id: `4d3e8f0b-91a1-4f2c-${sequence}`,
    embeddings: { float: texts.map((text) => Array.from(vectorOf(text, dimensions))) },
    texts,
    meta: bendUsage({ api_version: { version: '2' }, billed_units: counted }, commands.usage),
    response_type: 'embeddings_by_type',
  });
}

export const cohereEmbedOperation: Operation = {
  method: 'POST',
  path: '/v2/embed',
  protocol: cohereProtocol,
  answer: answerEmbed,
};
