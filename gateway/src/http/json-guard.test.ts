// The guard passes all JSON of an ordinary size unchanged, and stops everything else before it costs time.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { parseExactJson, stringifyExactJson } from '../platform/exact-json.ts';
import { LongTask, takeTurn } from '../platform/turns.ts';
import { readDocument } from './body.ts';
import { SLICE_BYTES, scanJson, scanLongJson } from './json-guard.ts';

const scan = (text: string): readonly number[] => scanJson(Buffer.from(text)).spans;

const scanLong = async (text: string): Promise<readonly number[]> =>
  (await scanLongJson(Buffer.from(text), new LongTask('somebody', SLICE_BYTES))).spans;

async function roundTrip(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  return stringifyExactJson(parseExactJson(bytes, scanJson(bytes).spans));
}

/**
 * JSON in which every string and number is awkward: quotes, backslashes, brackets inside strings, both sides of 2^53.
 */
const awkwardString = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', '7', 'é', '😀', '\n', 'a') });
const awkwardNumber = fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }), fc.maxSafeInteger());
const { value: awkwardJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    awkwardString,
    awkwardNumber,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(awkwardString, tie('value'), { maxKeys: 5 }),
  ),
}));

describe('the guard before the parser', () => {
  test('64 levels pass and 65 do not', () => {
    expect(scan('['.repeat(64) + ']'.repeat(64))).toEqual([]);
    expect(() => scan('['.repeat(65) + ']'.repeat(65))).toThrow(ApiError);
    expect(() => scan('{"a":'.repeat(65))).toThrow(/deeper than 64/);
  });

  test('200,000 elements pass and one more does not, in a body that is read in slices', async () => {
    const list = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;
    await expect(scanLong(list(200_001))).resolves.toEqual([]);
    await expect(scanLong(list(200_003))).rejects.toThrow(/more than 200000/);
  });

  test('brackets, commas and quotes inside strings do not count, however long the string', async () => {
    const inner = '[{,:\\"\\\\'.repeat(60_000);
    await expect(scanLong(`{"a":"${inner}","b":[1]}`)).resolves.toEqual([5, inner.length + 7]);
    await expect(scanLong(`{"a":"${inner}","b":${'['.repeat(65)}`)).rejects.toThrow(/deeper/);
  });

  test('a string that ends anywhere around a slice boundary is followed to its end', async () => {
    for (let shift = -3; shift <= 3; shift++) {
      const filler = 'x'.repeat(262_144 - 8 + shift);
      await expect(scanLong(`{"a":"${filler}\\"","b":${'['.repeat(64)}`)).rejects.toThrow(/deeper/);
      const whole = `{"a":"${filler}\\\\","b":${'['.repeat(10)}`;
      await expect(scanLong(whole)).resolves.toEqual([5, whole.indexOf(',"b"')]);
    }
  });

  test('a large body is checked with turns for others in between', async () => {
    let turns = 0;
    const counter = setInterval(() => {
      turns += 1;
    }, 0);
    await scanLong(`[${'1.5 ,'.repeat(150_000)}${' '.repeat(9_000_000)}0]`);
    clearInterval(counter);
    expect(turns).toBeGreaterThan(5);
  });

  test('integers that a double cannot hold are found, other numbers are not', () => {
    const text =
      '{"a":9007199254740991,"b":9007199254740993,"c":"9007199254740993","d":[-9223372036854775808,1.0000000000000000001]}';
    const spans = scan(text) as number[];
    expect(spans).toHaveLength(4);
    expect(text.slice(spans[0], spans[1])).toBe('9007199254740993');
    expect(text.slice(spans[2], spans[3])).toBe('-9223372036854775808');
  });

  test('what only looks like a large integer stays for the parser to refuse', () => {
    for (const text of [
      '{12345678901234567890:1}',
      '{12345678901234567890 : 1}',
      '[012345678901234567890]',
      '[--1234567890123456789]',
    ]) {
      const bytes = Buffer.from(text);
      expect(() => parseExactJson(bytes, scan(text) as readonly number[])).toThrow(SyntaxError);
    }
  });

  test('a number out of range is refused inside, and left to its validator in the body itself', () => {
    expect(() => scan('{"logit_bias":{"1":1e999}}')).toThrow(/out of range/);
    expect(() => scan('{"a":[-1E+400]}')).toThrow(/out of range/);
    expect(scan('{"max_tokens":1e999}')).toEqual([]);
    expect(scan('{"a":[1e308]}')).toEqual([]);
  });

  test('a number of absurd length is refused', () => {
    expect(() => scan(`[${'9'.repeat(129)}]`)).toThrow(/too long/);
  });

  test('JSON goes through unchanged in meaning', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardJson, fc.constantFrom(0, 1), async (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(await roundTrip(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('integers of any size come out digit for digit, between text of any kind', async () => {
    const integers = fc.array(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(integers, awkwardString, async (values, text) => {
        const literals = values.map(String).join(',');
        const key = JSON.stringify(`k${text}`);
        const body = `{"seed":${values[0]},${key}:[${literals}],"text":${JSON.stringify(text)}}`;
        expect(await roundTrip(body)).toBe(body);
      }),
      { numRuns: 300 },
    );
  });

  test('a copy of the body keeps its large integers, whatever was changed around them', async () => {
    const bytes = Buffer.from('{"model":"a","seed":18446744073709551615,"tools":[{"maximum":9223372036854775807}]}');
    const body = parseExactJson(bytes, scanJson(bytes).spans) as Record<string, unknown>;
    expect(stringifyExactJson({ ...structuredClone(body), model: 'b' })).toBe(
      '{"model":"b","seed":18446744073709551615,"tools":[{"maximum":9223372036854775807}]}',
    );
  });

  test('a long body with long strings anywhere is read as the parser reads it', async () => {
    const padding = 'p'.repeat(262_144);
    const long = fc.tuple(awkwardString, fc.constantFrom(1, 20_000)).map(([text, times]) => text.repeat(times));
    await fc.assert(
      fc.asyncProperty(awkwardJson, long, long, async (value, one, other) => {
        const body = { padding, [`k${one}`]: [value, { one, [`other${other.slice(0, 40_000)}`]: other }], one };
        const text = JSON.stringify(body);
        const { json } = await readDocument(Buffer.from(text), 'somebody');
        // Integers that a double cannot hold are exact in the document, and not equal to what the parser makes of them.
        expect(JSON.parse(stringifyExactJson(json))).toEqual(JSON.parse(text));
      }),
      { numRuns: 60, examples: [[Number.MAX_SAFE_INTEGER + 1, '', '']] },
    );
  });

  test('a long body whose long string is not valid is refused with 400', async () => {
    const long = 'x'.repeat(300_000);
    for (const fault of ['\n', '\\x', '\\u12', '\u0000']) {
      for (const text of [fault + long, long + fault]) {
        await expect(async () => readDocument(Buffer.from(`{"a":"${text}"}`), 'somebody')).rejects.toThrow(
          'not valid JSON',
        );
      }
    }
    for (const rest of ['', '"', '"]', '":1}', '" 1}', '","a"}']) {
      await expect(async () => readDocument(Buffer.from(`{"a":"${long}${rest}`), 'somebody')).rejects.toThrow(
        'not valid JSON',
      );
    }
  });

  test('a long body is read in slices, and means the same', async () => {
    const long = 'é𝄞"\\'.repeat(150_000);
    const body = { long, seed: 1, list: [long.slice(0, 100_001)] };
    const bytes = Buffer.from(
      JSON.stringify(body).replace('"seed":1', '"seed":18446744073709551615,"next":-9223372036854775809'),
    );
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await takeTurn('somebody else');
    })();
    const { json } = await readDocument(bytes, 'somebody');
    isOver = true;
    await others;
    expect(json).toEqual({ ...body, seed: 18446744073709551615n, next: -9223372036854775809n });
    // Other work has a turn after each slice of the scan and of the parsing.
    expect(turns).toBeGreaterThanOrEqual(2 * Math.floor(bytes.length / 262_144));
    const hostile = { a: [{ ['__proto__']: 1 }], long };
    await expect(async () => readDocument(Buffer.from(JSON.stringify(hostile)), 'somebody')).rejects.toThrow(
      '__proto__',
    );
  });
});
