// Streams that are left before they are paid for: recorded, counted for their user, and bounded.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/drip': {
        commands: 'tokens-10-2000+chunks-2000+delay-5',
        entry: { pricing: { prompt: '1', completion: '2', request: '0.3' }, max_completion_tokens: 4_096 },
      },
      'openai/exact': { commands: 'tokens-1000-50', entry: { max_completion_tokens: 100 } },
      'openai/broken': {
        commands: 'reset-after-2',
        entry: { pricing: { prompt: '1', completion: '2', request: '0.9' } },
      },
    },
    document: {
      limits: {
        free_requests_per_minute: 100_000,
        paid_requests_per_minute: 100_000,
        unpaid_cost_usd: 0.5,
        unpaid_paid_percent: 0,
        unpaid_block_seconds: 77,
      },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** Leaves as soon as the first bytes have come. */
async function abandon(key: string): Promise<number> {
  const control = new AbortController();
  const response = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/drip', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: control.signal,
  });
  if (response.status !== 200) return response.status;
  await response.body?.getReader().read();
  control.abort();
  return 200;
}

test('ABT-1 STRM-06 abandoned streams cost nothing, until they have cost us more than the allowance', async () => {
  const { key } = await harness.account(20);
  const other = await harness.account(20);
  expect(await abandon(key)).toBe(200);
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
  expect(await abandon(key)).toBe(200);
  await expect
    .poll(async () => (await harness.chat(key, { model: 'openai/exact' })).status, { timeout: 5_000 })
    .toBe(429);
  const refused = await harness.chat(key, { model: 'openai/exact' });
  expect(refused.body).toMatchObject({
    error: { code: 429, message: expect.stringMatching(/temporarily restricted/i) },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(70);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(77);
  expect(refused.headers.get('x-should-retry')).toBe('false');
  // It is about the user's calls: reading goes on, and so does everybody else.
  expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(200);
  expect((await harness.chat(other.key, { model: 'openai/exact' })).status).toBe(200);
  const absorbed = await harness.operate('GET', '/admin/v1/absorbed');
  expect(Number((absorbed as Json).totalUsd)).toBeGreaterThan(0.6);
});

test('ABT-1 what an upstream breaks off is not held against the user', async () => {
  const { key } = await harness.account(20);
  for (const _ of [1, 2]) await harness.stream(key, { model: 'openai/broken' });
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
});
