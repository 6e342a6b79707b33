// Usage that a stranger states as seconds, tokens or cost; it is ignored when one of the figures is invalid.

import { describe, expect, test } from 'vitest';
import { zeroUsage } from '../canonical/usage.ts';
import { readStatedUsage } from './read-stated-usage.ts';

test('AUD-03 each way of counting', () => {
  expect(readStatedUsage({ type: 'duration', seconds: 9 })).toEqual({ ...zeroUsage, units: { audioMs: 9_000 } });
  expect(readStatedUsage({ seconds: 1.2345 })).toMatchObject({ units: { audioMs: 1_235 } });
  expect(
    readStatedUsage({
      input_tokens: 30,
      input_token_details: { audio_tokens: 28 },
      output_tokens: 12,
      total_tokens: 42,
    }),
  ).toMatchObject({ promptTokens: 30, completionTokens: 12, promptAudioTokens: 28 });
  const beside = { prompt_audio_seconds: 203, prompt_tokens: 4, completion_tokens: 635, total_tokens: 3_264 };
  expect(readStatedUsage(beside)).toMatchObject({
    ...{ promptTokens: 2_629, completionTokens: 635 },
    units: { audioMs: 203_000 },
  });
  expect(readStatedUsage({ ...beside, prompt_audio_seconds: {} })).toMatchObject({ promptTokens: 2_629 });
  expect(readStatedUsage({ cost: 0.0042, seconds: 10 })).toMatchObject({ statedCostNanoUsd: 4_200_000n });
});

test('AUD-03 a cost is exact to the nano-USD, and rounded there', () => {
  expect(readStatedUsage({ cost: 0.000000001 })?.statedCostNanoUsd).toBe(1n);
  expect(readStatedUsage({ cost: 0.1 + 0.2 })?.statedCostNanoUsd).toBe(300_000_000n);
  expect(readStatedUsage({ cost: 1e-7 })?.statedCostNanoUsd).toBe(100n);
  expect(readStatedUsage({ cost: 0 })?.statedCostNanoUsd).toBe(0n);
  expect(readStatedUsage({ cost: 1e300 })?.statedCostNanoUsd).toBe(1_000_000_000_000_000n);
});

describe('USG-1 F25 one figure that is none makes the record worthless', () => {
  test.each([
    { cost: -0.01 },
    { cost: '0.01' },
    { cost: Number.NaN },
    { cost: {} },
    { seconds: -1, cost: 0.01 },
    { seconds: '9' },
    { input_tokens: 1.5, cost: 0.01 },
    { output_tokens: -1 },
    { prompt_tokens: 2 ** 41 },
    { prompt_audio_seconds: -1 },
    { total_tokens: 0.5 },
  ])('%j', (record) => {
    expect(readStatedUsage(record)).toBeNull();
  });

  test('USG-2 no record is none, and an empty one is zero', () => {
    expect(readStatedUsage(null)).toBeNull();
    expect(readStatedUsage({})).toEqual(zeroUsage);
  });
});
