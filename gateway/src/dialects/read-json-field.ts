// Reads an object that was written as JSON to fit into a form.

import { isJsonObject } from '../canonical/json.ts';

/** Text that is not an object in JSON is returned unchanged, and refused by its reader. */
export function readJsonField(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
