// An upstream's counts decide what is charged. Counts that this protocol states separately must be added once, and
// repeated counts must not be added up.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zeroUsage } from '../../../canonical/usage.ts';
import { readUsage, UsageTally } from './convert-usage.ts';

function tally(...records: unknown[]) {
  const all = new UsageTally();
  for (const record of records) all.add(record);
  return all.usage;
}

test('CHAT-41 BILL-06 what was read from and written to the cache joins the prompt, once', () => {
  const record = {
    input_tokens: 10,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 200,
    output_tokens: 7,
  };
  expect(readUsage(record)).toEqual({
    ...zeroUsage,
    promptTokens: 1_210,
    cachedTokens: 1_000,
    cacheWriteTokens: 200,
    completionTokens: 7,
  });
});

test('BILL-10 thinking is part of the output and never more than it', () => {
  const record = (thinking: number) => ({ output_tokens: 50, output_tokens_details: { thinking_tokens: thinking } });
  expect(readUsage(record(30))).toMatchObject({ completionTokens: 50, reasoningTokens: 30 });
  expect(readUsage(record(80))).toMatchObject({ completionTokens: 50, reasoningTokens: 50 });
  expect(readUsage({ output_tokens: 50, output_tokens_details: null })).toMatchObject({ reasoningTokens: 0 });
});

test('USG-2 F22 no record is no usage, a record of zeros is zero usage', () => {
  expect(readUsage(undefined)).toBeNull();
  expect(readUsage(null)).toBeNull();
  expect(readUsage({})).toEqual(zeroUsage);
  expect(readUsage({ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: null })).toEqual(zeroUsage);
});

test('USG-3 F27 records of one stream are cumulative: never summed, and what is left out stays', () => {
  const start = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 1 };
  const expected = { ...zeroUsage, promptTokens: 115, cachedTokens: 100, cacheWriteTokens: 5, completionTokens: 40 };
  expect(tally(start, { output_tokens: 40 })).toEqual(expected);
  expect(tally(start, { ...start, output_tokens: 40 })).toEqual(expected);
  expect(tally(start, { output_tokens: 20 }, { output_tokens: 40 }, { output_tokens: 40 })).toEqual(expected);
  expect(tally(start, { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 })).toEqual(expected);
  expect(tally({ input_tokens: 0, output_tokens: 0 }, { ...start, output_tokens: 40 })).toEqual(expected);
});

test('BILL-09 what the prompt came to may be an estimate at the start, and the last word on it counts', () => {
  const estimate = { input_tokens: 130, output_tokens: 0 };
  const last = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: null, output_tokens: 40 };
  const expected = { ...zeroUsage, promptTokens: 110, cachedTokens: 100, completionTokens: 40 };
  expect(tally(estimate, last)).toEqual(expected);
  expect(tally(estimate, { ...last, input_tokens: 0 })).toEqual({ ...expected, promptTokens: 100 });
});

const turn = (type: string, inputTokens: number, outputTokens: number, more: object = {}) => ({
  type,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  ...more,
});

const tokens = (promptTokens: number, completionTokens: number) => ({ ...zeroUsage, promptTokens, completionTokens });

test('BILL-06 turns that summarized the conversation are billed, though the totals leave them out', () => {
  const record = {
    ...turn('', 220, 8),
    iterations: [turn('compaction', 55_000, 125), turn('message', 220, 8)],
  };
  const expected = {
    ...tokens(55_220, 133),
    turns: [
      { kind: 'own', usage: tokens(55_000, 125) },
      { kind: 'own', usage: tokens(220, 8) },
    ],
  };
  expect(readUsage(record)).toEqual(expected);
  // A stream's first record knows the prompt before it was summarized.
  expect(tally({ input_tokens: 55_000, output_tokens: 2 }, record)).toEqual(expected);
  // An answer that ended with the summary has nothing in its totals.
  const paused = { ...turn('', 0, 0), iterations: [turn('compaction', 83_000, 139)] };
  expect(readUsage(paused)).toMatchObject({ promptTokens: 83_000, completionTokens: 139 });
});

test('BILL-06 the cache of each turn is added up', () => {
  const cache = { cache_read_input_tokens: 1_000, cache_creation_input_tokens: 100 };
  const hour = { cache_creation: { ephemeral_1h_input_tokens: 60 } };
  const usage = readUsage({
    ...turn('', 10, 5),
    iterations: [turn('compaction', 10, 5, { ...cache, ...hour }), turn('message', 10, 5, cache)],
  });
  expect(usage).toMatchObject({
    promptTokens: 2_220,
    cachedTokens: 2_000,
    cacheWriteTokens: 200,
    completionTokens: 10,
  });
  expect(usage?.units).toEqual({ cacheWriteHourTokens: 60 });
});

test('BILL-06 turns of another model name it, and a turn that was declined without a word is none', () => {
  const advised = {
    ...turn('', 2_400, 121),
    iterations: [
      turn('message', 1_100, 110),
      turn('advisor_message', 2_500, 22, { model: 'wise-1' }),
      turn('message', 1_300, 11),
    ],
  };
  expect(readUsage(advised)).toEqual({
    ...tokens(2_400, 121),
    turns: [
      { kind: 'own', usage: tokens(1_100, 110) },
      { kind: 'advice', upstreamModel: 'wise-1', usage: tokens(2_500, 22) },
      { kind: 'own', usage: tokens(1_300, 11) },
    ],
  });
  const replaced = {
    ...turn('', 412, 264),
    iterations: [turn('message', 408, 0), turn('fallback_message', 412, 264, { model: 'other-1' })],
  };
  expect(readUsage(replaced)).toEqual({
    ...tokens(412, 264),
    turns: [{ kind: 'substitute', upstreamModel: 'other-1', usage: tokens(412, 264) }],
  });
});

test('BILL-06 several turns of the called model alone are what the totals say', () => {
  const record = { ...turn('', 300, 30), iterations: [turn('message', 100, 10), turn('message', 200, 20)] };
  expect(readUsage(record)).toEqual(tokens(300, 30));
});

test('USG-1 a list of turns that is none makes the record worthless', () => {
  for (const iterations of [
    {},
    'x',
    [5],
    [null],
    [turn('compaction', -1, 0)],
    Array.from({ length: 1_001 }, () => turn('message', 1, 1)),
  ]) {
    expect(readUsage({ ...turn('', 10, 10), iterations })).toBeNull();
  }
});

test('USG-1 F25 a count that is none makes the record, and the whole stream, worthless', () => {
  const hostile = [-1, 0.5, '5', true, [], {}, 2 ** 40 + 1, 1e308, Number.POSITIVE_INFINITY, Number.NaN, 10n];
  const places: readonly ((value: unknown) => object)[] = [
    (value) => ({ input_tokens: value }),
    (value) => ({ output_tokens: value }),
    (value) => ({ cache_read_input_tokens: value }),
    (value) => ({ cache_creation_input_tokens: value }),
    (value) => ({ output_tokens_details: { thinking_tokens: value } }),
  ];
  const honest = { input_tokens: 10, output_tokens: 10 };
  for (const place of places) {
    for (const value of hostile) {
      expect(readUsage({ ...honest, ...place(value) })).toBeNull();
      expect(tally({ ...honest, ...place(value) }, honest)).toBeNull();
      expect(tally(honest, { ...honest, ...place(value) })).toBeNull();
    }
  }
  for (const value of ['', 'x', 5, true, [], [{}]]) expect(readUsage(value)).toBeNull();
});

test('USG-1 whatever arrives, every number that leaves is a safe count within its whole', () => {
  const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  const value = fc.oneof(fc.nat(2 ** 30), fc.double(), fc.jsonValue({ maxDepth: 1 }));
  const records = fc.array(fc.dictionary(fc.constantFrom(...names, 'output_tokens_details'), value), { maxLength: 4 });
  fc.assert(
    fc.property(records, (list) => {
      const usage = tally(...list);
      if (usage === null) return;
      for (const count of Object.values(usage) as number[])
        expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
      expect(usage.cachedTokens + usage.cacheWriteTokens).toBeLessThanOrEqual(usage.promptTokens);
      expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens);
    }),
    { numRuns: 500 },
  );
});
