// GET /v1/usage through a running gateway: it includes an answered call at once, to the last nano-dollar, and no calls
// of others.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folded } from '../folded.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { parseCsv } from '../reports/parse-csv.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/small': { commands: 'tokens-1000-500' },
      'openai/large': { commands: 'tokens-2001-3' },
      'openai/broken': { commands: 'status-500' },
      'openai/stalling': { commands: 'stall-after-2' },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await harness.close();
});

async function usage(key: string, query = ''): Promise<Json> {
  const answer = await harness.request('GET', `/v1/usage${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function call(key: string, model: string, app?: string): Promise<number> {
  const answer = await harness.chat(key, { model }, app === undefined ? {} : { 'X-Title': app });
  expect(answer.status, answer.text).toBe(200);
  return Number((answer.body.usage as Json).cost);
}

async function onDatabase(text: string, values: unknown[] = []): Promise<object[]> {
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  const { rows } = await client.query<object>(text, values);
  await client.end();
  return rows;
}

const today = (): string => new Date().toISOString().slice(0, 10);

describe('GET /v1/usage', () => {
  test('GEN-06 GEN-07 GEN-08 GEN-09 everything that was called is in it at once, in each of its sums', async () => {
    const { userId, key, keyId } = await harness.account(20);
    const second = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'second' });
    expect(await call(key, 'openai/small', 'App One')).toBe(0.002);
    expect(await call(key, 'openai/large', 'App One')).toBe(0.002007);
    expect(await call(String(second.key), 'openai/small')).toBe(0.002);
    const date = today();
    expect(await usage(key)).toEqual({
      period: 'month',
      since: `${date.slice(0, 7)}-01T00:00:00.000Z`,
      credits: 19.993993,
      totals: { spend: 0.006007, requests: 3, tokens: 5004, promptTokens: 4001, completionTokens: 1003 },
      byModel: [
        { model: 'openai/small', spend: 0.004, tokens: 3000, requests: 2 },
        { model: 'openai/large', spend: 0.002007, tokens: 2004, requests: 1 },
      ],
      byKey: [
        { keyId, keyName: 'test', spend: 0.004007, tokens: 3504, requests: 2 },
        { keyId: second.id, keyName: 'second', spend: 0.002, tokens: 1500, requests: 1 },
      ],
      byApp: [
        { appName: 'App One', spend: 0.004007, tokens: 3504, requests: 2 },
        { appName: null, spend: 0.002, tokens: 1500, requests: 1 },
      ],
      timeSeries: expect.arrayContaining([
        { date, model: 'openai/small', cost: 0.004, tokens: 3000, requests: 2 },
        { date, model: 'openai/large', cost: 0.002007, tokens: 2004, requests: 1 },
      ]),
    });
    const perPeriod = await Promise.all(
      ['day', 'week', 'month', 'year', `custom&from=${date}&to=${date}`].map((period) =>
        usage(key, `?period=${period}`),
      ),
    );
    for (const answer of perPeriod) expect(answer.totals).toMatchObject({ requests: 3, spend: 0.006007 });
  });

  test('GEN-07 the days of keys and of applications are there for the asking, and their owner’s alone', async () => {
    const { userId, key, keyId } = await harness.account(20);
    const second = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'second' });
    await call(key, 'openai/small', 'App One');
    await call(key, 'openai/large', 'App One');
    await call(String(second.key), 'openai/small');
    await folded(onDatabase);
    await onDatabase('update usage_daily set day = day - 1 where key_id = $1', [second.id]);
    const [date, dayBefore] = [today(), new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)];
    const span = `?period=custom&from=${dayBefore}&to=${date}`;
    expect((await usage(key, span)).series).toBeUndefined();
    expect((await usage(key, `${span}&series=key`)).series).toEqual([
      { date: dayBefore, id: second.id, name: 'second', cost: 0.002, tokens: 1500, requests: 1 },
      { date, id: keyId, name: 'test', cost: 0.004007, tokens: 3504, requests: 2 },
    ]);
    expect((await usage(key, `${span}&series=app`)).series).toEqual([
      { date: dayBefore, id: '', name: null, cost: 0.002, tokens: 1500, requests: 1 },
      { date, id: 'App One', name: 'App One', cost: 0.004007, tokens: 3504, requests: 2 },
    ]);
    const stranger = await harness.account(20);
    expect((await usage(stranger.key, `${span}&series=key`)).series).toEqual([]);
    expect((await harness.request('GET', '/v1/usage?series=model', { key })).status).toBe(400);
    await onDatabase('update usage_daily set day = day + 1 where key_id = $1', [second.id]);
  });

  test('GEN-06 the days of a custom span are both inside, and the others outside', async () => {
    const { key } = await harness.account(20);
    await call(key, 'openai/small');
    const dayBefore = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const inside = await usage(key, `?period=custom&from=${dayBefore}&to=${today()}`);
    expect(inside).toMatchObject({ period: 'custom', since: `${dayBefore}T00:00:00.000Z`, totals: { requests: 1 } });
    const outside = await usage(key, `?period=custom&from=2020-02-01&to=2020-02-29`);
    expect(outside).toMatchObject({
      totals: { spend: 0, requests: 0, tokens: 0, promptTokens: 0, completionTokens: 0 },
      byModel: [],
      byKey: [],
      byApp: [],
      timeSeries: [],
    });
  });

  test('GEN-06 what is no period gets 400, and nobody without a key an answer', async () => {
    const { key } = await harness.account(20);
    for (const query of ['?period=decade', '?period=custom', '?period=custom&from=2026-02-30&to=2026-03-01']) {
      const answer = await harness.request('GET', `/v1/usage${query}`, { key });
      expect(answer.status, query).toBe(400);
      expect((answer.body.error as Json).message).toMatch(/^(?:period|from): /);
    }
    expect((await harness.request('GET', '/v1/usage')).status).toBe(401);
  });

  test('AUTH-09 GEN-05 a stranger sees nothing of it, and a key of an organization shows the organization', async () => {
    const owner = await harness.account(20);
    const stranger = await harness.account(20);
    await call(owner.key, 'openai/small');
    expect(await usage(stranger.key)).toMatchObject({ credits: 20, totals: { requests: 0 }, byKey: [] });
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Shared', ownerUserId: stranger.userId });
    await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 10, note: 'test' });
    const wanted = { name: 'shared', keyType: 'standard', userId: stranger.userId };
    const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, wanted);
    await call(String(made.key), 'openai/small');
    expect(await usage(String(made.key))).toMatchObject({ credits: 9.998, totals: { requests: 1, spend: 0.002 } });
    expect(await usage(stranger.key)).toMatchObject({ credits: 20, totals: { requests: 0 } });
  });

  test('AUTH-04 RPT-08 GEN-05 a member’s key tells what its holder used, a management key what everybody did', async () => {
    const [admin, member] = [await harness.account(0), await harness.account(0)];
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Shared', ownerUserId: admin.userId });
    await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 10, note: 'test' });
    const made = (name: string, keyType: string, userId: string): Promise<Json> =>
      harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name, keyType, userId });
    const managing = await made('managing', 'management', admin.userId);
    const { email } = await harness.operate('GET', `/admin/v1/users/${member.userId}`);
    const joined = { key: String(managing.key), body: { email } };
    expect((await harness.request('POST', `/v1/orgs/${org.id}/members`, joined)).status).toBe(201);
    const [own, theirs] = [
      await made('own', 'standard', member.userId),
      await made('theirs', 'standard', admin.userId),
    ];
    await call(String(own.key), 'openai/small', 'Mine');
    await call(String(theirs.key), 'openai/large', 'Theirs');
    const seen = await usage(String(own.key), '?series=key');
    expect(seen).toMatchObject({ credits: 9.995993, totals: { requests: 1, spend: 0.002 } });
    expect(
      [seen.byKey, seen.byApp, seen.byModel, seen.timeSeries, seen.series].map((list) => (list as Json[]).length),
    ).toEqual([1, 1, 1, 1, 1]);
    expect(seen.byKey).toMatchObject([{ keyName: 'own' }]);
    expect(await usage(String(managing.key))).toMatchObject({ totals: { requests: 2 } });
  });

  test('KEY-12 a key that is gone keeps its name in what it has used', async () => {
    const { userId, key } = await harness.account(20);
    const old = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'retired' });
    await call(String(old.key), 'openai/small');
    await onDatabase('update api_keys set revoked_at = now() where id = $1', [old.id]);
    expect((await usage(key)).byKey).toEqual([
      { keyId: old.id, keyName: 'retired', spend: 0.002, tokens: 1500, requests: 1 },
    ]);
  });

  test('KEY-20 a failed call counts as a request and costs nothing', async () => {
    const { key } = await harness.account(20);
    const failed = await harness.chat(key, { model: 'openai/broken' });
    expect(failed.status).toBeGreaterThanOrEqual(500);
    await call(key, 'openai/small');
    await expect.poll(async () => (await usage(key)).totals).toMatchObject({ requests: 2, spend: 0.002 });
    const info = await harness.request('GET', '/v1/key', { key });
    expect(info.body.data).toMatchObject({ requests: 2, requests_daily: 2, usage: 0.002, usage_monthly: 0.002 });
  });
});

test('the operator sees what was absorbed by user and reason, those with the most first', async () => {
  const add = async (userId: string, amount: number, reason: string): Promise<void> => {
    const id = `gen-${crypto.randomUUID()}`;
    await onDatabase(
      `insert into generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model,
         upstream_status, is_stream, is_failover, created_at, duration_ms, prompt_tokens, completion_tokens,
         cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens,
         subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, absorbed_reason, attempts)
       values ($1, $2, $2, 'key-1', 'chat', 'maker/model', 'maker', 'model', 200, true, false, now(), 1, 0, 0, 0, 0, 0,
         0, 0, 0, 0, 0, $3, $4, 1)`,
      [id, userId, amount, reason],
    );
    await onDatabase('select roll_up(array_agg(id), array_agg(created_at)) from generations where id = $1', [id]);
  };
  await add('usr-little', 1_000_000, 'abandoned');
  await add('usr-much', 2_000_000, 'abandoned');
  await add('usr-much', 3_000_000, 'exhausted');
  await add('usr-much', 4_000_000, 'exhausted');
  expect(await harness.operate('GET', '/admin/v1/absorbed')).toEqual({
    totalUsd: 0.01,
    users: [
      {
        userId: 'usr-much',
        absorbedUsd: 0.009,
        calls: 3,
        reasons: [
          { reason: 'exhausted', absorbedUsd: 0.007, calls: 2 },
          { reason: 'abandoned', absorbedUsd: 0.002, calls: 1 },
        ],
        models: [
          { model: 'maker/model', reason: 'exhausted', absorbedUsd: 0.007, calls: 2 },
          { model: 'maker/model', reason: 'abandoned', absorbedUsd: 0.002, calls: 1 },
        ],
      },
      {
        userId: 'usr-little',
        absorbedUsd: 0.001,
        calls: 1,
        reasons: [{ reason: 'abandoned', absorbedUsd: 0.001, calls: 1 }],
        models: [{ model: 'maker/model', reason: 'abandoned', absorbedUsd: 0.001, calls: 1 }],
      },
    ],
  });
});

describe('ERR-15 GET /v1/generation', () => {
  const find = async (key: string, id: string | null) => harness.request('GET', `/v1/generation?id=${id}`, { key });

  test('ERR-15 GEN-01 a call that is still running is there as soon as its answer has begun', async () => {
    const { key, keyId, userId } = await harness.account(20);
    const other = await harness.account(20);
    const leaving = new AbortController();
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'X-Title': 'App' },
      body: JSON.stringify({ model: 'openai/stalling', stream: true, messages: [{ role: 'user', content: 'Hi.' }] }),
      signal: leaving.signal,
    });
    const id = response.headers.get('x-generation-id');
    const found = await find(key, id);
    expect(found.status, found.text).toBe(200);
    expect(found.body.data).toMatchObject({
      ...{ id, model: 'openai/stalling', provider: 'sim', app_name: 'App', key_id: keyId, streamed: true },
      ...{ user_id: userId, key_name: 'test' },
      ...{ in_progress: true, finish_reason: null, usage: { cost: 0 }, cost_breakdown: { total: 0 } },
    });
    expect((await find(other.key, id)).status).toBe(404);
    leaving.abort();
    await expect.poll(async () => ((await find(key, id)).body.data as Json).in_progress).toBe(false);
  });

  test('ERR-15 one that failed is there too, at once and for good', async () => {
    const { key, keyId, userId } = await harness.account(20);
    const failed = await harness.chat(key, { model: 'openai/broken' });
    expect(failed.status).toBe(502);
    const id = failed.headers.get('x-generation-id');
    const told = { id, in_progress: false, model: 'openai/broken', provider: 'sim', status: 500, usage: { cost: 0 } };
    const whose = { user_id: userId, key_id: keyId, key_name: 'test' };
    const atOnce = await find(key, id);
    expect([atOnce.status, atOnce.body.data]).toEqual([
      200,
      expect.objectContaining({ ...told, ...whose, usage: expect.anything() }),
    ]);
    // The error is kept beside the record.
    await expect.poll(async () => ((await find(key, id)).body.data as Json).error).not.toBeNull();
    expect((await find(key, id)).body.data).toMatchObject({ ...told, ...whose });
  });

  test('ERR-15 what was never accepted has no record', async () => {
    const { key } = await harness.account(0);
    const refused = await harness.chat(key, { model: 'openai/small' });
    expect([refused.status, refused.headers.get('x-generation-id')]).toEqual([402, null]);
  });
});

describe('the last hours', () => {
  test('24 hours and today by the hour add up to what was called, by any filter, and as a file', async () => {
    const { key, keyId } = await harness.account(20);
    await call(key, 'openai/small', 'App One');
    await call(key, 'openai/large', 'App One');
    await call(key, 'openai/small');
    const rolling = await usage(key, '?period=24h&compare=previous&series=app');
    expect(rolling).toMatchObject({
      period: '24h',
      totals: { spend: 0.006007, tokens: 5004, requests: 3 },
      previous: { totals: { spend: 0, tokens: 0, requests: 0 } },
      byKey: [{ keyId, requests: 3 }],
    });
    const hours = rolling.timeSeries as { date: string; cost: number }[];
    expect(hours.every(({ date }) => /:00:00\.000Z$/.test(date))).toBe(true);
    expect(hours.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(0.006007, 9);
    const ofApp = (id: string): number =>
      (rolling.series as { id: string; requests: number }[])
        .filter((hour) => hour.id === id)
        .reduce((sum, { requests }) => sum + requests, 0);
    expect([ofApp('App One'), ofApp('')]).toEqual([2, 1]);
    const filtered = await usage(key, '?period=7d&by=hour&model=openai/small&app=App%20One');
    expect(filtered).toMatchObject({
      totals: { requests: 1, promptTokens: 1000 },
      timeSeries: [{ model: 'openai/small' }],
    });
    const { text, headers } = await harness.request('GET', '/v1/usage?period=24h&format=csv', { key });
    expect(headers.get('content-type')).toContain('text/csv');
    const lines = parseCsv(`\ufeff${text}`);
    expect(lines[0]).toEqual(['date', 'id', 'name', 'requests', 'tokens', 'costUsd']);
    expect(lines.slice(1).reduce((sum, line) => sum + Number(line[5]), 0)).toBeCloseTo(0.006007, 9);
    for (const wrong of ['by=hour&period=90d', 'compare=next', 'format=xls', 'model=%00']) {
      expect((await harness.request('GET', `/v1/usage?${wrong}`, { key })).status, wrong).toBe(400);
    }
  });
});
