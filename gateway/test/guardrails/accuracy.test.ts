// The phrases against the labelled texts: what must be caught is, what only looks like it is not, and a change of the
// phrases cannot quietly make either worse. `npm run bench:guardrails` prints the same figures in full.

import { describe, expect, test } from 'vitest';
import {
  alarmRate,
  measureInjections,
  measureModeration,
  precision,
  recall,
  totalOf,
} from '../../../bench/src/guardrails-accuracy.ts';
import { isHeldOut, readSets } from '../../../bench/src/guardrails-sets.ts';

describe('FILT-01 moderation', () => {
  const texts = readSets('moderation');

  test('the labelled set is large enough', () => {
    expect(texts.filter(({ isViolating }) => isViolating).length).toBeGreaterThanOrEqual(400);
    expect(texts.filter(({ isViolating }) => !isViolating).length).toBeGreaterThanOrEqual(400);
    expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length);
  });

  test('held out', () => {
    const held = totalOf(measureModeration(texts.filter(isHeldOut)));
    expect(recall(held)).toBeGreaterThan(0.95);
    expect(precision(held)).toBeGreaterThan(0.97);
  });

  test('written after the phrases', () => {
    const unseen = totalOf(measureModeration(readSets('moderation-unseen')));
    expect(recall(unseen)).toBeGreaterThan(0.85);
    expect(alarmRate(unseen)).toBeLessThan(0.03);
  });
});

describe('FILT-10 prompt injection', () => {
  const texts = readSets('injections');

  test('the labelled set is large enough, in six languages', () => {
    expect(texts.filter(({ isViolating }) => isViolating).length).toBeGreaterThanOrEqual(300);
    expect(texts.filter(({ isViolating }) => !isViolating).length).toBeGreaterThanOrEqual(300);
    expect(new Set(texts.map(({ set }) => set)).size).toBe(6);
    expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length);
  });

  test.each([
    ['held out', texts.filter(isHeldOut)],
    ['written after the phrases', readSets('injections-unseen')],
  ])('at least 90 %% caught, under 2 %% false alarms: %s', (_, part) => {
    const counts = totalOf(measureInjections(part));
    expect(recall(counts)).toBeGreaterThanOrEqual(0.9);
    expect(alarmRate(counts)).toBeLessThan(0.02);
  });
});
