// The events of a stream that is passed on, as `platform/whole-events.ts` cuts them: latin1 text, one character for each
// byte.

import type { JsonObject } from '../canonical/json.ts';
import { readJsonObject } from '../platform/read-json-object.ts';
import { readFields } from '../platform/whole-events.ts';

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

export type SentEvent = Readonly<{
  /** Empty where the event has none. */
  name: string;
  /** The lines of it, joined. */
  data: string;
}>;

/** One event, taken apart; null for a comment, or anything else without data. */
export function readEvent(frame: string): SentEvent | null {
  const event = frame.startsWith(BYTE_ORDER_MARK) ? frame.slice(BYTE_ORDER_MARK.length) : frame;
  const { name, data } = readFields(event);
  const trimmed = data.trim();
  return trimmed === '' ? null : { name: name ?? '', data: trimmed };
}

/** Null for whatever is no JSON object, or one that nests too deeply. */
export const parseEventData = (latin1: string): JsonObject | null => readJsonObject(Buffer.from(latin1, 'latin1'));

/** As the text of a stream that is passed on. */
export const encodeLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
