// The limits on a client's JSON, and the error for a body that exceeds them.

import { isAscii } from 'node:buffer';
import { ApiError } from '../errors/api-error.ts';
import { markIntegers, markIntegersInSlices } from '../platform/exact-json.ts';
import {
  JsonLimitError,
  type JsonLimits,
  type ScannedJson,
  scanJson as scan,
  scanJsonInSlices,
} from '../platform/json-scan.ts';
import { takeTurn } from '../platform/turns.ts';

const LIMITS: JsonLimits = {
  depthMax: 64,
  tokensMax: 200_000,
  membersMax: 5_000,
  numberLengthMax: 128,
  refusesHugeNumbers: true,
};

/** Larger bodies are checked in slices of this size, with other calls served in between. */
const SLICE_BYTES = 262_144;

/** The text of a body, ready to be parsed. */
export function readText(bytes: Buffer, { integerSpans }: ScannedJson, owner: string): string | Promise<string> {
  return bytes.length <= SLICE_BYTES ? markIntegers(bytes, integerSpans) : readLongText(bytes, integerSpans, owner);
}

/**
 * Characters outside ASCII take twenty times as long to decode, so a long text with any of them is decoded in slices.
 * Parsing cannot be done in slices and has a turn of its own.
 */
async function readLongText(bytes: Buffer, integerSpans: readonly number[], owner: string): Promise<string> {
  const isQuick = integerSpans.length === 0 && isAscii(bytes);
  const text = isQuick
    ? markIntegers(bytes, integerSpans)
    : await markIntegersInSlices(bytes, integerSpans, SLICE_BYTES, owner);
  await takeTurn(owner);
  return text;
}

/** Refuses structures that would be too expensive to parse, with 400. */
export function scanJson(bytes: Buffer, owner: string): ScannedJson | Promise<ScannedJson> {
  if (bytes.length > SLICE_BYTES) return scanJsonInSlices(bytes, LIMITS, SLICE_BYTES, owner).catch(refuse);
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

/** A key `__proto__` would become the prototype of the object that it is merged into. */
export function hasProtoKey(text: string, value: object): boolean {
  // Every spelling of the key is either plain or escapes an ASCII letter, so a text without both need not be walked. A
  // long text may be built to be slow to search and has no more members than a short one, so it is walked without a
  // search.
  const mayHold = text.length > SLICE_BYTES || text.includes('__proto__') || text.includes('\\u00');
  return mayHold && holdsProtoKey(value);
}

function holdsProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some(holdsProtoKey);
}
