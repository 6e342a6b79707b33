// Tells hostile nesting from an ordinary event before the parser sees it: megabytes of brackets would block the process
// for seconds, and a tree that deep could not be written out again.

const DEPTH_MAX = 128;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function isNestedTooDeep(json: string): boolean {
  // Each level needs an opening and a closing sign, so short events need no second look.
  if (json.length <= DEPTH_MAX * 2) return false;
  let depth = 0;
  for (let position = 0; position < json.length; position += 1) {
    const sign = json.charCodeAt(position);
    if (sign === QUOTE) position = stringEnd(json, position + 1);
    else if (sign === 0x7b || sign === 0x5b) {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (sign === 0x7d || sign === 0x5d) depth -= 1;
  }
  return false;
}

/** Where the closing quote is; strings are most of an event, so they are searched rather than walked. */
function stringEnd(json: string, start: number): number {
  let quote = json.indexOf('"', start);
  while (quote !== -1) {
    let escapes = 0;
    while (json.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    quote = json.indexOf('"', quote + 1);
  }
  return json.length;
}
