// Tells hostile nesting from an ordinary answer before the parser sees it: megabytes of brackets would block the
// process for seconds, and a tree that deep cannot be written out again.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function exceedsDepth(bytes: Buffer, depthMax: number): boolean {
  // Each level needs an opening and a closing byte.
  if (bytes.length <= depthMax * 2) return false;
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset += 1) {
    const byte = bytes[offset];
    if (byte === QUOTE) offset = stringEnd(bytes, offset + 1);
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

/** Where the string's closing quote is; strings are most of an answer, so they are searched rather than walked. */
function stringEnd(bytes: Buffer, start: number): number {
  let quote = bytes.indexOf(QUOTE, start);
  while (quote !== -1) {
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return bytes.length;
}
