// The operator finds people, organizations and keys, and stops them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { rows } from './rows.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(() => harness.close());

const operate = (method: string, path: string, body?: unknown): Promise<Answer> =>
  harness.request(method, path, { key: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) });

const user = async (email: string, name: string): Promise<string> =>
  String((await operate('POST', '/admin/v1/users', { email, name })).body.id);

const found = async (query: string): Promise<unknown[]> => {
  const answer = await operate('GET', `/admin/v1/users?query=${encodeURIComponent(query)}`);
  expect(answer.status).toBe(200);
  return (answer.body.users as Json[]).map(({ id }) => id);
};

describe('users', () => {
  test('are found by any part of their id, address or name, in any case', async () => {
    const ida = await user('Ida.Smith@Example.test', 'Ida Smith');
    const igor = await user('igor@example.test', 'ida_second%');
    expect(await found(ida)).toEqual([ida]);
    expect((await operate('GET', '/admin/v1/users/ida.smith@example.test')).body).toMatchObject({ id: ida });
    expect((await operate('GET', '/admin/v1/users/nobody@example.test')).status).toBe(404);
    expect((await operate('GET', '/admin/v1/users/@')).status).toBe(404);
    expect(await found('IDA.sm')).toEqual([ida]);
    expect(await found('ida')).toEqual([igor, ida]);
    expect(await found('ida s')).toEqual([ida]);
    expect(await found('ida_')).toEqual([igor]);
    expect(await found('smith')).toEqual([ida]);
    expect(await found('AMPLE.TEST')).toEqual(expect.arrayContaining([igor, ida]));
    expect(await found(ida.slice(4))).toEqual([ida]);
  });

  test('signs that stand for any text in a search stand for themselves', async () => {
    for (const query of ['%a%', '\\', 'ida\\', "' or 1=1 --", '%00'.repeat(3)]) {
      expect(await found(query), query).toEqual([]);
    }
    expect(await found('_second%')).toHaveLength(1);
    const odd = await user('odd@example.test', '100%_\\ sure');
    expect(await found('100%_\\')).toEqual([odd]);
    expect((await operate('GET', `/admin/v1/users?query=${'x'.repeat(201)}`)).status).toBe(400);
    expect((await operate('GET', '/admin/v1/users?query=a%00b')).status).toBe(400);
  });

  test('come newest first, in pages that miss nobody and repeat nobody', async () => {
    const ids = [];
    for (let index = 0; index < 7; index++) ids.push(await user(`page-${index}@example.test`, `Page ${index}`));
    // Several with the same time, as an import makes them.
    await rows(harness.databaseUrl, 'update users set created_at = now() where id = any($1)', [ids.slice(2, 5)]);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await operate('GET', `/admin/v1/users?query=page-&limit=3${after}`);
      seen.push(...(body.users as Json[]).map(({ id }) => id));
      cursor = body.next as string | null;
    }
    expect(seen.length).toBe(7);
    expect([...seen].sort()).toEqual([...ids].sort());
    const all = await operate('GET', '/admin/v1/users?limit=2');
    expect([(all.body.users as Json[]).length, typeof all.body.next]).toEqual([2, 'string']);
    for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'cursor=%00', "cursor='"]) {
      expect((await operate('GET', `/admin/v1/users?${wrong}`)).status, wrong).toBe(400);
    }
    expect((await operate('GET', '/admin/v1/users?cursor=usr-nobody')).body).toEqual({ users: [], next: null });
  });

  test('are found by a key: its id, how it ends, or what is shown of it', async () => {
    const { userId, key, keyId } = await harness.account(0);
    expect(await found(keyId)).toEqual([userId]);
    const keys = (await operate('GET', `/admin/v1/users/${userId}/keys`)).body.keys as Json[];
    expect(await found(String(keys[0]?.keySuffix))).toContain(userId);
    expect(await found(`${keys[0]?.keyPrefix}…${keys[0]?.keySuffix}`)).toEqual([userId]);
    expect(await found(key.slice(3, -3))).toEqual([]);
  });

  test('have their balance, and are sorted by it from page to page', async () => {
    const amounts = ['3', '1', '0.5', '2'];
    for (const [index, amount] of amounts.entries()) {
      const id = await user(`sorted-${index}@example.test`, `Sorted ${index}`);
      await operate('POST', `/admin/v1/users/${id}/credits`, { amountUsd: amount, note: '' });
    }
    const balances = async (sorting: string): Promise<unknown[]> => {
      const first = await operate('GET', `/admin/v1/users?query=sorted-&limit=3&${sorting}`);
      const second = await operate('GET', `/admin/v1/users?query=sorted-&${sorting}&cursor=${first.body.next}`);
      return [...(first.body.users as Json[]), ...(second.body.users as Json[])].map(({ balanceUsd }) => balanceUsd);
    };
    expect(await balances('sort=balance')).toEqual([3, 2, 1, 0.5]);
    expect(await balances('sort=balance&order=asc')).toEqual([0.5, 1, 2, 3]);
    expect(await balances('sort=email')).toEqual([3, 1, 0.5, 2]);
    expect(await balances('sort=name&order=desc')).toEqual([2, 0.5, 1, 3]);
    for (const wrong of ['sort=password_hash', 'order=up']) {
      expect((await operate('GET', `/admin/v1/users?${wrong}`)).status, wrong).toBe(400);
    }
  });

  test('one is shown with balance, keys and organizations', async () => {
    const { userId, keyId, key } = await harness.account(12.5);
    const org = await operate('POST', '/admin/v1/orgs', { name: 'Shown', ownerUserId: userId });
    await operate('POST', `/admin/v1/orgs/${org.body.id}/keys`, { name: 'o', userId });
    const shown = await operate('GET', `/admin/v1/users/${userId}`);
    expect(shown.body).toEqual({
      id: userId,
      email: expect.stringContaining('@'),
      name: 'Test',
      suspended: false,
      createdAt: expect.stringMatching(/Z$/),
      balanceUsd: 12.5,
      keyCount: 2,
      organizations: [{ id: org.body.id, name: 'Shown', role: 'org_admin' }],
    });
    expect((await harness.chat(key, { model: 'openai/test' })).status).toBe(200);
    const keys = (await operate('GET', `/admin/v1/users/${userId}/keys`)).body.keys as Json[];
    expect(keys.map(({ name }) => name)).toEqual(['test', 'o']);
    expect(keys[0]).toMatchObject({ id: keyId, requestCount: 1, lastUsed: expect.stringMatching(/Z$/) });
    expect(JSON.stringify(keys)).not.toContain(key);
    expect((await operate('GET', '/admin/v1/users/usr-nobody')).status).toBe(404);
    expect((await operate('GET', '/admin/v1/users/usr-nobody/keys')).status).toBe(404);
  });
});

test('KEY-12 KEY-13 the operator switches any key off and on, and revokes it', async () => {
  const { key, keyId } = await harness.account(1);
  const read = async (): Promise<number> => (await harness.request('GET', '/v1/key', { key })).status;
  expect((await operate('PATCH', `/admin/v1/keys/${keyId}`, { enabled: false })).body).toEqual({ updated: true });
  expect(await read()).toBe(401);
  await operate('PATCH', `/admin/v1/keys/${keyId}`, { enabled: true });
  expect(await read()).toBe(200);
  expect((await operate('PATCH', `/admin/v1/keys/${keyId}`, { name: 'x' })).body).toMatchObject({
    error: { code: 'unsupported_param' },
  });
  expect((await operate('DELETE', `/admin/v1/keys/${keyId}`)).status).toBe(204);
  expect(await read()).toBe(401);
  expect((await operate('DELETE', `/admin/v1/keys/${keyId}`)).status).toBe(404);
  expect((await operate('PATCH', '/admin/v1/keys/key-none', { enabled: true })).status).toBe(404);
});

test('AUTH-06 organizations are found by any part of their name, and a suspended one is shown as such', async () => {
  const { userId } = await harness.account(0);
  const created = await operate('POST', '/admin/v1/orgs', { name: 'Zebra GmbH', ownerUserId: userId });
  await operate('PATCH', `/admin/v1/orgs/${created.body.id}`, { suspended: true });
  const answer = await operate('GET', '/admin/v1/orgs?query=bra%20g');
  expect(answer.body).toEqual({
    orgs: [
      {
        id: created.body.id,
        name: 'Zebra GmbH',
        suspended: true,
        createdAt: expect.stringMatching(/Z$/),
        balanceUsd: 0,
      },
    ],
    next: null,
  });
  expect((await operate('GET', `/admin/v1/orgs?query=${created.body.id}`)).body.orgs).toHaveLength(1);
  expect((await operate('GET', '/admin/v1/orgs?query=%25')).body).toEqual({ orgs: [], next: null });
});
