// A stranger's JSON object, or null. Nesting is bounded before parsing: megabytes of brackets would block the process,
// and a tree that deep could not be written out again.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { exceedsDepth } from './protocols/openai/json-depth.ts';

const DEPTH_MAX = 128;

export function readJsonObject(source: Buffer | string): JsonObject | null {
  if (isTooDeep(source)) return null;
  try {
    const json: unknown = JSON.parse(typeof source === 'string' ? source : source.toString('utf8'));
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
