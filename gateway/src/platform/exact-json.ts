// JSON that keeps large integers exact. A double holds integers only up to 2^53, so larger ones are bigint in the
// parsed tree (a validator that expects a number refuses them) and plain digits again in the text that is sent
// upstream.

import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { takeTurn } from './turns.ts';

/** Random and never sent, so that no text of a stranger can look like one of our placeholders. */
const MARK = `exact-${randomBytes(16).toString('hex')}:`;
const QUOTED_MARK = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * The text to parse. `integerSpans` holds start and end offsets in turn: the integer literals that a double cannot
 * hold, each of which becomes a placeholder.
 */
export function markIntegers(bytes: Buffer, integerSpans: readonly number[]): string {
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

/** The same in turns of the owner, for long texts. */
export async function markIntegersInSlices(
  bytes: Buffer,
  integerSpans: readonly number[],
  sliceBytes: number,
  owner: string,
): Promise<string> {
  const decoder = new StringDecoder('utf8');
  const pieces: string[] = [];
  let offset = 0;
  let leftBytes = sliceBytes;
  for (let index = 0; index <= integerSpans.length; index += 2) {
    const end = integerSpans[index] ?? bytes.length;
    while (offset < end) {
      const length = Math.min(end - offset, leftBytes);
      pieces.push(decoder.write(bytes.subarray(offset, offset + length)));
      offset += length;
      leftBytes -= length;
      if (leftBytes > 0) continue;
      leftBytes = sliceBytes;
      await takeTurn(owner);
    }
    pieces.push(decoder.end());
    const integerEnd = integerSpans[index + 1];
    if (integerEnd === undefined) break;
    pieces.push(`"${MARK}${bytes.toString('latin1', offset, integerEnd)}"`);
    offset = integerEnd;
  }
  return pieces.join('');
}

export const parseExactJson = (bytes: Buffer, integerSpans: readonly number[]): unknown =>
  parseMarkedJson(markIntegers(bytes, integerSpans), integerSpans);

/** The spans are those with which the text was marked. */
export function parseMarkedJson(text: string, integerSpans: readonly number[]): unknown {
  const json: unknown = JSON.parse(text);
  return integerSpans.length === 0 ? json : unmark(json);
}

/** In place. A reviver would take ten times as long as all the rest, and one large integer could ask for it. */
function unmark(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = unmark(value[index]);
    return value;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    const unmarked = unmark(member);
    if (unmarked !== member) members[name] = unmarked;
  }
  return value;
}

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
