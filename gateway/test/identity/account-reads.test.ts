// What a key's holder can read: its own key, its own account, its own calls, and nothing of others.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

describe('account reads', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({
      models: { 'openai/counted': { commands: 'tokens-1000-500' } },
      document: { limits: { free_requests_per_minute: 20, paid_requests_per_minute: 200 } },
    });
  });
  afterAll(() => harness.close());

  const data = async (path: string, key: string): Promise<Json> => {
    const answer = await harness.request('GET', path, { key });
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    return answer.body.data as Json;
  };

  test('GEN-04 GEN-05 credits are what was paid in and what was spent', async () => {
    const { key } = await harness.account(12.5);
    expect(await data('/v1/credits', key)).toEqual({ total_credits: 12.5, total_usage: 0 });
    const answer = await harness.chat(key, { model: 'openai/counted' });
    const cost = (answer.body.usage as Json).cost;
    expect(cost).toBe(0.002);
    expect(await data('/v1/credits', key)).toEqual({ total_credits: 12.5, total_usage: 0.002 });
    expect((await harness.request('GET', '/v1/credits')).status).toBe(401);
  });

  test('KEY-17 KEY-18 KEY-19 KEY-20 key info counts what this key did, in money and calls', async () => {
    const { userId, key } = await harness.account(12.5);
    await harness.chat(key, { model: 'openai/counted' });
    await harness.chat(key, { model: 'openai/counted' });
    const info = await data('/v1/key', key);
    expect(info).toMatchObject({
      label: 'test',
      limit: null,
      limit_remaining: 12.496,
      limit_reset: null,
      expires_at: null,
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false,
      usage: 0.004,
      usage_daily: 0.004,
      usage_weekly: 0.004,
      usage_monthly: 0.004,
      requests: 2,
      requests_daily: 2,
      requests_weekly: 2,
      requests_monthly: 2,
      rate_limit: { requests: 200, interval: expect.any(String), note: expect.any(String) },
      creator_user_id: userId,
    });
    expect(Object.keys(info).filter((name) => name.includes('byok'))).toEqual([]);
    const second = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'two',
      keyType: 'management',
    });
    expect(await data('/v1/key', String(second.key))).toMatchObject({
      label: 'two',
      usage: 0,
      requests: 0,
      is_management_key: true,
      is_provisioning_key: true,
    });
  });

  test('KEY-19 LIM-02 the free tier ends at exactly $10', async () => {
    const below = await harness.account('9.999999999');
    expect(await data('/v1/key', below.key)).toMatchObject({ is_free_tier: true, rate_limit: { requests: 20 } });
    const at = await harness.account('10');
    expect(await data('/v1/key', at.key)).toMatchObject({ is_free_tier: false, rate_limit: { requests: 200 } });
  });

  test('KEY-21 AUTH-05 /v1/auth/key has exactly five fields and is not counted', async () => {
    const { userId, key } = await harness.account(3);
    const management = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'm',
      keyType: 'management',
    });
    for (let index = 0; index < 25; index++) {
      const info = await data('/v1/auth/key', index % 2 === 0 ? key : String(management.key));
      expect(Object.keys(info).sort()).toEqual(['is_free_tier', 'label', 'limit', 'rate_limit', 'usage']);
    }
    const counted = await harness.request('GET', '/v1/key', { key });
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('19');
  });

  test('AUTH-05 a management key may read all of it', async () => {
    const { userId } = await harness.account(3);
    const { key } = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'm',
      keyType: 'management',
    });
    for (const path of ['/v1/key', '/v1/auth/key', '/v1/credits']) {
      expect((await harness.request('GET', path, { key: String(key) })).status).toBe(200);
    }
    expect((await harness.request('GET', '/v1/generation?id=gen-x', { key: String(key) })).status).toBe(404);
    expect((await harness.chat(String(key), { model: 'openai/test' })).status).toBe(403);
  });

  test('GEN-01 GEN-02 GEN-03 AUTH-09 the record of a call is whole, exact, and its owner’s alone', async () => {
    const { key, keyId } = await harness.account(12.5);
    const call = await harness.chat(
      key,
      { model: 'openai/counted' },
      { 'X-Title': 'My App', 'HTTP-Referer': 'https://x.test' },
    );
    const id = String(call.body.id);
    const record = await data(`/v1/generation?id=${id}`, key);
    expect(record).toMatchObject({
      id,
      model: 'openai/counted',
      provider: 'sim',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      operation: 'chat',
      key_id: keyId,
      key_name: 'test',
      app_name: 'My App',
      finish_reason: 'stop',
      status: 200,
      duration_ms: expect.any(Number),
      throughput: expect.any(Number),
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 500,
        total_tokens: 1500,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
        cost: 0.002,
      },
      cost_breakdown: { subtotal: 0.002, cache_discount: 0, total: 0.002 },
    });
    expect('first_token_ms' in record).toBe(true);
    const stranger = await harness.account(12.5);
    const foreign = await harness.request('GET', `/v1/generation?id=${id}`, { key: stranger.key });
    const unknown = await harness.request('GET', '/v1/generation?id=gen-000000000000000000000000', {
      key: stranger.key,
    });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    expect((await harness.request('GET', '/v1/generation', { key })).status).toBe(400);
    expect((await harness.request('GET', '/v1/generation?id=', { key })).status).toBe(400);
    expect((await harness.request('GET', `/v1/generation?id=${id}`)).status).toBe(401);
  });

  test('VER-02 the legacy prefix answers the same', async () => {
    const { key } = await harness.account(12.5);
    const now = await harness.request('GET', '/v1/credits', { key });
    const legacy = await harness.request('GET', '/api/v1/credits', { key });
    expect(legacy.text).toBe(now.text);
    expect(legacy.headers.get('x-ratelimit-limit')).toBe('200');
  });
});

describe('system routes', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  test('health and readiness', async () => {
    expect((await harness.request('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await harness.request('GET', '/readyz')).body).toEqual({ status: 'ready' });
  });

  test('metrics are open to the machine itself, and behind a proxy to the operator only', async () => {
    await harness.request('GET', '/v1/nothing');
    const local = await harness.request('GET', '/metrics');
    expect(local.status).toBe(200);
    expect(local.text).toContain('tollgate_http_requests_total{route="(unmatched)",status="404"}');
    expect(local.text).toContain('nodejs_eventloop_lag_seconds');
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
      const forwarded = { headers: { [name]: '203.0.113.7' } };
      expect((await harness.request('GET', '/metrics', forwarded)).status, name).toBe(401);
      expect((await harness.request('GET', '/metrics', { ...forwarded, key: ADMIN_TOKEN })).status, name).toBe(200);
    }
  });
});
