// JSON that keeps large integers exact. A double holds integers only up to 2^53, so larger ones are bigint in the
// parsed tree (a validator that expects a number refuses them) and plain digits again in the text that is sent
// upstream.

import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { readLongText } from './long-text.ts';
import type { LongTask } from './turns.ts';

/** Random and never sent, so that no text of a stranger can look like one of our placeholders. */
const MARK = `exact-${randomBytes(16).toString('hex')}:`;
/** After a mark: the place of a long text among the spans follows, and not an integer. */
const TEXT = 'text-';
type LongTexts = ReadonlyMap<number, string>;
const QUOTE = 0x22;
const QUOTED_MARK = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * The text to parse. `integerSpans` holds start and end offsets in turn: the integer literals that a double cannot
 * hold, each of which becomes a placeholder.
 */
function markIntegers(bytes: Buffer, integerSpans: readonly number[]): string {
  // Plain ASCII is copied byte for byte, at a fraction of what decoding UTF-8 costs.
  if (integerSpans.length === 0) return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  const pieces: string[] = [];
  let offset = 0;
  for (let index = 0; index < integerSpans.length; index += 2) {
    const start = integerSpans[index] ?? offset;
    const end = integerSpans[index + 1] ?? offset;
    pieces.push(bytes.toString('utf8', offset, start), `"${MARK}${bytes.toString('latin1', start, end)}"`);
    offset = end;
  }
  pieces.push(bytes.toString('utf8', offset));
  return pieces.join('');
}

export function parseExactJson(bytes: Buffer, integerSpans: readonly number[]): unknown {
  const json: unknown = JSON.parse(markIntegers(bytes, integerSpans));
  return integerSpans.length === 0 ? json : unmark(json, NO_TEXTS);
}

const NO_TEXTS: LongTexts = new Map();

/**
 * The same in turns, for long bodies. The spans may also be those of long strings, which are read by themselves; only
 * what is left goes through the parser at once.
 */
export async function parseExactJsonInTurns(bytes: Buffer, spans: readonly number[], task: LongTask): Promise<unknown> {
  const longTexts = new Map<number, string>();
  for (let index = 0; index < spans.length; index += 2) {
    const start = spans[index] ?? 0;
    if (bytes[start] !== QUOTE) continue;
    longTexts.set(index, await readLongText(bytes.subarray(start, spans[index + 1]), task));
  }
  const text = await markInTurns(bytes, spans, task);
  await task.before(text.length);
  const json: unknown = JSON.parse(text);
  return spans.length === 0 ? json : unmark(json, longTexts);
}

async function markInTurns(bytes: Buffer, spans: readonly number[], task: LongTask): Promise<string> {
  // Characters outside ASCII take twenty times as long to decode.
  if (spans.length === 0 && isAscii(bytes)) {
    await task.before(bytes.length);
    return bytes.toString('latin1');
  }
  const decoder = new StringDecoder('utf8');
  const pieces: string[] = [];
  let offset = 0;
  for (let index = 0; index <= spans.length; index += 2) {
    const start = spans[index] ?? bytes.length;
    while (offset < start) {
      const length = Math.min(start - offset, task.pieceMax);
      const turn = task.before(length);
      if (turn !== undefined) await turn;
      pieces.push(decoder.write(bytes.subarray(offset, offset + length)));
      offset += length;
    }
    pieces.push(decoder.end());
    offset = spans[index + 1] ?? start;
    if (start === bytes.length) break;
    pieces.push(`"${MARK}${bytes[start] === QUOTE ? TEXT + index : bytes.toString('latin1', start, offset)}"`);
  }
  return pieces.join('');
}

/** In place. A reviver would take ten times as long as all the rest, and one large integer could ask for it. */
function unmark(value: unknown, longTexts: LongTexts): unknown {
  if (typeof value === 'string')
    return value.startsWith(MARK) ? markedValue(value.slice(MARK.length), longTexts) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = unmark(value[index], longTexts);
    return value;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    const unmarked = unmark(member, longTexts);
    if (unmarked !== member) members[name] = unmarked;
  }
  return value;
}

const markedValue = (marked: string, longTexts: LongTexts): unknown =>
  marked.startsWith(TEXT) ? longTexts.get(Number(marked.slice(TEXT.length))) : BigInt(marked);

/** The counterpart of `parseExactJson`: use it for everything that may contain a client's own values. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify refuses a bigint with a TypeError; any other cause fails again below and is thrown from there.
    if (!(error instanceof TypeError)) throw error;
    const marked = JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${MARK}${item}` : item));
    return marked.replace(QUOTED_MARK, '$1');
  }
}
