// Tools whose input is plain text, as coding agents use them for patches and scripts. Only this format has them: in
// every other they are functions with that text as their one argument, and it is taken out again when one is called.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';

const INPUT = 'input';

/** The definition of such a function, in the flat form. */
export function describeCustomTool(tool: JsonObject): JsonObject {
  const { name, description, format } = tool;
  const lines = isFilled(description) ? [description] : [];
  if (isJsonObject(format) && typeof format.definition === 'string') {
    const syntax = typeof format.syntax === 'string' ? `${format.syntax} ` : '';
    lines.push(`The input must follow this ${syntax}grammar:\n${format.definition}`);
  }
  return {
    type: 'function',
    name,
    description: lines.join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [INPUT]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: [INPUT],
      additionalProperties: false,
    },
  };
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
