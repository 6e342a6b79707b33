// Checks the functions that a model may call and which of them it must. Only functions are checked: agents always bring
// tools of unknown kinds, and a request must not fail because of them, except for those that are refused by name.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { CUSTOM_TOOL_TOKENS, TOOLS_OVERHEAD_TOKENS } from '../estimate-prompt.ts';
import { HOSTED_TOOLS, refuseField, refuseHosted } from '../refuse.ts';
import { type OfferedFunction, offeredFunctions, type ToolList, toolListsOf } from './offered-functions.ts';

/** Over all lists; an agent with many servers brings hundreds. */
const FUNCTIONS_MAX = 1_024;
const NAME_LENGTH_MAX = 128;
const NAME = /^[a-zA-Z0-9_-]+$/;

type ParsedTools = Readonly<{
  /** The model is offered a function; tools of other kinds do not require anything of it. */
  hasFunctions: boolean;
  /** It is offered a tool that takes plain text. */
  hasCustom: boolean;
  /** What upstreams may add for those tools. */
  tokens: number;
}>;

export function parseTools(body: JsonObject): ParsedTools {
  const lists = toolListsOf(body);
  for (const list of lists) checkList(list);
  const offered = offeredFunctions(lists);
  if (offered.length > FUNCTIONS_MAX) throw invalid(`tools may hold at most ${FUNCTIONS_MAX} functions.`);
  for (const entry of offered) checkFunction(entry);
  const choice = body.tool_choice;
  if (isSet(choice)) checkToolChoice(choice, offered);
  const customCount = offered.filter(({ isCustom }) => isCustom).length;
  return {
    hasFunctions: offered.length > customCount,
    hasCustom: customCount > 0,
    tokens: (offered.length > 0 ? TOOLS_OVERHEAD_TOKENS : 0) + customCount * CUSTOM_TOOL_TOKENS,
  };
}

function checkList({ tools, path }: ToolList): void {
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) throw invalid(`${path} must be an array.`);
  for (const [index, tool] of tools.entries()) {
    const place = `${path}[${index}]`;
    if (!isJsonObject(tool)) throw invalid(`${place} must be an object.`);
    if (typeof tool.type !== 'string') throw invalid(`${place}.type is required and must be a string.`);
    if (HOSTED_TOOLS.has(tool.type)) throw refuseHosted(`${place}.type`, tool.type);
    if (tool.type === 'namespace') checkNamespace(tool, place);
  }
}

function checkNamespace(tool: JsonObject, place: string): void {
  if (!isFilled(tool.name)) throw invalid(`${place}.name is required and must be a string.`);
  checkList({ tools: tool.tools, path: `${place}.tools` });
}

function checkFunction({ definition, path }: OfferedFunction): void {
  const { name, description, parameters, strict } = definition;
  if (typeof name !== 'string') throw invalid(`${path}.name is required and must be a string.`);
  if (name.length > NAME_LENGTH_MAX || !NAME.test(name)) {
    throw invalid(`${path}.name must be 1 to ${NAME_LENGTH_MAX} letters, digits, underscores or dashes.`);
  }
  if (isSet(description) && typeof description !== 'string') throw invalid(`${path}.description must be a string.`);
  // When it is left out or null, the function has no parameters.
  if (isSet(parameters) && !isJsonObject(parameters)) throw invalid(`${path}.parameters must be a JSON Schema object.`);
  if (isSet(strict) && typeof strict !== 'boolean') throw invalid(`${path}.strict must be a boolean.`);
}

function checkToolChoice(choice: unknown, offered: readonly OfferedFunction[]): void {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return;
  if (!isJsonObject(choice) || typeof choice.type !== 'string') {
    throw refuseField('tool_choice', 'must be auto, none, required or an object with a type');
  }
  if (HOSTED_TOOLS.has(choice.type)) throw refuseHosted('tool_choice.type', choice.type);
  const names = new Set(offered.map(({ definition }) => definition.name));
  if (choice.type === 'allowed_tools') checkAllowedTools(choice, names);
  else checkNamed(choice, names, 'tool_choice');
}

/** Of other kinds of tools the names are their provider's. */
function checkNamed({ type, name }: JsonObject, offered: ReadonlySet<unknown>, path: string): void {
  if (type !== 'function') return;
  if (typeof name !== 'string') throw refuseField(`${path}.name`, 'must be a string');
  if (!offered.has(name)) throw invalid(`${path} names a function that is not in tools.`);
}

function checkAllowedTools({ mode, tools }: JsonObject, offered: ReadonlySet<unknown>): void {
  if (mode !== 'auto' && mode !== 'required') throw refuseField('tool_choice.mode', 'must be auto or required');
  if (!Array.isArray(tools) || !tools.every(isJsonObject)) {
    throw refuseField('tool_choice.tools', 'must be an array of objects');
  }
  if (tools.length > FUNCTIONS_MAX) throw refuseField('tool_choice.tools', `may hold at most ${FUNCTIONS_MAX} tools`);
  for (const [index, tool] of tools.entries()) checkNamed(tool, offered, `tool_choice.tools[${index}]`);
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_tools_definition', message);
}
