// Every match is replaced, overlapping ones once, a match over several parts in each of them, and nothing else changes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redaction } from './redact.ts';

const span = (start: number, end: number, passage = 0) => ({ passage, start, end });

function redact(parts: readonly (readonly string[])[], spans: readonly ReturnType<typeof span>[]): string[][] {
  const passages = parts.map((list) => ({ origin: 'user' as const, parts: list }));
  const replace = redaction(passages, spans);
  return parts.map((list) => list.map((part) => replace(part)));
}

test.each<[string, readonly ReturnType<typeof span>[], string]>([
  ['one match', [span(4, 7)], 'one [REDACTED] three'],
  ['several', [span(8, 13), span(0, 3)], '[REDACTED] two [REDACTED]'],
  ['overlapping', [span(0, 5), span(4, 7)], '[REDACTED] three'],
  ['one inside another', [span(0, 13), span(4, 7)], '[REDACTED]'],
  ['neighbours, which stay two', [span(0, 3), span(3, 7)], '[REDACTED][REDACTED] three'],
  ['none', [], 'one two three'],
])('FILT-05 %s', (_, spans, expected) => {
  expect(redact([['one two three']], spans)).toEqual([[expected]]);
});

test('FILT-05 over parts, and by passage', () => {
  expect(redact([['ab', 'cd', 'ef'], ['gh']], [span(1, 5), span(0, 1, 1)])).toEqual([
    ['a[REDACTED]', '[REDACTED]', '[REDACTED]f'],
    ['[REDACTED]h'],
  ]);
});

test('FILT-05 what is left is what was not matched', () => {
  const parts = fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 5 });
  const ranges = fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 8 })), { maxLength: 6 });
  fc.assert(
    fc.property(parts, ranges, (texts, list) => {
      const whole = texts.join('');
      const spans = list
        .map(([start, length]) => span(start, Math.min(whole.length, start + length)))
        .filter(({ start, end }) => start < end);
      const kept = [...Array(whole.length).keys()]
        .filter((place) => !spans.some(({ start, end }) => place >= start && place < end))
        .map((place) => whole[place])
        .join('');
      expect(redact([texts], spans).flat().join('').replaceAll('[REDACTED]', '')).toBe(kept);
    }),
  );
});
