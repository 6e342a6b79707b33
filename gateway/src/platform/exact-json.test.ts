// Long strings are read apart from the rest of a JSON text, and whatever they hold the outcome is that of the parser.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNLIMITED } from '../../test/json-source.ts';
import { parseExactJson, parseExactJsonInTurns } from './exact-json.ts';
import { scanJson } from './json-scan.ts';
import { LongTask } from './turns.ts';

const PLAIN = ['a', ' ', 'The quick brown fox. ', '{[,:]}'];
const ESCAPED = [...PLAIN, '\\n', '\\"', '\\\\', '\\u00e9', '\\ud83d\\ude00'];
const WIDE = [...ESCAPED, 'é', '漢字', '😀'];
const BROKEN = [...WIDE, '\n', '\u0001', '\\', '\\u12', '\\x'];

/** Bytes of a string with its quotes; lengths are around those from which a string is read in another way. */
const literal = (parts: readonly string[]) =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1, 4_090, 16_380, 59_995, 119_990, 131_070),
      fc.nat(12),
    )
    .map(([unit, length, more]) => {
      const text = unit.join('');
      const count = Math.max(1, Math.ceil(length / text.length));
      return `"${text.repeat(count)}${'x'.repeat(more)}"`;
    });

const anyLiteral = fc.oneof(literal(PLAIN), literal(ESCAPED), literal(WIDE));
const integer = fc.constantFrom('1', '-5', '9007199254740993');

const json = (literals: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(literals, { minLength: 1, maxLength: 4 }), integer, literals)
    .map(([texts, number, key]) => `{"n":${number},"list":[${texts.join(' , ')}],${key}:{"__proto__":${texts[0]}}}`);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text.replace('9007199254740993', '"large"'));
  } catch {
    return 'refused';
  }
};

const orRefused = (error: unknown): string => {
  expect(error).toBeInstanceOf(SyntaxError);
  return 'refused';
};

const read = (bytes: Buffer): unknown => {
  try {
    return parseExactJson(bytes, scanJson(bytes, UNLIMITED).spans);
  } catch (error) {
    return orRefused(error);
  }
};

const readInTurns = (bytes: Buffer): Promise<unknown> =>
  parseExactJsonInTurns(bytes, scanJson(bytes, UNLIMITED).spans, new LongTask('somebody', 262_144)).catch(orRefused);

/** Compared as text, which shows a member that has become a prototype. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? 'large' : member));

async function expectAsParsed(bytes: Buffer): Promise<void> {
  const expected = shown(parsed(bytes.toString()));
  expect(shown(read(bytes)) === expected).toBe(true);
  expect(shown(await readInTurns(bytes)) === expected).toBe(true);
}

describe('a JSON text with long strings', () => {
  test('is read as the parser reads it', async () => {
    await fc.assert(
      fc.asyncProperty(json(anyLiteral), (text) => expectAsParsed(Buffer.from(text))),
      { numRuns: 150 },
    );
  });

  test('is refused where the parser refuses it', async () => {
    await fc.assert(
      fc.asyncProperty(json(fc.oneof(anyLiteral, literal(BROKEN))), fc.nat(3), (text, cut) =>
        expectAsParsed(Buffer.from(text.slice(0, text.length - cut))),
      ),
      { numRuns: 150 },
    );
  });

  test('with bytes that are no text is read as the parser reads it', async () => {
    const bytes = fc.constantFrom([0x80], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xff]);
    await fc.assert(
      fc.asyncProperty(json(anyLiteral), bytes, fc.double({ min: 0, max: 1, noNaN: true }), (text, wrong, part) => {
        const whole = Buffer.from(text);
        const place = Math.floor(whole.length * part);
        return expectAsParsed(Buffer.concat([whole.subarray(0, place), Buffer.from(wrong), whole.subarray(place)]));
      }),
      { numRuns: 150 },
    );
  });
});
