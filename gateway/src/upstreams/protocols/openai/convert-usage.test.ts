// An upstream's counts decide what is charged, so a false count must never raise, lower or invent a charge.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zeroUsage } from '../../../canonical/usage.ts';
import { convertUsage, readUsage } from './convert-usage.ts';

test('USG-2 F22 no record is no usage, a record of zeros is zero usage', () => {
  expect(convertUsage(undefined)).toBeNull();
  expect(convertUsage(null)).toBeNull();
  expect(convertUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toEqual(zeroUsage);
  expect(convertUsage({})).toEqual(zeroUsage);
});

test('F24 BILL-06 input alone is counted', () => {
  expect(convertUsage({ prompt_tokens: 12, completion_tokens: 0 })).toEqual({ ...zeroUsage, promptTokens: 12 });
});

test('CHAT-37 CHAT-41 every detail is read', () => {
  const record = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 20, audio_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 30, image_tokens: 7, accepted_prediction_tokens: 1 },
  };
  expect(convertUsage(record)).toEqual({
    promptTokens: 100,
    completionTokens: 50,
    cachedTokens: 60,
    cacheWriteTokens: 20,
    reasoningTokens: 30,
    promptAudioTokens: 5,
    completionImageTokens: 7,
  });
});

test.each([
  [{ server_tool_use: { web_search_requests: 2 } }],
  [{ num_search_queries: 2 }],
  [{ plugins: { search: { count: 2, strategy: 'agent' } } }],
  [{ server_tool_use: { web_search_requests: 2 }, plugins: { search: { count: 1 } } }],
])('BILL-01 searches are read where they are counted: %j', (counted) => {
  expect(convertUsage({ prompt_tokens: 10, completion_tokens: 1, ...counted })).toMatchObject({
    units: { webSearches: 2 },
  });
});

test('BILL-09 how long a cache keeps what was written is read where it is told apart, zero included', () => {
  const record = (details: object) =>
    convertUsage({
      ...{ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
      prompt_tokens_details: { cache_creation_tokens: 60, ...details },
    });
  const split = (hour: unknown) => record({ cache_creation_token_details: { ephemeral_1h_input_tokens: hour } });
  expect(record({})).toMatchObject({ cacheWriteTokens: 60 });
  expect(record({})).not.toHaveProperty('units');
  for (const [stated, hour] of [
    [40, 40],
    [0, 0],
    [undefined, 0],
    [70, 60],
  ] as const) {
    expect(split(stated)).toMatchObject({ cacheWriteTokens: 60, units: { cacheWriteHourTokens: hour } });
  }
  expect(split(-1)).toBe('invalid');
});

test('CHAT-41 cache hits beside the details, and details that are null', () => {
  const record = { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_tokens_details: null };
  expect(convertUsage(record)).toMatchObject({ cachedTokens: 4, reasoningTokens: 0 });
  expect(convertUsage({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: null } })).toMatchObject({
    cachedTokens: 0,
  });
});

test('BILL-10 reasoning counted beside the completion joins it, and only then', () => {
  const record = (total: number) =>
    convertUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: 100 },
    });
  expect(record(115)).toMatchObject({ completionTokens: 105, reasoningTokens: 100, apartTokens: 100 });
  expect(record(15)).toMatchObject({ completionTokens: 5, reasoningTokens: 5 });
});

test('BILL-10 thinking that shows only in the total is output', () => {
  const record = { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 };
  expect(convertUsage(record)).toEqual({ ...zeroUsage, promptTokens: 35, completionTokens: 74, apartTokens: 62 });
  // A total that is below the sum of its parts is ignored.
  expect(convertUsage({ ...record, total_tokens: 5 })).toMatchObject({ promptTokens: 35, completionTokens: 12 });
});

test('BILL-06 sound and cached tokens that are counted beside the prompt join it', () => {
  const heard = {
    prompt_tokens: 9,
    completion_tokens: 20,
    total_tokens: 404,
    prompt_tokens_details: { audio_tokens: 375 },
  };
  expect(convertUsage(heard)).toEqual({
    ...zeroUsage,
    promptTokens: 384,
    completionTokens: 20,
    promptAudioTokens: 375,
  });
  const cached = {
    prompt_tokens: 9,
    completion_tokens: 20,
    total_tokens: 529,
    prompt_tokens_details: { cached_tokens: 500 },
  };
  expect(convertUsage(cached)).toEqual({ ...zeroUsage, promptTokens: 509, completionTokens: 20, cachedTokens: 500 });
});

test.each([{ cached_tokens: 10 }, { prompt_cache_hit_tokens: 10 }, { prompt_token_details: { cached_tokens: 10 } }])(
  'CHAT-41 cache hits in another field: %o',
  (hits) => {
    const record = { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23, ...hits };
    expect(convertUsage(record)).toMatchObject({ promptTokens: 20, cachedTokens: 10 });
  },
);

test('BILL-09 tokens that a vendor took from a cache without a lower price are charged like the others', () => {
  const record = { prompt_tokens: 64, completion_tokens: 6, total_tokens: 70, num_cached_tokens: 32 };
  expect(convertUsage(record)).toMatchObject({ promptTokens: 64, cachedTokens: 0 });
});

test.each(['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens'])(
  'BILL-09 what was written to the cache counts as %s, and thinking in the record itself',
  (name) => {
    const record = {
      ...{ input_tokens: 20, output_tokens: 3, reasoning_tokens: 2 },
      prompt_tokens_details: { cached_tokens: 10, [name]: 7 },
    };
    const counts = { promptTokens: 20, completionTokens: 3, cachedTokens: 10, cacheWriteTokens: 7, reasoningTokens: 2 };
    expect(convertUsage(record)).toMatchObject(counts);
  },
);

test('BILL-09 tokens that were read and written in one call count as both where the provider states its cost', () => {
  const record = {
    prompt_tokens: 100,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 90 },
  };
  expect(convertUsage(record)).toMatchObject({ cachedTokens: 90, cacheWriteTokens: 10 });
  expect(convertUsage({ ...record, cost: 0.0002 })).toMatchObject({ cachedTokens: 90, cacheWriteTokens: 90 });
  expect(convertUsage({ ...record, cost: 0 })).toMatchObject({ cacheWriteTokens: 10 });
});

test('USG-1 a part is never more than its whole', () => {
  const record = {
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 9, audio_tokens: 99 },
    completion_tokens_details: { image_tokens: 99 },
  };
  expect(convertUsage(record)).toMatchObject({
    cachedTokens: 8,
    cacheWriteTokens: 2,
    promptAudioTokens: 10,
    completionImageTokens: 5,
  });
});

describe('USG-1 F25 a count that is none makes the record worthless', () => {
  const hostile = [
    -1,
    0.5,
    '5',
    true,
    [],
    {},
    [5],
    2 ** 40 + 1,
    1e308,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    '',
    'ten',
  ];
  const places: readonly (readonly [string, (value: unknown) => object])[] = [
    ['prompt_tokens', (value) => ({ prompt_tokens: value })],
    ['completion_tokens', (value) => ({ completion_tokens: value })],
    ['total_tokens', (value) => ({ total_tokens: value })],
    ['cached_tokens', (value) => ({ prompt_tokens_details: { cached_tokens: value } })],
    ['cache_write_tokens', (value) => ({ prompt_tokens_details: { cache_write_tokens: value } })],
    ['prompt_cache_hit_tokens', (value) => ({ prompt_cache_hit_tokens: value })],
    ['reasoning_tokens', (value) => ({ completion_tokens_details: { reasoning_tokens: value } })],
  ];

  test.each(places)('USG-1 %s', (_, place) => {
    for (const value of hostile) {
      const record = { prompt_tokens: 10, completion_tokens: 10, ...place(value) };
      expect(convertUsage(record)).toBe('invalid');
      expect(readUsage(record)).toBeNull();
    }
  });

  test('USG-1 a record that is no object', () => {
    for (const value of ['', 'x', 5, true, [], [{}]]) expect(convertUsage(value)).toBe('invalid');
  });

  test('USG-1 the largest count is still a count, and negative zero is zero', () => {
    expect(convertUsage({ prompt_tokens: 2 ** 40 })).toMatchObject({ promptTokens: 2 ** 40 });
    expect(convertUsage({ prompt_tokens: -0 })).toEqual(zeroUsage);
  });
});

test('USG-1 whatever arrives, every number that leaves is a safe count within its whole', () => {
  const number = fc.oneof(fc.nat(1_000), fc.double(), fc.jsonValue({ maxDepth: 1 }));
  const names = [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'cached_tokens',
    'reasoning_tokens',
    'audio_tokens',
  ];
  const record = fc.dictionary(fc.constantFrom(...names), number);
  fc.assert(
    fc.property(record, record, record, (top, prompt, completion) => {
      const value = { ...top, prompt_tokens_details: prompt, completion_tokens_details: completion };
      const usage = convertUsage(value);
      if (usage === null || usage === 'invalid') return;
      for (const count of Object.values(usage) as number[])
        expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
      expect(usage.cachedTokens + usage.cacheWriteTokens).toBeLessThanOrEqual(usage.promptTokens);
      expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens);
    }),
    { numRuns: 2_000 },
  );
});
