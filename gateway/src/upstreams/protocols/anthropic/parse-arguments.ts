// The text of a tool call's arguments as the object that the API demands. The text is a caller's and may be anything, so
// it is scanned before it is parsed; what is no JSON object is wrapped, because the model should see what it once wrote.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { markIntegers, parseMarkedJson } from '../../../platform/exact-json.ts';
import { JsonLimitError, type JsonLimits, scanJson } from '../../../platform/json-scan.ts';

const LIMITS: JsonLimits = {
  depthMax: 64,
  tokensMax: 200_000,
  membersMax: 5_000,
  numberLengthMax: Number.POSITIVE_INFINITY,
  refusesHugeNumbers: false,
};

export function parseArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  // The name is the one that the vendor's own guide gives to text of this kind.
  return isJsonObject(value) ? value : { INVALID_JSON: text };
}

function parseJson(text: string): unknown {
  const bytes = Buffer.from(text, 'utf8');
  try {
    return parseMarkedJson(markIntegers(bytes, scanJson(bytes, LIMITS).integerSpans));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError) return undefined;
    throw error;
  }
}
