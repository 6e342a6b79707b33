// What the members of a chunk of a chat stream hold: the calls of a delta, and what a frame without choices is for.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

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
