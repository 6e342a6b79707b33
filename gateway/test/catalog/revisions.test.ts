// Changes of the config document can be seen beforehand, found afterwards and undone: an earlier revision comes back
// exactly, keys included, and no key is shown on the way.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
const CONFIG = '/admin/v1/config';

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const live = (): Promise<Json> => harness.operate('GET', CONFIG);
const revisions = async (): Promise<Json[]> => {
  const { data } = await harness.operate('GET', `${CONFIG}/revisions`);
  return data as Json[];
};
const upstreamKey = async (): Promise<unknown> => {
  const { key } = await harness.account();
  const before = harness.simulator.requests.length;
  await harness.chat(key, { model: 'openai/test' });
  return harness.simulator.requests[before]?.headers.authorization;
};

test('a dry run shows what would change and changes nothing', async () => {
  const before = await live();
  const count = (await revisions()).length;
  const models = { ...(before.models as Json), 'a/b': { pricing: { prompt: '1', completion: '2' } } };
  const answer = await harness.operate('PUT', `${CONFIG}?dry_run=true`, { ...before, models, limits: undefined });
  expect(answer).toMatchObject({ applied: false, changes: expect.arrayContaining(['+ model a/b']) });
  expect(answer.removals).toEqual([
    '~ limits.free_requests_per_minute 100000 -> (none)',
    '~ limits.paid_requests_per_minute 100000 -> (none)',
  ]);
  expect((answer.config as Json).models).toHaveProperty(['a/b']);
  expect(await live()).toEqual(before);
  expect(await revisions()).toHaveLength(count);
});

test('every change is a revision with its author, its note and what it changed', async () => {
  const before = await live();
  const query = `author=${encodeURIComponent('Ann B.')}&note=${encodeURIComponent('fewer calls')}`;
  const applied = await harness.operate('PUT', `${CONFIG}?${query}`, {
    ...before,
    limits: { ...(before.limits as Json), free_requests_per_minute: 5 },
  });
  const [newest, first] = await revisions();
  expect(newest).toMatchObject({
    ...{ revision: applied.revision, source: 'operator', author: 'Ann B.', note: 'fewer calls' },
    ...{ isLive: true, restored: null, changes: 1 },
  });
  expect(first).toMatchObject({ source: 'file', author: expect.stringContaining('config.json'), isLive: false });
  const detail = await harness.operate('GET', `${CONFIG}/revisions/${newest?.revision}`);
  expect(detail).toMatchObject({
    against: first?.revision,
    changes: ['~ limits.free_requests_per_minute 100000 -> 5'],
    removals: [],
  });
});

test('what is not mentioned stays when a document is merged, and a route is added to those there are', async () => {
  const before = await live();
  const added = { 'openai/test': { routes: [{ provider: 'dead', upstream_model: 'x' }] }, 'a/new': {} };
  const { changes, removals } = await harness.operate('PUT', `${CONFIG}?merge=true`, { models: added });
  expect(removals).toEqual([]);
  expect(changes).toHaveLength(2);
  const after = await live();
  expect(after.providers).toEqual(before.providers);
  const { routes } = (after.models as Record<string, { routes: unknown }>)['openai/test'] ?? {};
  expect(routes).toEqual([
    { provider: 'sim', upstream_model: 'openai/test' },
    { provider: 'dead', upstream_model: 'x' },
  ]);
  await harness.operate('PUT', CONFIG, before);
});

test('the exported document can be applied as it is, and an earlier revision comes back exactly, its key too', async () => {
  const before = await live();
  expect(await harness.operate('PUT', CONFIG, before)).toMatchObject({ applied: false, changes: [], removals: [] });
  const [{ revision } = {}] = await revisions();
  const keyBefore = await upstreamKey();
  expect(keyBefore).toBe('Bearer upstream-secret-key');

  const { sim } = before.providers as Record<string, Json>;
  const providers = { sim: { ...sim, api_key: 'another-upstream-key' } };
  await harness.operate('PUT', CONFIG, {
    ...before,
    providers,
    models: { 'openai/test': (before.models as Json)['openai/test'] },
  });
  expect(await upstreamKey()).toBe('Bearer another-upstream-key');

  const trial = await harness.operate('POST', `${CONFIG}/revisions/${revision}/restore?dry_run=true`, {});
  expect(trial).toMatchObject({ applied: false, changes: expect.arrayContaining(['~ provider sim: api_key changed']) });
  expect(await upstreamKey()).toBe('Bearer another-upstream-key');
  const restored = await harness.request('POST', `${CONFIG}/revisions/${revision}/restore`, {
    key: ADMIN_TOKEN,
    body: { note: 'that was wrong', author: 'Ann' },
  });
  expect(restored.text).not.toContain('upstream-secret-key');
  expect(await live()).toEqual(before);
  expect(await upstreamKey()).toBe(keyBefore);
  const [newest] = await revisions();
  expect(newest).toMatchObject({ restored: revision, note: 'that was wrong', author: 'Ann' });
  const same = await harness.operate('GET', `${CONFIG}/revisions/${newest?.revision}?against=${revision}`);
  expect(same).toMatchObject({ changes: [], removals: [] });
});

test('a change made for another revision than the live one is refused, as are numbers that are none', async () => {
  const before = await live();
  const put = (query: string) =>
    harness.request('PUT', `${CONFIG}?${query}`, { key: ADMIN_TOKEN, body: { ...before, default_provider: 'sim' } });
  expect((await put('revision=1')).status).toBe(409);
  for (const query of ['revision=-1', 'revision=x', 'dry_run=yes', `note=${'n'.repeat(501)}`, 'author=%00']) {
    expect((await put(query)).status, query).toBe(400);
  }
  expect(await live()).toEqual(before);
  for (const number of ['0', '999999', '-1', 'x', '9'.repeat(40)]) {
    const path = `${CONFIG}/revisions/${number}`;
    expect((await harness.request('GET', path, { key: ADMIN_TOKEN })).status, number).toBe(404);
    expect((await harness.request('POST', `${path}/restore`, { key: ADMIN_TOKEN, body: {} })).status).toBe(404);
  }
  const missing = await harness.request('GET', `${CONFIG}/revisions/1?against=999999`, { key: ADMIN_TOKEN });
  expect(missing.status).toBe(404);
});

test('revisions come in pages, and of those who ask at once with one revision in mind only one is heard', async () => {
  const before = await live();
  const [{ revision } = {}] = await revisions();
  const answers = await Promise.all(
    [11, 12, 13, 14].map((rate) =>
      harness.request('PUT', `${CONFIG}?revision=${revision}`, {
        key: ADMIN_TOKEN,
        body: { ...before, limits: { free_requests_per_minute: rate } },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const page = await harness.operate('GET', `${CONFIG}/revisions?limit=2`);
  const rest = await harness.operate('GET', `${CONFIG}/revisions?limit=100&after=${page.next}`);
  const all = [...(page.data as Json[]), ...(rest.data as Json[])];
  expect(all).toEqual(await revisions());
  expect(rest.next).toBeNull();
});
