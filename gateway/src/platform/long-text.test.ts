// A long string read in pieces is what the parser makes of the whole, or is refused like it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTextInTurns } from './long-text.ts';
import { LongTask } from './turns.ts';

const parsed = (literal: string): string | null => {
  try {
    return String(JSON.parse(`"${literal}"`));
  } catch {
    return null;
  }
};

const readInPieces = async (literal: string, pieceBytes: number): Promise<string | null> =>
  readTextInTurns(Buffer.from(`"${literal}"`), new LongTask('somebody', pieceBytes)).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SyntaxError);
    return null;
  });

const PARTS = ['a', ' ', 'abcdefgh', 'é', '漢', '😀', '\\\\', '\\n', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\\\u0041'];
const FAULTS = ['\\', '\\u', '\\u12', '\\x', '\n', '\u0000', '\u001f', '\\u00zz'];

describe('a long text', () => {
  test('is read piece by piece as the parser reads it, wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...PARTS), { maxLength: 200 }),
        fc.integer({ min: 7, max: 40 }),
        async (parts, pieceBytes) => {
          expect(await readInPieces(parts.join(''), pieceBytes)).toBe(parsed(parts.join('')));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('with bytes that are no text is read as it is in one piece', async () => {
    const parts = ['a', 'é', '漢', '😀'].map((part) => [...Buffer.from(part)]);
    const bytes = fc.constantFrom(...parts, [0x80], [0xbf], [0xc3], [0xe2], [0xed], [0xf0], [0xff]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { maxLength: 100 }),
        fc.integer({ min: 7, max: 40 }),
        async (given, pieceBytes) => {
          const literal = Buffer.from([0x22, ...given.flat(), 0x22]);
          const read = await readTextInTurns(literal, new LongTask('somebody', pieceBytes));
          expect(read).toBe(JSON.parse(literal.toString()));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('that is not valid JSON is refused, wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...PARTS, ...FAULTS), { minLength: 1, maxLength: 100 }),
        fc.integer({ min: 7, max: 40 }),
        async (parts, pieceBytes) => {
          const literal = parts.join('');
          fc.pre(!/(?:^|[^\\])(?:\\\\)*"/.test(literal));
          expect(await readInPieces(literal, pieceBytes)).toBe(parsed(literal));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('of plain characters with a control character anywhere is refused', async () => {
    for (let place = 0; place < 23; place += 1) {
      for (const control of ['\0', '\t', '\n', '\u001f']) {
        const literal = `${'x'.repeat(place)}${control}${'~'.repeat(22 - place)}`;
        // The words that are looked at together begin at different places.
        for (let shift = 0; shift < 4; shift += 1) {
          const bytes = Buffer.from(`${'-'.repeat(shift)}"${literal}"`).subarray(shift);
          await expect(readTextInTurns(bytes, new LongTask('somebody', 64))).rejects.toBeInstanceOf(SyntaxError);
        }
      }
    }
    expect(await readInPieces(' !#[]~\u007f'.repeat(40), 64)).toBe(' !#[]~\u007f'.repeat(40));
  });
});
