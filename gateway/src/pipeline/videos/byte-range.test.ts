// Which bytes a header means, for every file and every header: exactly those are sent.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isAnswerTo,
  parseContentRange,
  parseRange,
  rangeHeader,
  rangeWithin,
  unsatisfiedLength,
} from './byte-range.ts';

describe('VID-25 parseRange', () => {
  test.each([
    [undefined, { kind: 'whole' }],
    ['bytes=0-', { kind: 'from', first: 0, last: null }],
    ['bytes=3-7', { kind: 'from', first: 3, last: 7 }],
    ['bytes=-5', { kind: 'suffix', length: 5 }],
    ['bytes=7-3', { kind: 'invalid' }],
    ['bytes=-0', { kind: 'invalid' }],
    ['bytes=1e3-', { kind: 'invalid' }],
    ['bytes=0x1-', { kind: 'invalid' }],
    ['bytes=99999999999999999999-', { kind: 'invalid' }],
    ['bytes=3-99999999999999999999', { kind: 'from', first: 3, last: 999_999_999_999_999 }],
    ['bytes=-99999999999999999999', { kind: 'suffix', length: 999_999_999_999_999 }],
    ['bytes=-', { kind: 'invalid' }],
    ['bytes=0-1,3-4', { kind: 'whole' }],
    ['pages=1-2', { kind: 'whole' }],
  ])('%s', (header, expected) => {
    expect(parseRange(header)).toEqual(expected);
  });
});

test('VID-25 what is within a file is never outside of it, and is what the header says', () => {
  const range = fc.oneof(
    fc.record({ kind: fc.constant('from' as const), first: fc.nat(200), last: fc.option(fc.nat(400)) }),
    fc.record({ kind: fc.constant('suffix' as const), length: fc.integer({ min: 1, max: 400 }) }),
  );
  fc.assert(
    fc.property(range, fc.nat(250), (asked, length) => {
      fc.pre(asked.kind === 'suffix' || asked.last === null || asked.last >= asked.first);
      expect(parseRange(rangeHeader(asked) ?? undefined)).toEqual(asked);
      const within = rangeWithin(asked, length);
      const bytes = Array.from({ length }, (_, index) => index);
      const wanted =
        asked.kind === 'suffix' ? bytes.slice(-asked.length) : bytes.slice(asked.first, (asked.last ?? length) + 1);
      expect(within === null ? [] : bytes.slice(within.first, within.last + 1)).toEqual(wanted);
      if (within !== null) expect(isAnswerTo(asked, { ...within, length })).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("VID-25 a stranger's word on what it sends is checked", () => {
  expect(parseContentRange('bytes 0-9/10')).toEqual({ first: 0, last: 9, length: 10 });
  expect(parseContentRange('bytes 0-9/*')).toEqual({ first: 0, last: 9, length: null });
  for (const lie of ['bytes 9-0/10', 'bytes 0-10/10', 'bytes 0-9', 'bytes */10', 'bytes -1-3/10', 'items 0-9/10', '']) {
    expect(parseContentRange(lie), lie).toBeNull();
  }
  expect(unsatisfiedLength('bytes */10')).toBe(10);
  expect(unsatisfiedLength('bytes 0-9/10')).toBeNull();
  const asked = parseRange('bytes=5-7');
  expect(isAnswerTo(asked, { first: 5, last: 6, length: 7 })).toBe(true);
  expect(isAnswerTo(asked, { first: 4, last: 7, length: 10 })).toBe(false);
  expect(isAnswerTo(asked, { first: 5, last: 9, length: 10 })).toBe(false);
});
