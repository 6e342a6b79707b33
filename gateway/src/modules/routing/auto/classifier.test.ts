// The scoring with the words and weights that are shipped: which tiers the needs exclude, how the context counts, and
// what the result contains.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AUTO_TIERS, type AutoTier } from '../../../contract/config.ts';
import { readWeights, readWords } from './auto-data.ts';
import { createClassifier } from './classifier.ts';
import type { AutoInput } from './signals.ts';

const classifier = createClassifier(readWords(), readWeights());
const NO_NEEDS = { tools: false, imageInput: false, videoInput: false, imageOutput: false };

const input = (changes: Partial<AutoInput>): AutoInput => ({
  text: '',
  context: '',
  needs: NO_NEEDS,
  messageCount: 1,
  promptTokens: 20,
  ...changes,
});
const tierOf = (changes: Partial<AutoInput>): AutoTier => classifier.classify(input(changes)).tier;

describe('AUTO-02 what a request needs rules tiers out, whatever it says', () => {
  const coding = 'Refactor this Python function and fix the failing unit test.';

  test('a picture to make', () => {
    expect(tierOf({ text: coding, needs: { ...NO_NEEDS, imageOutput: true } })).toBe('image');
  });
  test('a video to watch', () => {
    expect(tierOf({ text: coding, needs: { ...NO_NEEDS, videoInput: true } })).toBe('video');
  });
  test('a picture to look at', () => {
    expect(tierOf({ text: coding, needs: { ...NO_NEEDS, imageInput: true } })).toBe('vision');
    expect(tierOf({ text: '', needs: { ...NO_NEEDS, imageInput: true } })).toBe('vision');
  });
  test('a picture to change is a picture to make', () => {
    const text = 'Turn this photo into a watercolor illustration and remove the background.';
    expect(tierOf({ text, needs: { ...NO_NEEDS, imageInput: true } })).toBe('image');
  });
  test('with only one tier left there is no doubt', () => {
    const needs = { ...NO_NEEDS, imageOutput: true };
    expect(classifier.classify(input({ text: 'hm', needs })).confidence).toBe(1);
  });
});

test('AUTO-02 a count of people is no picture to look at', () => {
  expect(tierOf({ text: 'What is the capital of France, and how many people live there?' })).toBe('simple');
});

test('what frames a request decides where its own words do not', () => {
  const text = 'now do the same for the other two';
  const tools = { ...NO_NEEDS, tools: true };
  const context = 'You are a coding agent in a repository. read file run terminal apply patch git';
  expect(tierOf({ text, context, needs: tools, messageCount: 12 })).toBe('coding');
  expect(tierOf({ text })).not.toBe('coding');
});

test('the beginning and the end of a long text count, its middle does not', () => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(500);
  const request = ' Write a Python function with unit tests and a Dockerfile. ';
  expect(tierOf({ text: request + filler })).toBe('coding');
  expect(tierOf({ text: filler + request })).toBe('coding');
  expect(tierOf({ text: filler + request + filler })).not.toBe('coding');
});

test('the answer names the signals that decided, the strongest first, and none of the words', () => {
  const secret = 'Kowalczyk';
  const { tier, signals } = classifier.classify(input({ text: `Write an email to ${secret} about the invoice.` }));
  expect(tier).toBe('email');
  expect(signals[0]?.name).toMatch(/^(?:mail|letter)/);
  expect(signals.length).toBeLessThanOrEqual(5);
  expect(signals.map(({ weight }) => weight)).toEqual(signals.map(({ weight }) => weight).sort((a, b) => b - a));
  expect(JSON.stringify(signals)).not.toContain(secret);
});

test('a text that ends where a longer one went on is read to its own end', () => {
  const answer = classifier.classify(input({ text: 'key_' }));
  classifier.classify(input({ text: 'key_name' }));
  expect(classifier.classify(input({ text: 'key_' }))).toEqual(answer);
});

test('the same request has the same answer, whatever came before it; nothing breaks it', () => {
  const anyInput = fc.record({
    text: fc.oneof(fc.string({ unit: 'binary', maxLength: 6_000 }), fc.string({ maxLength: 300 })),
    context: fc.string({ unit: 'binary', maxLength: 1_000 }),
    needs: fc.record({
      tools: fc.boolean(),
      imageInput: fc.boolean(),
      videoInput: fc.boolean(),
      imageOutput: fc.boolean(),
    }),
    messageCount: fc.nat(),
    promptTokens: fc.nat(),
  });
  fc.assert(
    fc.property(anyInput, anyInput, (first, other) => {
      const answer = classifier.classify(first);
      classifier.classify(other);
      expect(classifier.classify(first)).toEqual(answer);
      expect(AUTO_TIERS).toContain(answer.tier);
      expect(answer.confidence).toBeGreaterThanOrEqual(0.5);
      expect(answer.confidence).toBeLessThanOrEqual(1);
    }),
    { numRuns: 60 },
  );
});

test('weights of a signal that nothing reads are refused at start', () => {
  const weights = {
    tiers: [...AUTO_TIERS],
    bias: AUTO_TIERS.map(() => 0),
    weights: { nosuch: AUTO_TIERS.map(() => 0) },
  };
  expect(() => createClassifier([{ greeting: ['hi'] }], weights)).toThrow('still read');
});

test('without any signal the first tier wins, every time', () => {
  const even = createClassifier([{ greeting: ['hi'] }], {
    tiers: [...AUTO_TIERS],
    bias: AUTO_TIERS.map(() => 0),
    weights: {},
  });
  expect(even.classify(input({ text: 'anything' }))).toEqual({ tier: 'simple', confidence: 0.5, signals: [] });
});
