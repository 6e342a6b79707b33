// JSON that keeps large integers exact. A double holds integers only up to 2^53, so larger ones are bigint in the
// parsed tree (a validator that expects a number refuses them) and plain digits again in the text that is sent
// upstream.

import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { characterEnd, decodeText } from './decode-text.ts';
import { type BodyTexts, KNOWN_BYTES_MIN } from './known-texts.ts';
import { parseText, readText, readTextInTurns } from './long-text.ts';
import type { LongTask } from './turns.ts';

/** Random and never sent, so that no text of a stranger can look like one of our placeholders. */
const MARK = `exact-${randomBytes(16).toString('hex')}:`;
/** After a mark: the place of a long text among the spans follows, and not an integer. */
const TEXT = 'text-';
type LongTexts = ReadonlyMap<number, string>;
const QUOTE = 0x22;
const QUOTED_MARK = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * `spans` holds start and end offsets in turn: of the integer literals that a double cannot hold, and of long strings,
 * which are read by themselves. The parser is given a placeholder for each. Long strings that were read before are found
 * in `texts`, where it is given.
 */
export function parseExactJson(bytes: Buffer, spans: readonly number[], texts: BodyTexts | null = null): unknown {
  if (spans.length === 0) return JSON.parse(decodeText(bytes));
  let isOfAscii: boolean | null = null;
  const readApart = (literal: Buffer): string | null => {
    isOfAscii ??= isAscii(bytes);
    return readText(literal, isOfAscii);
  };
  const longTexts = new Map<number, string>();
  let marked = '';
  let offset = 0;
  for (let index = 0; index < spans.length; index += 2) {
    const start = spans[index] ?? offset;
    const end = spans[index + 1] ?? start;
    if (bytes[start] === QUOTE) {
      const text = readLong(bytes.subarray(start, end), readApart, texts);
      if (text === null) continue;
      longTexts.set(index, text);
    }
    marked += decodeText(bytes.subarray(offset, start)) + placeholder(bytes, spans, index);
    offset = end;
  }
  const json: unknown = JSON.parse(marked + decodeText(bytes.subarray(offset)));
  return marked === '' ? json : unmark(json, longTexts);
}

/** Null where it is left to the parser. */
function readLong(literal: Buffer, read: (literal: Buffer) => string | null, texts: BodyTexts | null): string | null {
  if (texts === null || literal.length < KNOWN_BYTES_MIN) return read(literal);
  return texts.recall(literal) ?? texts.keep(literal, read(literal) ?? parseText(literal));
}

/** The same in turns, for long bodies; only what is left goes through the parser at once. */
export async function parseExactJsonInTurns(
  bytes: Buffer,
  spans: readonly number[],
  task: LongTask,
  texts: BodyTexts | null = null,
): Promise<unknown> {
  const longTexts = new Map<number, string>();
  let marked = '';
  let offset = 0;
  for (let index = 0; index <= spans.length; index += 2) {
    const start = spans[index] ?? bytes.length;
    // ASCII is copied as fast as it is joined again.
    const isLong = start - offset > task.pieceMax && !isAscii(bytes.subarray(offset, start));
    const pieceMax = isLong ? task.pieceMax : start - offset;
    while (offset < start) {
      const end = start - offset > pieceMax ? characterEnd(bytes, offset + pieceMax) : start;
      const turn = task.before(end - offset);
      if (turn !== undefined) await turn;
      marked += decodeText(bytes.subarray(offset, end));
      offset = end;
    }
    if (start === bytes.length) break;
    marked += placeholder(bytes, spans, index);
    offset = spans[index + 1] ?? start;
    if (bytes[start] !== QUOTE) continue;
    const literal = bytes.subarray(start, offset);
    const turn = task.before(literal.length);
    if (turn !== undefined) await turn;
    longTexts.set(index, await readLongInTurns(literal, task, texts));
  }
  await task.before(marked.length);
  const json: unknown = JSON.parse(marked);
  return spans.length === 0 ? json : unmark(json, longTexts);
}

async function readLongInTurns(literal: Buffer, task: LongTask, texts: BodyTexts | null): Promise<string> {
  if (texts === null || literal.length < KNOWN_BYTES_MIN) return readTextInTurns(literal, task);
  return texts.recall(literal) ?? texts.keep(literal, await readTextInTurns(literal, task));
}

function placeholder(bytes: Buffer, spans: readonly number[], index: number): string {
  const start = spans[index] ?? 0;
  return `"${MARK}${bytes[start] === QUOTE ? TEXT + index : bytes.toString('latin1', start, spans[index + 1])}"`;
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
