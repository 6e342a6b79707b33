// What a client's JSON may be at most, and the answer to whoever sends more.

import { ApiError } from '../errors/api-error.ts';
import { markIntegers, markIntegersInSlices } from '../platform/exact-json.ts';
import {
  JsonLimitError,
  type JsonLimits,
  type ScannedJson,
  scanJson as scan,
  scanJsonInSlices,
} from '../platform/json-scan.ts';

const LIMITS: JsonLimits = {
  depthMax: 64,
  tokensMax: 200_000,
  membersMax: 5_000,
  numberLengthMax: 128,
  refusesHugeNumbers: true,
};

/** Larger bodies are checked in slices of this size, with other calls served in between. */
const SLICE_BYTES = 262_144;

/** The text of a body. Letters beyond ASCII take twenty times as long to read, so that a long one is read in slices, too. */
export const readText = (bytes: Buffer, { integerSpans }: ScannedJson): string | Promise<string> =>
  bytes.length > SLICE_BYTES
    ? markIntegersInSlices(bytes, integerSpans, SLICE_BYTES)
    : markIntegers(bytes, integerSpans);

/** Refuses hostile structure with 400. */
export function scanJson(bytes: Buffer): ScannedJson | Promise<ScannedJson> {
  if (bytes.length > SLICE_BYTES) return scanJsonInSlices(bytes, LIMITS, SLICE_BYTES).catch(refuse);
  try {
    return scan(bytes, LIMITS);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof JsonLimitError) {
    throw new ApiError('http_400', `The JSON in the request body ${error.message}.`);
  }
  throw error;
}

/** `__proto__` as a key would turn into the prototype of whatever the object is merged into. */
export function hasProtoKey(text: string, value: object): boolean {
  // Every spelling of the key either is plain or escapes an ASCII letter; without either there is nothing to walk for. A
  // long text may be made to be slow to search, and has no more members than a short one: it is not searched.
  const mayHold = text.length > SLICE_BYTES || text.includes('__proto__') || text.includes('\\u00');
  return mayHold && holdsProtoKey(value);
}

function holdsProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some(holdsProtoKey);
}
