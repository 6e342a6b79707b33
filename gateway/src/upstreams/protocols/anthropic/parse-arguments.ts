// Parses the text of a tool call's arguments into the object that the API requires. The text is a caller's and may be
// anything, so it is scanned before it is parsed; text that is not a JSON object is wrapped, because the model should
// see what it once wrote.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { parseExactJson } from '../../../platform/exact-json.ts';
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
  // The vendor's own guide uses this name for such text.
  return isJsonObject(value) ? value : { INVALID_JSON: text };
}

function parseJson(text: string): unknown {
  const bytes = Buffer.from(text, 'utf8');
  try {
    return parseExactJson(bytes, scanJson(bytes, LIMITS).spans);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError) return undefined;
    throw error;
  }
}
