// Long strings are read apart from the rest of a JSON text, and whatever they hold the outcome is that of the parser.

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNLIMITED } from '../../test/json-source.ts';
import { parseExactJson, parseExactJsonInTurns } from './exact-json.ts';
import { documentOf } from './json-document.ts';
import { scanJson } from './json-scan.ts';
import { BodyTexts, KNOWN_BYTES_MIN, type KnownText } from './known-texts.ts';
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

const read = (bytes: Buffer, texts: BodyTexts | null): unknown => {
  try {
    return parseExactJson(bytes, scanJson(bytes, UNLIMITED).spans, texts);
  } catch (error) {
    return orRefused(error);
  }
};

function readInTurns(bytes: Buffer, texts: BodyTexts | null): Promise<unknown> {
  const task = new LongTask('somebody', 262_144);
  return parseExactJsonInTurns(bytes, scanJson(bytes, UNLIMITED).spans, task, texts).catch(orRefused);
}

/** Compared as text, which shows a member that has become a prototype. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? 'large' : member));

async function expectAsParsed(bytes: Buffer): Promise<void> {
  const expected = shown(parsed(bytes.toString()));
  // The second of two owners finds what the first body of his has left.
  for (const owner of [null, 'a', 'b', 'b']) {
    const texts = owner === null ? null : new BodyTexts(owner);
    const value = read(bytes, texts);
    expect(shown(value) === expected).toBe(true);
    expect(shown(await readInTurns(bytes, owner === null ? null : new BodyTexts(owner))) === expected).toBe(true);
    if (value !== 'refused' && texts !== null) expect(texts.areUtf8(bytes)).toBe(isUtf8(bytes));
  }
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

describe('a long string that was read before', () => {
  const body = (text: string): Buffer => Buffer.from(JSON.stringify({ model: 'm', messages: [{ content: text }] }));
  const textOf = (bytes: Buffer, owner: string): KnownText | undefined => {
    const texts = new BodyTexts(owner);
    const scanned = scanJson(bytes, UNLIMITED);
    const json = parseExactJson(bytes, scanned.spans, texts) as { messages: [{ content: string }] };
    return documentOf(json, bytes, scanned, texts).longTexts.get(json.messages[0].content.length);
  };
  const text = 'A line.\n'.repeat(KNOWN_BYTES_MIN / 8);

  test('is found again by its owner, and by nobody else', () => {
    const first = textOf(body(text), 'owner');
    expect(first?.text).toBe(text);
    expect(textOf(body(text), 'owner')).toBe(first);
    const ofOther = textOf(body(text), 'other');
    expect(ofOther?.text).toBe(text);
    expect(ofOther?.digest).not.toBe(first?.digest);
  });

  test('is another where one letter differs', () => {
    const changed = `${text.slice(0, -1)}!`;
    expect(textOf(body(changed), 'owner')?.text).toBe(changed);
    expect(textOf(body(text), 'owner')?.text).toBe(text);
  });

  test('is forgotten when others take its place', () => {
    const first = textOf(body(text), 'owner');
    for (let index = 0; index < 40; index += 1) textOf(body(`${index}${'x'.repeat(1_000_000)}`), 'owner');
    const again = textOf(body(text), 'owner');
    expect(again?.text).toBe(text);
    expect(again).not.toBe(first);
  });

  test('is not kept where it would take the place of most others', () => {
    const huge = 'x'.repeat(5_000_000);
    const found = textOf(body(huge), 'owner');
    expect(found?.text === huge).toBe(true);
    expect(textOf(body(huge), 'owner')).not.toBe(found);
  });
});
