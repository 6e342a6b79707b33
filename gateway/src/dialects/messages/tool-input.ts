// The arguments a model wrote for a tool, as the JSON text of an object. Models sometimes write text that is none, and
// this dialect has no other place for it than an object with a name that says so.

import { isJsonObject } from '../../canonical/json.ts';

export function toolInputText(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return isObjectText(argumentsText) ? argumentsText : JSON.stringify({ INVALID_JSON: argumentsText });
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
