// What operators watch counts what happened: the calls, the attempts and the group commits that paid for them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(() => harness.close());

test('every paid call is in the counters of requests, attempts and settlements', async () => {
  const { key } = await harness.account();
  await Promise.all(Array.from({ length: 5 }, () => harness.chat(key, { model: 'openai/test' })));
  const { text } = await harness.request('GET', '/metrics', { key: 'test-operator-token' });
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  expect(figure('tollgate_settlements_total\\{outcome="settled"\\}')).toBe(5);
  expect(figure('tollgate_settlement_batch_size_sum')).toBe(5);
  expect(figure('tollgate_upstream_attempts_total\\{provider="sim",outcome="whole"\\}')).toBe(5);
});
