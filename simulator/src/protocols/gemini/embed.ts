// `:batchEmbedContents` and `:embedContent`: vectors of texts and pictures, equal for equal inputs. The API does not
// state their tokens.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { vectorOf } from '../../content/vector.ts';
import { type JsonObject, numberAt, objectAt, objectsIn, stringAt } from '../../json.ts';
import type { Call } from '../../operation.ts';
import { geminiProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 3072;

/** Undefined for a request without words. */
function vectorFor(request: JsonObject): JsonObject | undefined {
  const parts = objectsIn(objectAt(request, 'content')?.parts);
  const pictureIn = (part: JsonObject) => stringAt(objectAt(part, 'inlineData') ?? {}, 'data');
  const text = parts.flatMap((part) => stringAt(part, 'text') ?? pictureIn(part) ?? []).join(' ');
  if (text === '') return undefined;
  return { values: Array.from(vectorOf(text, numberAt(request, 'outputDimensionality') ?? DEFAULT_DIMENSIONS)) };
}

export function answerEmbed({ body }: Call, isBatch: boolean): Answer {
  const requests = isBatch ? objectsIn(body.requests) : [body];
  const vectors = requests.map(vectorFor);
  if (vectors.length === 0 || vectors.includes(undefined)) {
    return geminiProtocol.error(400, 'content is not specified for one of the requests.');
  }
  return jsonAnswer(200, isBatch ? { embeddings: vectors } : { embedding: vectors[0] });
}
