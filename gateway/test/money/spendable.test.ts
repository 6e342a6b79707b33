// The way an account pays and what it could spend decide its tier, and what a key may still spend takes held money into
// account: figures that a client acts on, read through the front door.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/stalled': { commands: 'stall', entry: { pricing: { prompt: '0', completion: '0', request: '0.4' } } },
    },
    document: { limits: { free_requests_per_minute: 500, paid_requests_per_minute: 1_000 } },
  });
});

afterAll(() => harness.close());

async function orgKey(terms: Json): Promise<{ key: string; orgId: string }> {
  const { userId } = await harness.account(0);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'one', ownerUserId: userId, ...terms });
  const orgId = String(org.id);
  const key = await harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'test', userId });
  return { key: String(key.key), orgId };
}

async function standing(key: string): Promise<Json> {
  const answer = await harness.request('GET', '/v1/key', { key });
  const { is_free_tier, limit_remaining, rate_limit } = answer.body.data as Json;
  return {
    isFree: is_free_tier,
    remaining: limit_remaining,
    announced: (rate_limit as Json).requests,
    enforced: Number(answer.headers.get('x-ratelimit-limit')),
  };
}

test('KEY-18 KEY-19 LIM-02 an organization that is billed monthly has the paid tier, however small its line', async () => {
  const { key, orgId } = await orgKey({ billingPlan: 'monthly', creditLineUsd: 500 });
  expect(await standing(key)).toEqual({ isFree: false, remaining: 500, announced: 1_000, enforced: 1_000 });
  await harness.operate('PATCH', `/admin/v1/orgs/${orgId}`, { creditLineUsd: 2 });
  await expect.poll(() => standing(key)).toEqual({ isFree: false, remaining: 2, announced: 1_000, enforced: 1_000 });
  await harness.operate('PATCH', `/admin/v1/orgs/${orgId}`, { billingPlan: 'prepaid' });
  await expect.poll(() => standing(key)).toEqual({ isFree: true, remaining: 0, announced: 500, enforced: 500 });
});

test('KEY-19 one that pays in advance has the tier of its balance', async () => {
  const { key, orgId } = await orgKey({});
  expect(await standing(key)).toMatchObject({ isFree: true, remaining: 0, enforced: 500 });
  await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 10, note: 'test' });
  await expect.poll(() => standing(key)).toMatchObject({ isFree: false, remaining: 10, enforced: 1_000 });
});

test('KEY-18 what a running call holds is not remaining of the limit, and comes back with it', async () => {
  const { userId } = await harness.account(5);
  const created = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'm', keyType: 'management' });
  const manager = String(created.key);
  const made = await harness.request('POST', '/v1/keys', {
    key: manager,
    body: { name: 'limited', limit: 1, limit_reset: 'monthly' },
  });
  const key = String(made.body.key);
  expect(await standing(key)).toMatchObject({ remaining: 1 });
  const leave = new AbortController();
  const call = fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leave.signal,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/stalled', messages: [{ role: 'user', content: 'hi' }] }),
  }).catch(() => null);
  await expect.poll(() => standing(key)).toMatchObject({ remaining: 0.6 });
  leave.abort();
  await call;
  await expect.poll(() => standing(key)).toMatchObject({ remaining: 1 });
});
