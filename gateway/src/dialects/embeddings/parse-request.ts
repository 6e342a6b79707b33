// Turns the body of an embeddings call into the request that the rest of the gateway works with. What can be wrong is
// refused here; unknown fields are left to the upstream.

import type { JsonObject } from '../../canonical/json.ts';
import { isJsonObject } from '../../canonical/json.ts';
import type { EmbeddingsRequest } from '../../canonical/operation.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import { NO_UNITS } from '../../canonical/usage.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { refuseField } from '../refuse.ts';
import { parseInput } from './parse-input.ts';

const DIMENSIONS_MAX = 65_536;
const ENCODING = /^[a-z0-9_-]{1,32}$/;

export function parseEmbeddingsRequest(body: JsonObject): EmbeddingsRequest {
  // Vectors of different models cannot be compared, so there are no fallback models here.
  const [modelName] = parseModelNames(body.model, undefined);
  const { inputs, hasImages } = parseInput(body.input);
  checkDimensions(body.dimensions);
  return {
    operation: 'embeddings',
    format: 'embeddings',
    modelName,
    fallbackModelNames: [],
    isStream: false,
    promptTokensEstimate: Math.ceil(inputs.reduce((sum, { tokensEstimate }) => sum + tokensEstimate, 0)),
    outputTokensMax: 0,
    choiceCount: 1,
    unitsMax: NO_UNITS,
    needs: hasImages ? { ...NO_NEEDS, imageInput: true } : NO_NEEDS,
    preferences: parseProviderPreferences(body),
    inputs,
    encoding: readEncoding(body.encoding_format),
    body,
    visitTexts(visitor) {
      for (const { texts } of inputs) visitPassage(visitor, userPassage(...texts));
    },
    withTexts: (replace) => parseEmbeddingsRequest({ ...body, input: mapInputTexts(body.input, replace) }),
  };
}

function checkDimensions(dimensions: unknown): void {
  if (dimensions === undefined || dimensions === null) return;
  const isCount = typeof dimensions === 'number' && Number.isInteger(dimensions);
  if (!isCount || dimensions < 1 || dimensions > DIMENSIONS_MAX) {
    throw refuseField('dimensions', `must be a whole number from 1 to ${DIMENSIONS_MAX}`);
  }
}

function readEncoding(encoding: unknown): EmbeddingsRequest['encoding'] {
  if (encoding === undefined || encoding === null || encoding === 'float') return 'float';
  if (encoding === 'base64') return encoding;
  if (typeof encoding !== 'string' || !ENCODING.test(encoding)) {
    throw refuseField('encoding_format', 'must be the name of an encoding, such as float or base64');
  }
  return null;
}

// The words of an input that has been checked, changed one by one; token ids and images stay as they are.

export function mapInputTexts(input: unknown, replace: (text: string) => string): unknown {
  if (typeof input === 'string') return replace(input);
  if (Array.isArray(input)) return input.map((item) => mapInputTexts(item, replace));
  if (!isJsonObject(input)) return input;
  if (Array.isArray(input.content)) return { ...input, content: mapInputTexts(input.content, replace) };
  return typeof input.text === 'string' ? { ...input, text: replace(input.text) } : input;
}
