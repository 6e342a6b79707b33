// The labelled prompts, and how often the auto router is right on those it has not learnt from. A failure here means
// that words, signals or prompts were changed without fitting the weights again, or for the worse; `npm run bench:auto`
// shows which.

import { describe, expect, test } from 'vitest';
import { loadClassifier, measureAccuracy } from '../../../bench/src/auto-accuracy.ts';
import { isHeldOut, readPrompts } from '../../../bench/src/auto-prompts.ts';
import { AUTO_TIERS } from '../../src/contract/config.ts';

const prompts = readPrompts();
const heldOut = prompts.filter(isHeldOut);
const accuracy = measureAccuracy(loadClassifier(), heldOut);
const share = ({ right, all }: { right: number; all: number }): number => right / all;

describe('the labelled prompts', () => {
  test('are many, each tier has its share, and six languages are in every tier', () => {
    expect(prompts.length).toBeGreaterThanOrEqual(700);
    for (const tier of AUTO_TIERS) {
      const ofTier = prompts.filter((prompt) => prompt.tier === tier);
      expect(ofTier.length).toBeGreaterThanOrEqual(50);
      expect(new Set(ofTier.map(({ language }) => language)).size).toBeGreaterThanOrEqual(6);
    }
  });

  test('are all different', () => {
    expect(new Set(prompts.map(({ text }) => text)).size).toBe(prompts.length);
  });

  test('are held out by more than a quarter, in every tier', () => {
    expect(heldOut.length / prompts.length).toBeGreaterThan(0.25);
    for (const tier of AUTO_TIERS) {
      expect(heldOut.filter((prompt) => prompt.tier === tier).length).toBeGreaterThanOrEqual(10);
    }
  });
});

describe('AUTO-02 prompts that were not learnt from', () => {
  test('are scored into their tier at least 85 times in 100, promoted ones included', () => {
    expect(share(accuracy.scored)).toBeGreaterThanOrEqual(0.85);
    expect(share(accuracy.promoted)).toBeGreaterThanOrEqual(0.85);
  });

  test.each([...accuracy.byLanguage])('at least 80 times in 100 in %s', (_language, ofLanguage) => {
    expect(share(ofLanguage)).toBeGreaterThanOrEqual(0.8);
  });

  test.each([...accuracy.byTier])('at least 70 times in 100 for %s', (_tier, ofTier) => {
    expect(share(ofTier)).toBeGreaterThanOrEqual(0.7);
  });
});
