// The many ways to ask a model to think. Where thinking costs more than the ordinary price and was not asked for in the
// way that is charged, none of them may reach the provider.

import { withoutClearing } from '../../canonical/clear-thinking.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { policy, type ThinkingSpelling } from './policy.ts';

const spellings = Object.entries(policy.thinking);

export function asksForThinking(body: JsonObject): boolean {
  for (const [name, spelling] of spellings) {
    const value = body[name];
    if (value !== undefined && value !== null && isAsking(spelling, value)) return true;
  }
  return false;
}

function isAsking({ off, members }: ThinkingSpelling, value: unknown): boolean {
  if (members === undefined) return off?.includes(value as string) !== true;
  if (!isJsonObject(value)) return false;
  for (const name in members) {
    const member = value[name];
    if (member !== undefined && member !== null && members[name]?.includes(member as string) !== true) return true;
  }
  return false;
}

/** The same body where nothing asks for thinking. */
export function withoutThinking(body: JsonObject): JsonObject {
  if (!asksForThinking(body)) return body;
  const quiet = { ...withoutClearing(body) };
  for (const [name, spelling] of spellings) {
    const value = quiet[name];
    if (value === undefined || value === null || !isAsking(spelling, value)) continue;
    if (spelling.isPart !== true || !isJsonObject(value)) delete quiet[name];
    else quiet[name] = withoutMembers(value, spelling.members ?? {});
  }
  return quiet;
}

function withoutMembers(object: JsonObject, members: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !Object.hasOwn(members, name)));
}
