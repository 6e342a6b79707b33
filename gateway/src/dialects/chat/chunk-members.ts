// What the members of a chunk of a chat stream say: whether there is something for the client in them, and their calls.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

/** A role, and empty members, are not content. */
export function saysSomething(delta: JsonObject): boolean {
  return Object.entries(delta).some(([name, value]) => name !== 'role' && !isNothing(value));
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

export const hasCalls = (delta: unknown): boolean =>
  isJsonObject(delta) && Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0;

export function withCalls({ tool_calls: _calls, ...delta }: JsonObject, calls: readonly unknown[]): JsonObject {
  return calls.length === 0 ? delta : { ...delta, tool_calls: calls };
}

const ENVELOPE = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'provider', 'service_tier']);

/** Whether a frame without choices has something for the client that is nowhere else. */
export function hasOwnMembers(json: JsonObject): boolean {
  return Object.entries(json).some(
    ([name, value]) => !ENVELOPE.has(name) && value !== null && typeof value === 'object' && !name.startsWith('x_'),
  );
}
