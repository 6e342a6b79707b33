// Checks the tools that a model may use and which of them it must. Only tools that the caller defines are checked;
// those of a vendor go by their type, and new ones appear without notice.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { refuseField } from '../refuse.ts';

/** Deferred tools may be hundreds; the size of the body bounds them. */
const TOOLS_MAX = 10_000;
const TOOL_NAME_LENGTH_MAX = 128;
const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;

/** Returns whether the model is offered any tool of the caller's own. */
export function parseTools(tools: unknown, choice: unknown): boolean {
  const list = readList(tools);
  let hasOwn = false;
  for (const [index, tool] of list.entries()) {
    if (!isCallerDefined(tool)) continue;
    checkTool(tool, index);
    hasOwn = true;
  }
  if (isSet(choice)) checkToolChoice(choice, list);
  return hasOwn;
}

/** The caller describes it and runs it. */
export function isCallerDefined(tool: JsonObject): boolean {
  return tool.type === undefined || tool.type === null || tool.type === 'custom';
}

function readList(tools: unknown): readonly JsonObject[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw invalid('tools must be an array.');
  if (tools.length > TOOLS_MAX) throw invalid(`tools may hold at most ${TOOLS_MAX} definitions.`);
  for (const [index, tool] of tools.entries()) {
    if (!isJsonObject(tool)) throw invalid(`tools[${index}] must be an object.`);
    if (isSet(tool.type) && typeof tool.type !== 'string') throw invalid(`tools[${index}].type must be a string.`);
  }
  return tools;
}

function checkTool(tool: JsonObject, index: number): void {
  const { name, description, input_schema: schema } = tool;
  if (typeof name !== 'string') throw invalid(`tools[${index}].name is required and must be a string.`);
  if (name.length > TOOL_NAME_LENGTH_MAX || !TOOL_NAME.test(name)) {
    throw invalid(`tools[${index}].name must be 1 to ${TOOL_NAME_LENGTH_MAX} letters, digits, underscores or dashes.`);
  }
  if (isSet(description) && typeof description !== 'string') {
    throw invalid(`tools[${index}].description must be a string.`);
  }
  if (schema !== undefined && !isJsonObject(schema)) {
    throw invalid(`tools[${index}].input_schema must be a JSON Schema object.`);
  }
}

function checkToolChoice(choice: unknown, tools: readonly JsonObject[]): void {
  if (!isJsonObject(choice) || typeof choice.type !== 'string') {
    throw refuseField('tool_choice', "must be an object such as {type: 'auto'}");
  }
  if (choice.type !== 'tool') return;
  if (typeof choice.name !== 'string') throw refuseField('tool_choice.name', 'must be a string');
  // A set of tools without a name may contain the chosen one.
  const isKnown = tools.some((tool) => tool.name === choice.name || typeof tool.name !== 'string');
  if (!isKnown) throw invalid('tool_choice names a tool that is not in tools.');
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_tools_definition', message);
}
