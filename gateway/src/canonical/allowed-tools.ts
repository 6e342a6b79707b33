// A choice of tools that allows some of those that are offered. Only OpenAI's two formats have it, and the one has it a
// level deeper than the other; for most other upstreams the tools that are not allowed are left out.

import type { Conversation, Tool } from './conversation.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from './json.ts';

type AllowedTools = Readonly<{
  mode: 'auto' | 'required';
  /** Each names a tool as its format does. */
  tools: readonly JsonObject[];
}>;

/** From a choice that has been checked, in either format; null where it is of another kind. */
export function readAllowedTools(choice: unknown): AllowedTools | null {
  if (!isJsonObject(choice) || choice.type !== 'allowed_tools') return null;
  const { mode, tools } = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  return { mode: mode === 'required' ? mode : 'auto', tools: listOrEmpty(tools).filter(isJsonObject) };
}

/** Where none of them is allowed, none may be called. */
export function allowTools(
  offeredTools: readonly Tool[],
  mode: AllowedTools['mode'],
  names: ReadonlySet<unknown>,
): Pick<Conversation, 'tools' | 'offeredTools' | 'toolChoice'> {
  const tools = offeredTools.filter(({ name }) => names.has(name));
  return tools.length === 0 ? { tools: offeredTools, toolChoice: 'none' } : { tools, offeredTools, toolChoice: mode };
}
