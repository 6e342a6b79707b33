// GET /v1/insights through a running gateway, on a clock that can be moved past the five minutes of its cache.

import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';

const MINUTE_MS = 60_000;

let harness: Harness;
let offsetMs = 0;

beforeAll(async () => {
  harness = await startHarness({
    models: { 'openai/small': { commands: 'tokens-1000-500' }, 'openai/large': { commands: 'tokens-2001-3' } },
    start: {
      clock: {
        ...systemClock,
        nowMs: () => Date.now() + offsetMs,
        monotonicMs: () => performance.now() + offsetMs,
      },
    },
  });
});

afterAll(() => harness.close());

let userId: string;
let key: string;
let keyId: string;

beforeEach(async () => {
  ({ userId, key, keyId } = await harness.account(20));
});

async function insights(secret: string, query = ''): Promise<Json> {
  const answer = await harness.request('GET', `/v1/insights${query}`, { key: secret });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return answer.body;
}

async function call(secret: string, model: string, app?: string): Promise<void> {
  const answer = await harness.chat(secret, { model }, app === undefined ? {} : { 'X-Title': app });
  expect(answer.status, answer.text).toBe(200);
}

/** A day's calls of an earlier time, as their sums stand. */
async function addPast(daysAgo: number, hour: number): Promise<string> {
  const day = new Date(Date.now() + offsetMs - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const id = `gen-past-${crypto.randomUUID()}`;
  const at = `${day}T${String(hour).padStart(2, '0')}:59:59.999Z`;
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query(
    `insert into generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model,
       app_name, upstream_status, is_stream, is_failover, created_at, duration_ms, prompt_tokens, completion_tokens,
       cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens,
       subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, attempts)
     values ($1, $2, $2, $3, 'chat', 'openai/past', 'sim', 'past', 'Old App', 200, false, false, $4, 1, 30, 10, 0, 0, 0,
       0, 0, 0, 0, 0, 0, 1)`,
    [id, userId, keyId, at],
  );
  await client.query('select roll_up(array[$1], array[$2::timestamptz])', [id, at]);
  await client.end();
  return day;
}

describe('GET /v1/insights', () => {
  test('GEN-10 GEN-12 totals, the heat map and the tops tell the same calls', async () => {
    await call(key, 'openai/small', 'App One');
    await call(key, 'openai/large');
    const answer = await insights(key);
    expect(answer).toEqual({
      period: '7d',
      totals: { spend: 0.004007, requests: 2, tokens: 3504, promptTokens: 3001, completionTokens: 503 },
      heatmap: expect.any(Array),
      topModels: [
        { model: 'openai/large', spend: 0.002007, tokens: 2004, requests: 1 },
        { model: 'openai/small', spend: 0.002, tokens: 1500, requests: 1 },
      ],
      topKeys: [{ keyId, keyName: 'test', spend: 0.004007, tokens: 3504, requests: 2 }],
      topApps: [
        { appName: null, spend: 0.002007, tokens: 2004, requests: 1 },
        { appName: 'App One', spend: 0.002, tokens: 1500, requests: 1 },
      ],
      cachedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const sumOf = (body: Json): number =>
      (body.heatmap as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
    expect(sumOf(answer)).toBeCloseTo(0.004007, 9);
    expect(sumOf(await insights(key, '?heatmap_metric=tokens'))).toBe(3504);
    expect(sumOf(await insights(key, '?heatmap_metric=requests'))).toBe(2);
  });

  test('GEN-10 GEN-12 a period has its days, each call in its UTC hour', async () => {
    const recent = await addPast(6, 0);
    const older = await addPast(7, 23);
    const oldest = await addPast(800, 13);
    const heatOf = async (period: string) => (await insights(key, `?period=${period}&heatmap_metric=tokens`)).heatmap;
    expect(await heatOf('7d')).toEqual([{ date: recent, hour: 0, value: 40 }]);
    const month = [
      { date: older, hour: 23, value: 40 },
      { date: recent, hour: 0, value: 40 },
    ];
    expect(await heatOf('30d')).toEqual(month);
    expect(await heatOf('all')).toEqual([{ date: oldest, hour: 13, value: 40 }, ...month]);
    const year = String(new Date(Date.now() + offsetMs).getUTCFullYear());
    expect(await heatOf('ytd')).toEqual(month.filter(({ date }) => date.startsWith(year)));
    expect(await insights(key, '?period=all')).toMatchObject({ totals: { requests: 3, tokens: 120 } });
  });

  test('GEN-10 a filter cuts everything down: totals, tops and heat map', async () => {
    const second = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'second' });
    await call(key, 'openai/small', 'App One');
    await call(key, 'openai/small', 'App Two');
    await call(key, 'openai/large', 'App One');
    await call(String(second.key), 'openai/small', 'App One');
    const counted = async (query: string) => {
      const answer = await insights(key, `?heatmap_metric=requests&${query}`);
      const cells = answer.heatmap as { value: number }[];
      return [(answer.totals as Json).requests, cells.reduce((sum, { value }) => sum + value, 0)];
    };
    expect(await counted('')).toEqual([4, 4]);
    expect(await counted('model=openai/small')).toEqual([3, 3]);
    expect(await counted(`api_key_id=${second.id}`)).toEqual([1, 1]);
    expect(await counted('app=App%20One')).toEqual([3, 3]);
    expect(await counted('model=openai/small&app=App%20One')).toEqual([2, 2]);
    expect(await counted(`model=openai/small&api_key_id=${keyId}`)).toEqual([2, 2]);
    expect(await counted(`api_key_id=${keyId}&app=App%20Two`)).toEqual([1, 1]);
    expect(await counted(`model=openai/small&api_key_id=${keyId}&app=App%20One`)).toEqual([1, 1]);
    expect(await counted('model=%27%20or%20%271%27=%271')).toEqual([0, 0]);
  });

  test('GEN-10 what is no period or metric gets 400, and nobody without a key an answer', async () => {
    for (const query of ['?period=1d', '?heatmap_metric=cost', '?period=']) {
      expect((await harness.request('GET', `/v1/insights${query}`, { key })).status, query).toBe(400);
    }
    expect((await harness.request('GET', '/v1/insights')).status).toBe(401);
  });

  test('GEN-11 AUTH-09 whose figures they are is decided by the key, whatever is asked for', async () => {
    await call(key, 'openai/small', 'App One');
    await insights(key);
    const stranger = await harness.account(20);
    for (const query of ['', `?user_id=${userId}`, `?user=${userId}&account_id=${userId}`, `?api_key_id=${keyId}`]) {
      expect(await insights(stranger.key, query)).toMatchObject({
        totals: { requests: 0, spend: 0 },
        heatmap: [],
        topKeys: [],
      });
    }
    expect((await insights(key, `?user_id=${stranger.userId}`)).totals).toMatchObject({ requests: 1 });
  });

  test('GEN-11 of a shared account, each person sees what they did themselves', async () => {
    const owner = await harness.account(20);
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Shared', ownerUserId: owner.userId });
    await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 10, note: 'test' });
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    await client.query("insert into org_members (id, org_id, user_id) values ('mem-second', $1, $2)", [org.id, userId]);
    await client.end();
    const keyOf = async (holder: string): Promise<string> => {
      const wanted = { name: 'shared', keyType: 'standard', userId: holder };
      return String((await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, wanted)).key);
    };
    const [first, second] = [await keyOf(owner.userId), await keyOf(userId)];
    await call(first, 'openai/small');
    await call(second, 'openai/large');
    expect(await insights(second)).toMatchObject({ totals: { requests: 1, spend: 0.002007 } });
    expect(await insights(first)).toMatchObject({ totals: { requests: 1, spend: 0.002 } });
    expect(await insights(key)).toMatchObject({ totals: { requests: 0 } });
  });

  // This is the last test: a jump of the clock puts the ledger's leases in doubt.
  test('GEN-11 figures are kept for five minutes for each period, metric and filter, and not longer', async () => {
    await call(key, 'openai/small');
    const first = await insights(key);
    await call(key, 'openai/small');
    offsetMs += 4 * MINUTE_MS;
    expect(await insights(key)).toEqual(first);
    expect(await insights(key, '?model=openai/small')).toMatchObject({ totals: { requests: 2 } });
    expect(await insights(key, '?period=30d')).toMatchObject({ totals: { requests: 2 } });
    expect(await insights(key, '?heatmap_metric=tokens')).toMatchObject({ totals: { requests: 2 } });
    offsetMs += 1.1 * MINUTE_MS;
    const later = await insights(key);
    expect(later).toMatchObject({ totals: { requests: 2 } });
    expect(Date.parse(String(later.cachedAt)) - Date.parse(String(first.cachedAt))).toBeGreaterThan(5 * MINUTE_MS);
  });
});
