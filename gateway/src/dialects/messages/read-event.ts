// One event of a stream, taken apart. The text is latin1, one character per byte, and only what is parsed as JSON is
// decoded from it.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

export type SentEvent = Readonly<{ name: string; data: string }>;

/** How a byte order mark looks in latin1. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** Null for a comment, or anything else without data. */
export function readEvent(frame: string): SentEvent | null {
  let name = '';
  const data: string[] = [];
  for (const line of frame.split('\n')) {
    const field = line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
    if (field.startsWith('data:')) data.push(fieldValue(field, 'data:'.length));
    else if (field.startsWith('event:')) name = fieldValue(field, 'event:'.length);
  }
  const joined = data.join('\n').trim();
  return joined === '' ? null : { name, data: joined };
}

export function parseJsonObject(latin1: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(latin1, 'latin1').toString('utf8'));
    return isJsonObject(json) ? json : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function encodeLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function fieldValue(field: string, start: number): string {
  return field.charCodeAt(start) === 0x20 ? field.slice(start + 1) : field.slice(start);
}
