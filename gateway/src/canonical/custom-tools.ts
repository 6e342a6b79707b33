// Tools whose input is plain text, as coding agents use them for patches and scripts. Only OpenAI's formats have them: in
// every other they are functions with that text as their one argument, and it is taken out again when one is called.

import type { CustomTool, Tool, ToolCallPart } from './conversation.ts';
import { isFilled, isJsonObject, type JsonObject, objectOrEmpty } from './json.ts';

const INPUT = 'input';

/** From its definition in either of the two formats, of which one has the grammar a level deeper. */
export function readCustomTool({ description, format }: JsonObject): CustomTool {
  const rules = isJsonObject(format) && isJsonObject(format.grammar) ? format.grammar : format;
  const { syntax, definition } = objectOrEmpty(rules);
  return {
    ...(isFilled(description) ? { description } : {}),
    ...(typeof definition === 'string'
      ? { grammar: { definition, syntax: typeof syntax === 'string' ? syntax : undefined } }
      : {}),
  };
}

/** The same as a function. */
export function describeCustomTool({ description, grammar }: CustomTool): Pick<Tool, 'parameters'> & {
  description: string;
} {
  const lines = description === undefined ? [] : [description];
  if (grammar !== undefined) {
    const syntax = grammar.syntax === undefined ? '' : `${grammar.syntax} `;
    lines.push(`The input must follow this ${syntax}grammar:\n${grammar.definition}`);
  }
  return {
    description: lines.join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [INPUT]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: [INPUT],
      additionalProperties: false,
    },
  };
}

export function customCall(id: string, name: string, input: string): ToolCallPart {
  return { type: 'tool-call', id, name, argumentsText: customArguments(input), plainInput: input };
}

export function customArguments(input: unknown): string {
  return JSON.stringify({ [INPUT]: input });
}

/** Text that a model wrote in place of the argument is still its input; no argument is an empty input. */
export function customInput(argumentsText: string): string {
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (!isJsonObject(value)) return argumentsText;
    if (typeof value[INPUT] === 'string') return value[INPUT];
    return Object.keys(value).length === 0 ? '' : argumentsText;
  } catch (error) {
    if (error instanceof SyntaxError) return argumentsText;
    throw error;
  }
}
