// Arguments that a caller sends back are text and may be anything; the encoded object always keeps them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { parseArguments } from './parse-arguments.ts';

test('TOOL-06 an object is the object, nothing is the empty one', () => {
  expect(parseArguments('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
  expect(parseArguments('')).toEqual({});
  expect(parseArguments(' \n')).toEqual({});
});

test('what is no object keeps its text', () => {
  for (const text of ['{"a":', 'null', '[1]', '"x"', '5', 'get_weather(Paris)', '{"a":1}}', '{a:1}', '"{']) {
    expect(parseArguments(text)).toEqual({ INVALID_JSON: text });
  }
});

test('CHAT-09 integers that a number cannot hold stay exact, in strings and elsewhere', () => {
  const text =
    '{"id":9007199254740993,"x":[-12345678901234567890,0.1234567890123456789],"s":"\\"9007199254740993","ü":1}';
  expect(stringifyExactJson(parseArguments(text))).toBe(text.replace('0.1234567890123456789', '0.12345678901234568'));
});

test('nesting and size beyond all reason are kept as text, at once', () => {
  for (const text of [
    `{"a":${'['.repeat(1_000_000)}`,
    `{"a":${'['.repeat(65)}${']'.repeat(65)}}`,
    `{"a":[${'{},'.repeat(300_000)}{}]}`,
  ]) {
    expect(parseArguments(text)).toEqual({ INVALID_JSON: text });
  }
});

test('every JSON object comes out as it went in', () => {
  const key = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.jsonValue({ maxDepth: 4 })),
      fc.constantFrom(undefined, 2),
      (value, indentation) => {
        const text = JSON.stringify(value, null, indentation);
        expect(JSON.parse(stringifyExactJson(parseArguments(text)))).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 500 },
  );
});

test('no text of any kind throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '-', '1', 'e', '.', 'ü') }),
      (text) => {
        expect(typeof parseArguments(text)).toBe('object');
      },
    ),
    { numRuns: 2_000 },
  );
});
