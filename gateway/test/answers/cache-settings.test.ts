// The cache of answers as a setting of keys and organizations: who may set it, who gets whose answers, and what it has
// saved.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import { startHarness } from '../harness.ts';
import { OrgBed } from '../orgs/org-bed.ts';

const COST = 0.00005;
const pricing = { prompt: '1', completion: '2' };

let bed: OrgBed;

beforeAll(async () => {
  bed = new OrgBed(
    await startHarness({
      models: {
        'acme/one': { commands: 'tokens-10-20', entry: { pricing } },
        'acme/two': { commands: 'tokens-10-20', entry: { pricing } },
      },
    }),
  );
});
afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.harness.close();
});

const ask = (key: string, wish?: string, body: Json = {}): Promise<Answer> =>
  bed.harness.chat(key, { model: 'acme/one', ...body }, wish === undefined ? {} : { 'X-Tollgate-Cache': wish });
const stateOf = ({ headers }: Answer): string | null => headers.get('x-tollgate-cache');
const states = async (...asked: readonly (() => Promise<Answer>)[]): Promise<(string | null)[]> => {
  const seen = [];
  for (const one of asked) seen.push(stateOf(await one()));
  return seen;
};

/** A person with money, a standard key, and the key to manage it with. */
async function keyed(cacheTtlSeconds: number | null = null) {
  const person = await bed.person();
  await bed.harness.operate('POST', `/admin/v1/users/${person.userId}/credits`, { amountUsd: 1, note: 'test' });
  const made = await bed.call(person, 'POST', '/v1/keys', { name: 'own', cacheTtlSeconds });
  expect(made.body).toMatchObject({ cacheTtlSeconds });
  const change = async (ttlSeconds: number | null): Promise<void> => {
    const path = `/v1/keys/${String(made.body.id)}`;
    const answer = await bed.call(person, 'PATCH', path, { cacheTtlSeconds: ttlSeconds });
    expect(answer.status, answer.text).toBe(200);
  };
  return { key: String(made.body.key), change };
}

/** A key of the organization that its administrator holds. */
async function keyOf(org: Org, cacheTtlSeconds: number): Promise<string> {
  const body = { name: 'org', userId: org.admin.userId, cacheTtlSeconds };
  const made = await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/keys`, body);
  expect(made.status, made.text).toBe(201);
  return String(made.body.key);
}

async function organization(settings: Json = {}) {
  const org = await bed.organization();
  await bed.credit(org.id, 5);
  await change(org, settings);
  const other = await bed.member(org, { role: 'member' });
  const keys = [await bed.orgKey(org.id, org.admin.userId), await bed.orgKey(org.id, other.userId)] as const;
  return { org, other, keys };
}
type Org = Awaited<ReturnType<OrgBed['organization']>>;

async function change(org: Org, settings: Json): Promise<void> {
  const answer = await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, { settings });
  expect(answer.status, answer.text).toBe(200);
}

test('a key has it for all its calls, a call says otherwise, and never means never', async () => {
  const { key, change: settle } = await keyed();
  expect(await states(() => ask(key))).toEqual([null]);
  await settle(300);
  const states300 = await states(
    () => ask(key),
    () => ask(key),
    () => ask(key, 'off'),
    () => ask(key, 'ttl=300, refresh'),
    () => ask(key, 'ttl=5'),
  );
  expect(states300).toEqual(['miss', 'hit', null, 'miss', 'hit']);
  await settle(0);
  expect(
    await states(
      () => ask(key),
      () => ask(key, 'ttl=300'),
    ),
  ).toEqual([null, 'bypass']);
  await settle(null);
  expect(
    await states(
      () => ask(key),
      () => ask(key, 'ttl=300'),
    ),
  ).toEqual([null, 'hit']);
});

test.each([-1, 1.5, 86_401, '300', true])('%j seconds are refused', async (cacheTtlSeconds) => {
  const { key } = await bed.person();
  const answer = await bed.call({ key }, 'POST', '/v1/keys', { name: 'k', cacheTtlSeconds });
  expect(answer.status).toBe(400);
});

test('an organization says it for its keys, and each key for itself', async () => {
  const { org, keys } = await organization({ cacheTtlSeconds: 300 });
  const detail = await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}`);
  expect(detail.body.settings).toMatchObject({ cacheTtlSeconds: 300, cacheShared: false });
  expect(
    await states(
      () => ask(keys[0]),
      () => ask(keys[0]),
    ),
  ).toEqual(['miss', 'hit']);
  const never = await keyOf(org, 0);
  expect(
    await states(
      () => ask(never),
      () => ask(never, 'ttl=5'),
    ),
  ).toEqual([null, 'bypass']);
  await change(org, { cacheTtlSeconds: 0 });
  const own = await keyOf(org, 300);
  expect(
    await states(
      () => ask(keys[0], 'ttl=5'),
      () => ask(own),
    ),
  ).toEqual(['bypass', null]);
  const [entry] = await bed.log(org, '?action=org.settings.update');
  expect(entry).toMatchObject({ after: { settings: { cacheTtlSeconds: 0 } } });
});

test('two members have the same only where the organization says so, and nobody outside ever does', async () => {
  const { org, other, keys } = await organization({ cacheTtlSeconds: 300 });
  expect(
    await states(
      () => ask(keys[0]),
      () => ask(keys[1]),
    ),
  ).toEqual(['miss', 'miss']);
  await change(org, { cacheShared: true });
  expect(
    await states(
      () => ask(keys[0]),
      () => ask(keys[1]),
    ),
  ).toEqual(['miss', 'hit']);
  const elsewhere = await organization({ cacheTtlSeconds: 300, cacheShared: true });
  expect(await states(() => ask(elsewhere.keys[0]))).toEqual(['miss']);
  // The same person with the money of their own account.
  await bed.harness.operate('POST', `/admin/v1/users/${other.userId}/credits`, { amountUsd: 1, note: 'test' });
  const own = await bed.call(other, 'POST', '/v1/keys', { name: 'own', cacheTtlSeconds: 300 });
  expect(await states(() => ask(String(own.body.key)))).toEqual(['miss']);
  // A model that an organization may no longer call is refused, whatever is in the cache.
  const models = { allowedModels: ['acme/two'] };
  expect((await bed.call(org.admin, 'PATCH', `/api/orgs/${org.id}/allowed-models`, models)).status).toBe(200);
  expect((await ask(keys[1])).status).toBe(403);
});

test('a filter judges every call, and what it changes is another call', async () => {
  const { org, keys } = await organization({ cacheTtlSeconds: 300, cacheShared: true });
  const secret = { messages: [{ role: 'user', content: 'The word is swordfish.' }] };
  expect(
    await states(
      () => ask(keys[0], undefined, secret),
      () => ask(keys[1], undefined, secret),
    ),
  ).toEqual(['miss', 'hit']);
  const filter = (action: string) => ({ name: action, pattern: 'swordfish', type: 'keyword', action });
  const made = await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/content-filters`, filter('redact'));
  expect(made.status, made.text).toBe(201);
  expect(await states(() => ask(keys[1], undefined, secret))).toEqual(['miss']);
  const blocking = await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/content-filters`, filter('block'));
  expect(blocking.status, blocking.text).toBe(201);
  expect((await ask(keys[1], undefined, secret)).status).toBe(403);
});

test('another revision of the catalog knows nothing of the last', async () => {
  const { key } = await bed.harness.account();
  expect(
    await states(
      () => ask(key, 'ttl=300'),
      () => ask(key, 'ttl=300'),
    ),
  ).toEqual(['miss', 'hit']);
  const document = await bed.harness.operate('GET', '/admin/v1/config');
  const models = document.models as Record<string, Json>;
  await bed.harness.operate('PUT', '/admin/v1/config', {
    ...document,
    models: { ...models, 'acme/two': { ...models['acme/two'], description: 'Another.' } },
  });
  expect(await states(() => ask(key, 'ttl=300'))).toEqual(['miss']);
});

test('emptied by a member for themselves, and by an administrator for all', async () => {
  const { org, keys } = await organization({ cacheTtlSeconds: 300 });
  const all = [() => ask(keys[0]), () => ask(keys[1])];
  await states(...all);
  expect(await states(...all)).toEqual(['hit', 'hit']);
  expect((await bed.call({ key: keys[1] }, 'DELETE', '/v1/cache')).status).toBe(204);
  expect(await states(...all)).toEqual(['hit', 'miss']);
  expect((await bed.call(org.admin, 'DELETE', `/api/orgs/${org.id}/cache`)).status).toBe(204);
  expect(await states(...all)).toEqual(['miss', 'miss']);
  const [entry] = await bed.log(org, '?action=org.cache.purge');
  expect(entry).toMatchObject({ targetId: org.id });
  await change(org, { cacheShared: true });
  await states(...all);
  // A member cannot empty the cache that all members share.
  await bed.call({ key: keys[1] }, 'DELETE', '/v1/cache');
  expect(await states(...all)).toEqual(['hit', 'hit']);
  await bed.call(org.admin, 'DELETE', `/api/orgs/${org.id}/cache`);
  expect(await states(...all)).toEqual(['miss', 'hit']);
});

test('what was saved is told, to a member what they saved', async () => {
  const { org, keys } = await organization({ cacheTtlSeconds: 300, cacheShared: true });
  await states(
    () => ask(keys[0]),
    () => ask(keys[1]),
    () => ask(keys[1]),
    () => ask(keys[0]),
  );
  const figures = async (key: string): Promise<Json> => (await bed.call({ key }, 'GET', '/v1/cache')).body.data as Json;
  expect(await figures(keys[1])).toMatchObject({
    hits: 2,
    savedUsd: 2 * COST,
    models: [{ model: 'acme/one', hits: 2 }],
  });
  expect(await figures(keys[0])).toMatchObject({ hits: 1, savedUsd: COST });
  const management = await bed.orgKey(org.id, org.admin.userId, { keyType: 'management' });
  expect(await figures(management)).toMatchObject({ hits: 3, savedUsd: 0.00015 });
  const stranger = await bed.harness.account();
  expect(await figures(stranger.key)).toMatchObject({ hits: 0, savedUsd: 0, days: [], models: [] });
});
