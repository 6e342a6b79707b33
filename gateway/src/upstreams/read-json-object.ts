// A stranger's JSON object, or null. Nesting is bounded before parsing: megabytes of brackets would block the process,
// and a tree that deep could not be written out again.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { markIntegers, parseMarkedJson } from '../platform/exact-json.ts';
import { findLargeIntegers } from './large-integers.ts';
import { exceedsDepth } from './protocols/openai/json-depth.ts';

const DEPTH_MAX = 128;

/** A run of digits that may be an integer that a double cannot hold. */
const LONG_DIGITS = /\d{16}/;

export function readJsonObject(source: Buffer | string): JsonObject | null {
  if (isTooDeep(source)) return null;
  return parseObject(() => JSON.parse(typeof source === 'string' ? source : source.toString('utf8')));
}

/** For JSON that holds values of a caller's own, whose large integers must not change: they come as bigint. */
export function readExactJsonObject(source: Buffer): JsonObject | null {
  if (!LONG_DIGITS.test(source.toString('latin1'))) return readJsonObject(source);
  if (isTooDeep(source)) return null;
  return parseObject(() => parseMarkedJson(markIntegers(source, findLargeIntegers(source) ?? [])));
}

function parseObject(parse: () => unknown): JsonObject | null {
  try {
    const json = parse();
    return isJsonObject(json) ? json : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isTooDeep(source: Buffer | string): boolean {
  if (typeof source !== 'string') return exceedsDepth(source, DEPTH_MAX);
  // Each level needs an opening and a closing sign, so the short frames of a stream need no second look.
  return source.length > DEPTH_MAX * 2 && exceedsDepth(Buffer.from(source, 'utf8'), DEPTH_MAX);
}
