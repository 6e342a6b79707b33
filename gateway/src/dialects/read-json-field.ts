// An object has to be written as JSON to fit into a form.

import { isJsonObject } from '../canonical/json.ts';

/** What is no object in JSON stays what it is, and is refused as such by whoever reads it. */
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
