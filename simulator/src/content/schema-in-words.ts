// A schema that is written into the prompt, as frameworks do for models without structured output: the last object in
// the text that is one, because examples that explain schemas come before it.

import { isObject, objectAt } from '../json.ts';

const SAYS_JSON = /\bJSON\b/i;
const TEXT_LENGTH_MAX = 200_000;
/** Each opening brace costs a search for its end. */
const OBJECTS_MAX = 64;

export function schemaInWords(text: string): Readonly<{ schema: unknown }> | undefined {
  if (text.length > TEXT_LENGTH_MAX || !SAYS_JSON.test(text)) return undefined;
  let found: Readonly<{ schema: unknown }> | undefined;
  let from = 0;
  for (let tried = 0; tried < OBJECTS_MAX; tried += 1) {
    const start = text.indexOf('{', from);
    if (start < 0) break;
    const end = endOfObject(text, start);
    const schema = end < 0 ? undefined : parseSchema(text.slice(start, end));
    if (schema !== undefined) found = { schema };
    from = schema === undefined ? start + 1 : end;
  }
  return found;
}

/** The place after the brace that closes the one at `start`; -1 when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (isInString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isInString = false;
    } else if (sign === '"') isInString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function parseSchema(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && objectAt(value, 'properties') !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
