// The input that is read in pieces is the one that is read at once, wherever the arguments are cut.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CustomInputReader } from './custom-input.ts';
import { customInput } from './custom-tools.ts';

function readIn(pieces: readonly string[]): readonly string[] {
  const reader = new CustomInputReader();
  return [...pieces.map((piece) => reader.push(piece)), reader.end()];
}

const letters = fc.array(fc.constantFrom('a', '"', '\\', '\n', '/', '\u0001', 'é', '👩', 'u', '{', '}'));

test('any input, with its letters escaped or not', () => {
  fc.assert(
    fc.property(
      letters,
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      (list, isEscaped, size, isWide) => {
        const input = list.join('');
        const body = JSON.stringify({ input }, null, isWide ? 2 : 0);
        const units = (text: string) => [...Array(text.length).keys()].map((place) => text.charCodeAt(place));
        const escaped = units(body).map((code) =>
          isEscaped && code > 126 ? `\\u${code.toString(16).padStart(4, '0')}` : String.fromCharCode(code),
        );
        const written = escaped.join('');
        const pieces = written.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        const read = readIn(pieces);
        expect(read.join('')).toBe(input);
        for (const piece of read) expect(piece).not.toMatch(/[\ud800-\udbff]$/);
      },
    ),
  );
});

test.each(['{}', '', '{"other":1}', '*** Begin', '{"input":5}', '{ "in', '["input"]', '{"input":"x","more":1}'])(
  'what a model writes instead: %s',
  (written) => {
    expect(readIn([...written]).join('')).toBe(customInput(written));
  },
);

test('it is given as it comes, and an input that was cut off as far as it came', () => {
  expect(readIn(['{"input":"a', 'b\\', 'nc', '\\u00'])).toEqual(['a', 'b', '\nc', '', '']);
  expect(readIn(['{"input":"a\\q"}'])).toEqual(['a\\q', '']);
});
