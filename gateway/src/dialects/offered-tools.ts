// What a request says about the tools that are called in its answer: whether it offers one of that name, and which take
// plain text. Upstreams without such tools are offered functions, so only the request tells that a call is of one.

import type { Answer } from '../canonical/answer.ts';
import type { ToolCallPart } from '../canonical/conversation.ts';
import { customCall, customInput } from '../canonical/custom-tools.ts';
import { isJsonObject, listOrEmpty } from '../canonical/json.ts';
import type { RequestBase } from '../canonical/request.ts';
import { readCustomNames } from './chat/custom-calls.ts';
import { toolListsOf } from './responses/offered-functions.ts';
import { readToolNames } from './responses/tool-names.ts';

/** A request of a client, of whatever kind. */
type Asked = Pick<RequestBase, 'format' | 'body'>;

/** By the name under which an upstream was offered a tool. */
export type OfferedTools = Readonly<{ has(name: string): boolean; isCustom(name: string): boolean }>;

export function offeredTools({ format, body }: Asked): OfferedTools {
  if (format === 'responses') {
    const { functions, isCustom } = readToolNames(body);
    const names = namesIn(toolListsOf(body).map(({ tools }) => tools));
    return { has: (name) => functions.has(name) || names.has(name), isCustom };
  }
  const names = namesIn([body.tools, body.functions]);
  const customNames = format === 'chat' ? readCustomNames(body) : null;
  return { has: (name) => names.has(name), isCustom: (name) => customNames?.has(name) === true };
}

/** The lists may be anything; a tool may be a list of others. */
function namesIn(lists: readonly unknown[]): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  const add = (tool: unknown): void => {
    if (!isJsonObject(tool)) return;
    names.add(tool.name);
    for (const inner of [tool.function, tool.custom, ...listOrEmpty(tool.tools)]) add(inner);
  };
  for (const tool of lists.flatMap(listOrEmpty)) add(tool);
  return names;
}

/** The answer with its calls as what they are to the client, and its words as what they were asked to be. */
export function asAsked(answer: Answer, asked: Asked & Pick<RequestBase, 'needs'>): Answer {
  let offered: OfferedTools | null = null;
  const parts = answer.parts.map((part) => {
    if (part.type === 'text' && asked.needs.responseFormat) return { ...part, isJson: true as const };
    if (part.type !== 'tool-call') return part;
    offered ??= offeredTools(asked);
    return known(part, offered);
  });
  return { ...answer, parts };
}

function known(call: ToolCallPart, offered: OfferedTools): ToolCallPart {
  const { id, name, namespace, plainInput, argumentsText } = call;
  if (!offered.has(name)) return { ...call, isInvented: true };
  const isPlain = plainInput === undefined && namespace === undefined && offered.isCustom(name);
  return isPlain ? { ...call, ...customCall(id, name, customInput(argumentsText)) } : call;
}
