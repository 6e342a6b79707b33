// Whether what stands where an error belongs is one. Some upstreams write the member into every answer with nothing in
// it (`{}`, `{"code":0,"message":""}`), which must not fail an answer that they charge.

import { isJsonObject } from './json.ts';

/** Frames of streams may be nested without end. */
const DEPTH_MAX = 8;

/** False where all that it holds is empty. */
export function statesError(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return depth === DEPTH_MAX || Object.values(value).some((member) => statesError(member, depth + 1));
}

/** The first error that is stated in the `error` members of these; undefined where none is. */
export function statedError(...holders: readonly unknown[]): unknown {
  for (const holder of holders) if (isJsonObject(holder) && statesError(holder.error)) return holder.error;
  return undefined;
}
