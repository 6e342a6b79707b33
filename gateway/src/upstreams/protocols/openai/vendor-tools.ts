// What only the vendor's own models take of tools in chat completions: those whose input is plain text, and a choice that
// allows some of those that are offered. For all who copied the protocol the former become functions, whose calls the
// dialect turns back, and of the latter only what is allowed is offered.

import { readAllowedTools } from '../../../canonical/allowed-tools.ts';
import { customArguments, describeCustomTool, readCustomTool } from '../../../canonical/custom-tools.ts';
import { isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';

/** They sell the vendor's models, and take functions alone. */
const RESELLERS = /(?:^|\.)(?:openrouter\.ai|models\.github\.ai|ai-gateway\.vercel\.sh|snowflakecomputing\.com)$/;
/** Everybody may serve these, and the vendor does not. */
const OPEN_MODEL = /gpt-oss/i;

/** An address that says nothing is taken for the vendor's, or for one that passes everything on to it. */
export function takesVendorTools({ model, upstreamModel, provider }: Candidate): boolean {
  if (!model.traits.keepsOpenAiOnlyFields || OPEN_MODEL.test(upstreamModel) || OPEN_MODEL.test(model.id)) return false;
  return !RESELLERS.test(new URL(provider.baseUrl).hostname);
}

/** What must change in a body of this format, and the messages where they have not been changed before. */
export function withoutVendorTools(body: JsonObject, messages: unknown): JsonObject {
  const changes: JsonObject = {};
  const { tools, tool_choice: choice } = body;
  if (hasCustom(tools)) changes.tools = listOrEmpty(tools).map(asFunction);
  if (Array.isArray(messages) && messages.some(callsCustom)) changes.messages = messages.map(withFunctionCalls);
  if (isJsonObject(choice) && choice.type === 'custom') changes.tool_choice = asFunctionName(choice);
  const allowed = readAllowedTools(choice);
  if (allowed === null) return changes;
  const names = new Set(allowed.tools.map(nameIn));
  const kept = listOrEmpty(changes.tools ?? tools).filter((tool) => isJsonObject(tool) && names.has(nameIn(tool)));
  return { ...changes, ...(kept.length === 0 ? { tool_choice: 'none' } : { tools: kept, tool_choice: allowed.mode }) };
}

/** Whether a body has any of it, as few have. */
export const usesVendorTools = ({ tools, tool_choice: choice, messages }: JsonObject): boolean =>
  hasCustom(tools) || readAllowedTools(choice) !== null || listOrEmpty(messages).some(callsCustom);

const isCustom = (entry: unknown): entry is JsonObject => isJsonObject(entry) && entry.type === 'custom';

const hasCustom = (entries: unknown): boolean => Array.isArray(entries) && entries.some(isCustom);

const callsCustom = (message: unknown): boolean => isJsonObject(message) && hasCustom(message.tool_calls);

function nameIn(entry: JsonObject): unknown {
  const target = entry[isCustom(entry) ? 'custom' : 'function'];
  return isJsonObject(target) ? target.name : undefined;
}

function asFunction(tool: unknown): unknown {
  if (!isCustom(tool)) return tool;
  const { custom, type: _type, ...others } = tool;
  const definition = objectOrEmpty(custom);
  const described = describeCustomTool(readCustomTool(definition));
  return { type: 'function', function: { name: definition.name, ...described }, ...others };
}

const asFunctionName = (choice: JsonObject): JsonObject => ({ type: 'function', function: { name: nameIn(choice) } });

function withFunctionCalls(message: unknown): unknown {
  if (!isJsonObject(message) || !callsCustom(message)) return message;
  return { ...message, tool_calls: listOrEmpty(message.tool_calls).map(asFunctionCall) };
}

function asFunctionCall(call: unknown): unknown {
  if (!isCustom(call)) return call;
  const { custom, type: _type, ...others } = call;
  const { name, input } = objectOrEmpty(custom);
  return { ...others, type: 'function', function: { name, arguments: customArguments(input) } };
}
