// Whether a message of chat completions, or a delta of one, says anything. Whole answers and streams decide by it whether
// another provider is asked after an error, and so whether the call is charged: they must agree.

import type { JsonObject } from './json.ts';

/** A role, and empty members, are not content. */
export function saysSomething(message: JsonObject): boolean {
  return Object.entries(message).some(([name, value]) => name !== 'role' && !isNothing(value));
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);
