// How many keys one holder can make: those that are deleted stay in the table, because records name them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';
import { rows } from './rows.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

test('DOS-1 keys that are made and deleted again and again are bounded by the day', async () => {
  const { userId } = await harness.account(0);
  const path = `/admin/v1/users/${userId}/keys`;
  const manage = String((await harness.operate('POST', path, { name: 'm', keyType: 'management' })).key);
  const make = async (): Promise<number> =>
    (await harness.request('POST', '/v1/keys', { key: manage, body: { name: 'one more' } })).status;
  const all = (statement: string) => rows(harness.databaseUrl, statement, [userId]);
  await all(`insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix, revoked_at)
    select 'key-gone-' || n || $1, sha256(convert_to(n || $1, 'UTF8')), 'n', 'standard', $1, $1, 'p', 's', now()
    from generate_series(1, 19997) n`);
  expect(await make()).toBe(201);
  expect(await make()).toBe(409);
  await all("update api_keys set created_at = now() - interval '2 days' where user_id = $1");
  expect(await make()).toBe(201);
});
