// Calls that go to an organization's own upstream: who is asked, what they cost, and what happens when it fails.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import { API_KEY, type ByokBed, startByokBed } from './byok-bed.ts';

/** 100 prompt tokens at $1 and 20 completion tokens at $2 per million. */
const PLATFORM_COST_USD = 0.00014;
const MODELS = {
  'openai/test': { commands: 'tokens-100-20' },
  'openai/down': { commands: 'status-500' },
  'openai/other': {},
};

let bed: ByokBed;

beforeAll(async () => {
  bed = await startByokBed({ models: MODELS });
});

beforeEach(() => bed.clear());

afterAll(async () => {
  const check = await bed.harness.ledgerCheck();
  expect(check).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.close();
});

const spoken = { max_tokens: 100, messages: [{ role: 'user', content: 'Say hello.' }] };
const dialects: Readonly<Record<string, { path: string; body: Json }>> = {
  chat: { path: '/v1/chat/completions', body: spoken },
  responses: { path: '/v1/responses', body: { input: 'Say hello.' } },
  messages: { path: '/v1/messages', body: spoken },
};

const call = (key: string, dialect = 'chat', body: Json = {}): Promise<Answer> => {
  const { path, body: basis } = dialects[dialect] ?? { path: '', body: {} };
  return bed.harness.request('POST', path, { key, body: { model: 'openai/test', ...basis, ...body } });
};

/** The record that carries the cost: the answer itself, or the last frame of a stream that has one. */
function costOf({ text, body }: Answer, isStream: boolean): unknown {
  const read = (usage: unknown): unknown => {
    const { cost, tollgate_cost } = (usage ?? {}) as Json;
    return cost ?? tollgate_cost;
  };
  if (!isStream) return read(body.usage);
  const frames = text.split('\n').filter((line) => line.startsWith('data: {'));
  const records = frames.map((line) => JSON.parse(line.slice('data: '.length)) as Json);
  const usages = records.flatMap((json) => [json.usage, (json.response as Json | undefined)?.usage]);
  return usages.map(read).findLast((cost) => cost !== undefined);
}

describe.each(['openai', 'anthropic'])('an upstream of the %s protocol', (protocol) => {
  test.each(Object.keys(dialects))('BYOK-13 BYOK-15 AMB-45 carries %s calls for nothing', async (dialect) => {
    const org = await bed.org();
    await bed.create(org, { protocol, fallbackMode: 'strict' });
    for (const stream of [false, true]) {
      bed.clear();
      const answer = await call(org.key, dialect, { stream });
      expect([answer.status, costOf(answer, stream)], answer.text).toEqual([200, 0]);
      expect(bed.platformCalls()).toHaveLength(0);
      const [sent] = bed.calls();
      expect(sent?.json).toMatchObject({ model: 'simulated-small' });
      expect(sent?.headers[protocol === 'openai' ? 'authorization' : 'x-api-key']).toContain(API_KEY);
      const record = await bed.generation(org.key, answer.headers.get('x-generation-id'));
      expect(record).toMatchObject({ provider: 'byok', model: 'openai/test', is_failover: false, usage: { cost: 0 } });
      expect((record.usage as Json).prompt_tokens).toBeGreaterThan(0);
    }
    const usage = await bed.harness.request('GET', '/v1/usage', { key: org.key });
    expect(usage.body.totals).toMatchObject({ requests: 2, spend: 0 });
    expect(await bed.harness.spent(org.key)).toBe(0);
  });
});

describe('for whom', () => {
  test('BYOK-06 BYOK-13 only the keys in scope, only mapped models, and nobody outside the organization', async () => {
    const org = await bed.org(1);
    const outside = await bed.harness.account(1);
    const { key: second } = await bed.orgKey(org.id, org.ownerId, 'standard');
    const { id } = await bed.create(org, { scopedApiKeyIds: [org.keyId] });
    await call(org.key);
    expect([bed.calls().length, bed.platformCalls().length]).toEqual([1, 0]);
    await call(second);
    await call(outside.key);
    await call(org.key, 'chat', { model: 'openai/other' });
    expect([bed.calls().length, bed.platformCalls().length]).toEqual([1, 3]);
    await bed.manage(org.managementKey, 'PATCH', String(id), { scopedApiKeyIds: [] });
    await call(second);
    expect([bed.calls().length, bed.platformCalls().length]).toEqual([2, 3]);
  });

  test('BYOK-10 BYOK-12 ORG-21 what is switched off or deleted leaves the call to the platform at once', async () => {
    const org = await bed.org(1);
    const id = String((await bed.create(org, { fallbackMode: 'strict' })).id);
    const isOwn = async (): Promise<boolean> => {
      bed.clear();
      const answer = await call(org.key);
      expect(answer.status).toBe(200);
      expect(costOf(answer, false)).toBe(bed.calls().length === 1 ? 0 : PLATFORM_COST_USD);
      return bed.calls().length === 1;
    };
    expect(await isOwn()).toBe(true);
    for (const [off, on] of [
      [{ enabled: false }, { enabled: true }],
      [{ modelToggles: { 'openai/test': false } }, { modelToggles: { 'openai/test': true } }],
    ]) {
      await bed.manage(org.managementKey, 'PATCH', id, off);
      expect(await isOwn()).toBe(false);
      await bed.manage(org.managementKey, 'PATCH', id, on);
      expect(await isOwn()).toBe(true);
    }
    await bed.manage(org.managementKey, 'DELETE', id);
    expect(await isOwn()).toBe(false);
  });

  test('BYOK-13 a key for this caller goes before one for everybody', async () => {
    const org = await bed.org();
    await bed.create(org, { apiKey: 'for-everybody-key', fallbackMode: 'strict' });
    await bed.create(org, { apiKey: 'for-this-caller-key', scopedApiKeyIds: [org.keyId], fallbackMode: 'strict' });
    await call(org.key);
    expect(bed.calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer for-this-caller-key']);
  });
});

const failures: Readonly<Record<string, readonly [number, string | number]>> = {
  'status-401': [502, 'upstream_auth_failed'],
  'status-403': [502, 'upstream_auth_failed'],
  'status-429-retry-after-7': [429, 'upstream_rate_limited'],
  'status-500': [502, 'upstream_unavailable'],
  'status-404': [400, 'unknown_model'],
  'status-400': [400, 'unknown_4xx'],
  'context-length': [400, 'context_too_long'],
  'bad-json': [502, 'upstream_unavailable'],
  redirect: [502, 'upstream_unavailable'],
  reset: [502, 'upstream_unreachable'],
  'giant-header': [502, 'upstream_unreachable'],
};

describe.each(Object.entries(failures))('an upstream that answers with %s', (commands, [status, code]) => {
  test('BYOK-13 strict: its error is the answer, and the platform is not asked', async () => {
    const org = await bed.org(1);
    await bed.create(org, { fallbackMode: 'strict' });
    for (const stream of [false, true]) {
      bed.clear();
      bed.upstream.script(commands);
      const answer = await call(org.key, 'chat', { stream });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.body).toMatchObject({ error: { code } });
      expect([bed.calls().length, bed.platformCalls().length]).toEqual([1, 0]);
      if (commands.includes('retry-after')) expect(answer.headers.get('retry-after')).toBe('7');
    }
    expect(await bed.harness.spent(org.key)).toBe(0);
  });

  test('BYOK-13 BYOK-15 seamless: the platform answers, at its price', async () => {
    const org = await bed.org(1);
    await bed.create(org);
    bed.upstream.script(commands, { times: 2 });
    const answer = await call(org.key);
    expect([answer.status, costOf(answer, false)]).toEqual([200, PLATFORM_COST_USD]);
    const record = await bed.generation(org.key, answer.body.id);
    expect(record).toMatchObject({ provider: 'sim', is_failover: true, usage: { cost: PLATFORM_COST_USD } });
    expect((record.attempts as Json[]).map(({ provider }) => provider)).toEqual(['byok', 'sim']);
    expect(await bed.harness.spent(org.key)).toBe(PLATFORM_COST_USD);
  });
});

describe('money', () => {
  test('BYOK-15 without balance the own upstream still answers, and falling back gives 402', async () => {
    const org = await bed.org();
    await bed.create(org);
    expect((await call(org.key)).status).toBe(200);
    bed.upstream.script('status-500');
    const answer = await call(org.key);
    expect([answer.status, (answer.body.error as Json).code]).toEqual([402, 'insufficient_credits']);
    expect(bed.platformCalls()).toHaveLength(0);
    expect((await call(org.key)).status).toBe(200);
  });

  test('BYOK-15 AMB-45 caps and breakers stand in the way of the platform alone', async () => {
    const org = await bed.org(1);
    await bed.create(org);
    const capped = await bed.harness.request('PATCH', `/v1/keys/${org.keyId}`, {
      key: org.managementKey,
      body: { spendLimitUsd: 0 },
    });
    expect(capped.status, capped.text).toBe(200);
    expect((await call(org.key)).status).toBe(200);
    await bed.harness.operate('PATCH', '/admin/v1/brake', { enabled: true, minuteUsd: 0, hourUsd: 0 });
    expect((await call(org.key)).status).toBe(200);
    bed.upstream.script('status-500');
    expect((await call(org.key)).status).toBe(503);
    await bed.harness.operate('PATCH', '/admin/v1/brake', { enabled: false, minuteUsd: 1000, hourUsd: 1000 });
    bed.upstream.script('status-500');
    expect((await call(org.key)).status).toBe(402);
  });

  test.each(['usage-absurd', 'usage-negative', 'usage-string', 'usage-none', 'usage-zero', 'hostile-headers'])(
    'BYOK-15 an upstream that answers with %s costs nothing and breaks nothing',
    async (commands) => {
      const org = await bed.org();
      await bed.create(org, { fallbackMode: 'strict' });
      for (const stream of [false, true]) {
        bed.upstream.script(commands);
        const answer = await call(org.key, 'chat', { stream });
        expect([answer.status, costOf(answer, stream)]).toEqual([200, 0]);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
    },
  );

  test('BYOK-13 an answer that unpacks to more than it may be is a failure', async () => {
    const org = await bed.org();
    await bed.create(org, { fallbackMode: 'strict' });
    bed.upstream.script('gzip-bomb-40');
    const answer = await call(org.key);
    expect([answer.status, (answer.body.error as Json).code]).toEqual([502, 'upstream_unavailable']);
  });

  test('BYOK-13 a stream that breaks ends with an error, whatever the mode', async () => {
    const org = await bed.org(1);
    await bed.create(org);
    bed.upstream.script('reset-after-2');
    const answer = await call(org.key, 'chat', { stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"error"');
    expect(answer.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(bed.platformCalls()).toHaveLength(0);
    expect(await bed.harness.spent(org.key)).toBe(0);
  });
});

describe('fallback models', () => {
  const models = ['openai/down', 'openai/test'];

  test('BYOK-13 a fallback goes to the own upstream too, before the platform', async () => {
    const org = await bed.org(1);
    await bed.create(org);
    const answer = await call(org.key, 'chat', { model: undefined, models });
    expect([answer.status, costOf(answer, false)]).toEqual([200, 0]);
    expect(bed.calls()).toHaveLength(1);
    expect(await bed.generation(org.key, answer.body.id)).toMatchObject({ provider: 'byok', is_failover: true });
  });

  test('BYOK-13 a strict fallback never reaches the platform', async () => {
    const org = await bed.org(1);
    await bed.create(org, { fallbackMode: 'strict' });
    bed.upstream.script('status-500', { times: 5 });
    const answer = await call(org.key, 'chat', { model: undefined, models });
    expect(answer.status).toBe(502);
    expect(bed.platformCalls().every(({ json }) => String((json as Json).model).includes('status-500'))).toBe(true);
  });
});

test('BYOK-13 the two keys never meet the wrong upstream', async () => {
  const org = await bed.org(1);
  await bed.create(org);
  for (const commands of ['status-500', 'status-401', 'reset', 'redirect']) {
    bed.upstream.script(commands);
    await call(org.key);
    await call(org.key, 'messages', { stream: true });
  }
  const headersOf = (requests: ByokBed['upstream']['requests']): string =>
    JSON.stringify(requests.map(({ headers }) => headers));
  expect(headersOf(bed.upstream.requests)).not.toContain('upstream-secret-key');
  expect(headersOf(bed.harness.simulator.requests)).not.toContain(API_KEY);
  expect(bed.platformCalls().length).toBeGreaterThan(0);
});
