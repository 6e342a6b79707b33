// A filtered stream has the same text as its whole answer, however it is cut, and holds back no more than it must.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInjections } from '../guardrail-data.ts';
import { compileLexiconLater } from '../phrases/lexicon.ts';
import { createPatternPool } from '../regex/pattern-pool.ts';
import { createDataTemplates } from '../templates/all.ts';
import { createOutputReview } from './filters.ts';
import { FilterWindow } from './output-window.ts';
import type { FilterRule } from './rule.ts';
import { compileRuleSet } from './rule-set.ts';

const rule = (fields: Partial<FilterRule>): FilterRule => ({
  id: JSON.stringify(fields),
  orgId: 'org-x',
  name: 'A rule',
  type: 'keyword',
  pattern: 'blue heron',
  action: 'redact',
  appliesTo: 'output',
  isEnabled: true,
  programSize: 0,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...fields,
});

const RULES = [
  rule({ pattern: 'blue heron' }),
  rule({ type: 'template', pattern: 'credit_card' }),
  rule({ type: 'regex', pattern: 'PRJ-\\d{4}', programSize: 12 }),
];

function reviewOf(rules: readonly FilterRule[]) {
  const set = compileRuleSet('org-x', rules, createDataTemplates());
  const parts = {
    injections: compileLexiconLater(readInjections),
    matcher: { pool: createPatternPool(), inPlaceCostMax: 20_000 },
    isThorough: false,
  };
  if (set.output === null) throw new Error('no rule is about answers');
  return createOutputReview(set.output, parts, () => {});
}

const words = fc.constantFrom(
  'the ',
  'blue ',
  'heron ',
  'blue heron ',
  'bluebird, ',
  '4111 1111 1111 1111 ',
  '4111 ',
  'PRJ-1234 ',
  'PRJ-12',
  'ünï ',
  '😀',
  '\n',
);

function stream(rules: readonly FilterRule[], pieces: readonly string[]) {
  const window = reviewOf(rules).openWindow?.();
  if (window === undefined) throw new Error('there is no window');
  let shown = '';
  let heldMax = 0;
  let length = 0;
  for (const piece of pieces) {
    shown += window.push(piece);
    length += piece.length;
    heldMax = Math.max(heldMax, length - shown.length);
  }
  return { shown: shown + window.end(), heldMax, refusal: window.refusal };
}

const cut = (text: string, sizes: readonly number[]): readonly string[] => {
  const pieces: string[] = [];
  let place = 0;
  for (let next = 0; place < text.length; next += 1) {
    const size = sizes[next % sizes.length] ?? 1;
    pieces.push(text.slice(place, place + size));
    place += size;
  }
  return pieces;
};

test('FILT-05 a stream says what the whole answer would, however it is cut', () => {
  const texts = fc.array(words, { maxLength: 120 }).map((list) => list.join(''));
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (text, sizes) => {
      const whole = reviewOf(RULES).whole([{ parts: [text] }]);
      if (whole instanceof Promise) throw new Error('it takes no thread');
      const { shown } = stream(RULES, cut(text, sizes));
      expect(shown).toBe(whole.texts[0]);
    }),
    { numRuns: 60 },
  );
});

test('no more is kept back than the longest rule can reach', () => {
  const { heldMax, shown } = stream([rule({ pattern: 'heron' })], cut('a plain text goes by. '.repeat(200), [3]));
  expect(shown).toBe('a plain text goes by. '.repeat(200));
  expect(heldMax).toBeLessThan(60);
});

test('what blocks ends it, and says how much had been sent', () => {
  const text = `${'harmless words. '.repeat(20)}the blue heron flies`;
  const { shown, refusal } = stream([rule({ action: 'block' })], cut(text, [5]));
  expect(text.startsWith(shown)).toBe(true);
  expect(shown).not.toContain('blue');
  expect(refusal).toContain(`${shown.length} characters had been sent before.`);
});

test('a rule that needs a thread has no window', () => {
  expect(reviewOf([rule({ type: 'regex', pattern: 'a{400}', programSize: 400 })]).openWindow).toBeNull();
});

test('a match that goes on is read a few times over, not once for every few letters of it', () => {
  let readLength = 0;
  const grown = rule({});
  const window = new FilterWindow({
    reach: 256,
    inspect(text) {
      readLength += text.length;
      return { findings: [{ rule: grown, span: { unit: 0, start: 0, end: text.length } }], undecided: [] } as never;
    },
    isSlow: () => false,
    refusalOf: () => null,
  });
  const letters = 40_000;
  for (let place = 0; place < letters; place += 4) window.push('aaaa');
  window.end();
  expect(readLength).toBeLessThan(8 * letters);
});

test('a pattern that takes long is noticed, and the window gives back what it has not shown', () => {
  const pattern = '([^z]*a){39}';
  const window = reviewOf([rule({ type: 'regex', pattern, programSize: 199 })]).openWindow?.();
  if (window === undefined) throw new Error('there is no window');
  let shown = '';
  let length = 0;
  for (; !window.isSlow && length < 1_000_000; length += 16) shown += window.push('a'.repeat(16));
  expect(window.isSlow).toBe(true);
  expect(length).toBeLessThan(200_000);
  expect(shown.length + window.rest().kept.length).toBeLessThanOrEqual(length);
});

const LONG = rule({ type: 'regex', pattern: 'secret [a-z ]+\\.', programSize: 12 });

test.each(['redact', 'block'] as const)('%s: a match whose beginning was sent is found in the rest of it', (action) => {
  const review = reviewOf([{ ...LONG, action }]);
  const rest = `${'of the hidden place '.repeat(60)}. And more.`;
  const judged = review.whole([{ sent: 'It is the secret ', parts: [rest, ' Then.'] }]);
  if (judged instanceof Promise) throw new Error('it takes no thread');
  if (action === 'block') expect(judged.refusal).toContain('was blocked');
  else expect(judged).toEqual({ texts: ['[REDACTED] And more.', ' Then.'], refusal: null });
  const before = review.whole([{ sent: 'A secret place. And ', parts: ['more.'] }]);
  expect(before).toEqual({ texts: ['more.'], refusal: null });
});

test('a text that goes on after something else is read together with what was shown of it', () => {
  const window = reviewOf(RULES).openWindow?.();
  if (window === undefined) throw new Error('there is no window');
  expect([window.push('the blue '), window.end()].join('')).toBe('the blue ');
  expect([window.push('heron flies'), window.end()].join('')).toBe('[REDACTED] flies');
});
