// Checks the functions that a model may call and which of them it must. Flat definitions and object-form choices have
// been brought to the nested form before.

import { isJsonObject, isSet } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { HOSTED_TOOLS, refuseField, refuseHosted } from '../refuse.ts';

const TOOLS_MAX = 128;
const TOOL_NAME_LENGTH_MAX = 128;
const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;

/** Returns whether the model is offered any tool. */
export function parseTools(tools: unknown, choice: unknown): boolean {
  const names = tools === undefined || tools === null ? [] : readToolNames(tools);
  if (isSet(choice)) checkToolChoice(choice, names);
  return names.length > 0;
}

function readToolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) throw invalid('tools must be an array.');
  if (tools.length > TOOLS_MAX) throw invalid(`tools may hold at most ${TOOLS_MAX} definitions.`);
  return tools.map(readToolName);
}

function readToolName(tool: unknown, index: number): string {
  if (!isJsonObject(tool)) throw invalid(`tools[${index}] must be an object.`);
  if (HOSTED_TOOLS.has(tool.type)) throw refuseHosted(`tools[${index}].type`, tool.type);
  if (tool.type !== 'function') throw invalid(`tools[${index}].type must be function.`);
  const definition = tool.function;
  if (!isJsonObject(definition)) throw invalid(`tools[${index}].function must be an object.`);
  const { name, description, parameters } = definition;
  if (typeof name !== 'string') throw invalid(`tools[${index}].function.name is required and must be a string.`);
  if (name.length > TOOL_NAME_LENGTH_MAX || !TOOL_NAME.test(name)) {
    throw invalid(
      `tools[${index}].function.name must be 1 to ${TOOL_NAME_LENGTH_MAX} letters, digits, underscores or dashes.`,
    );
  }
  if (isSet(description) && typeof description !== 'string') {
    throw invalid(`tools[${index}].function.description must be a string.`);
  }
  // When it is left out, the function has no parameters.
  if (parameters !== undefined && !isJsonObject(parameters)) {
    throw invalid(`tools[${index}].function.parameters must be a JSON Schema object.`);
  }
  return name;
}

function checkToolChoice(choice: unknown, names: readonly string[]): void {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return;
  const target = isJsonObject(choice) && choice.type === 'function' ? choice.function : undefined;
  const name = isJsonObject(target) ? target.name : undefined;
  if (typeof name !== 'string') {
    throw refuseField('tool_choice', "must be auto, none, required or {type: 'function', function: {name}}");
  }
  if (!names.includes(name)) throw invalid('tool_choice names a function that is not in tools.');
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_tools_definition', message);
}
