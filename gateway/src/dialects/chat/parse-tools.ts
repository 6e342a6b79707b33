// Checks the tools that a model may call, functions and those that take plain text, and which of them it may or must.
// Flat definitions and object-form choices have been brought to the nested form before.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { HOSTED_TOOLS, refuseField, refuseHosted } from '../refuse.ts';

const TOOLS_MAX = 128;
const TOOL_NAME_LENGTH_MAX = 128;
const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;

type Offered = Readonly<{ type: 'function' | 'custom'; name: string }>;

/** Returns whether the model is offered any tool. */
export function parseTools(tools: unknown, choice: unknown): boolean {
  const offered = tools === undefined || tools === null ? [] : readTools(tools);
  if (isSet(choice)) checkToolChoice(choice, offered);
  return offered.length > 0;
}

function readTools(tools: unknown): Offered[] {
  if (!Array.isArray(tools)) throw invalid('tools must be an array.');
  if (tools.length > TOOLS_MAX) throw invalid(`tools may hold at most ${TOOLS_MAX} definitions.`);
  return tools.map(readTool);
}

function readTool(tool: unknown, index: number): Offered {
  if (!isJsonObject(tool)) throw invalid(`tools[${index}] must be an object.`);
  const { type } = tool;
  if (HOSTED_TOOLS.has(type)) throw refuseHosted(`tools[${index}].type`, type);
  if (type !== 'function' && type !== 'custom') throw invalid(`tools[${index}].type must be function or custom.`);
  const path = `tools[${index}].${type}`;
  const definition = tool[type];
  if (!isJsonObject(definition)) throw invalid(`${path} must be an object.`);
  const { name, description, parameters, format } = definition;
  if (typeof name !== 'string') throw invalid(`${path}.name is required and must be a string.`);
  if (name.length > TOOL_NAME_LENGTH_MAX || !TOOL_NAME.test(name)) {
    throw invalid(`${path}.name must be 1 to ${TOOL_NAME_LENGTH_MAX} letters, digits, underscores or dashes.`);
  }
  if (isSet(description) && typeof description !== 'string') throw invalid(`${path}.description must be a string.`);
  if (type === 'custom') {
    if (isSet(format)) checkFormat(format, `${path}.format`);
  } else if (parameters !== undefined && !isJsonObject(parameters)) {
    // When it is left out, the function has no parameters.
    throw invalid(`${path}.parameters must be a JSON Schema object.`);
  }
  return { type, name };
}

function checkFormat(format: unknown, path: string): void {
  if (!isJsonObject(format)) throw invalid(`${path} must be an object.`);
  const { type, grammar } = format;
  if (type === 'text') return;
  if (type !== 'grammar') throw invalid(`${path}.type must be text or grammar.`);
  if (!isJsonObject(grammar)) throw invalid(`${path}.grammar must be an object.`);
  for (const member of ['syntax', 'definition']) {
    if (typeof grammar[member] !== 'string') throw invalid(`${path}.grammar.${member} must be a string.`);
  }
}

function checkToolChoice(choice: unknown, tools: readonly Offered[]): void {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return;
  const offered = new Set(tools.map(keyOf));
  if (isJsonObject(choice) && choice.type === 'allowed_tools') {
    checkAllowedTools(choice.allowed_tools, offered);
    return;
  }
  const named = readNamed(choice);
  if (named === null) {
    const allowed = "{type: 'allowed_tools', allowed_tools: {mode, tools}}";
    const others = `${A_FUNCTION}, ${A_CUSTOM_TOOL} or ${allowed}`;
    throw refuseField('tool_choice', `must be auto, none, required, ${others}`);
  }
  checkOffered(named, offered, 'tool_choice');
}

function checkAllowedTools(allowed: unknown, offered: ReadonlySet<string>): void {
  const path = 'tool_choice.allowed_tools';
  if (!isJsonObject(allowed)) throw refuseField(path, 'must be an object');
  const { mode, tools } = allowed;
  if (mode !== 'auto' && mode !== 'required') throw refuseField(`${path}.mode`, 'must be auto or required');
  if (!Array.isArray(tools)) throw refuseField(`${path}.tools`, 'must be an array');
  if (tools.length > TOOLS_MAX) throw refuseField(`${path}.tools`, `may hold at most ${TOOLS_MAX} tools`);
  if (mode === 'required' && tools.length === 0) {
    throw refuseField(`${path}.tools`, 'must not be empty where one of them is required');
  }
  for (const [index, tool] of tools.entries()) {
    const named = readNamed(tool);
    if (named === null) throw refuseField(`${path}.tools[${index}]`, `must be ${A_FUNCTION} or ${A_CUSTOM_TOOL}`);
    checkOffered(named, offered, `${path}.tools[${index}]`);
  }
}

const A_FUNCTION = "{type: 'function', function: {name}}";
const A_CUSTOM_TOOL = "{type: 'custom', custom: {name}}";

function readNamed(choice: unknown): Offered | null {
  if (!isJsonObject(choice)) return null;
  const { type } = choice;
  if (type !== 'function' && type !== 'custom') return null;
  const target = choice[type] as JsonObject | null | undefined;
  return typeof target?.name === 'string' ? { type, name: target.name } : null;
}

const keyOf = ({ type, name }: Offered): string => `${type} ${name}`;

function checkOffered(named: Offered, offered: ReadonlySet<string>, path: string): void {
  if (offered.has(keyOf(named))) return;
  throw invalid(`${path} names a ${named.type === 'custom' ? 'custom tool' : 'function'} that is not in tools.`);
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_tools_definition', message);
}
