// While the database is away no caller is refused as unknown, and known callers go on. Changes reach other processes.

import { expect, test } from 'vitest';
import { openIdentity, startCallers } from './callers.ts';
import { MovableClock } from './movable-clock.ts';

test('a database outage is 503 with Retry-After for keys not seen yet, never 401; keys in use go on', async () => {
  const callers = await startCallers();
  const userId = await callers.newUser();
  const known = await callers.newKey(userId);
  const unseen = await callers.newKey(userId);
  expect((await callers.get('/v1/account', known.secret)).status).toBe(200);
  await callers.cutDatabase();
  expect((await callers.get('/v1/account', known.secret)).status).toBe(200);
  const answer = await callers.get('/v1/account', unseen.secret);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ error: { code: 503 } });
  const reading = await callers.get('/v1/reading');
  expect(reading.status).toBe(503);
  expect(Number(reading.headers.get('retry-after'))).toBeGreaterThan(0);
  // A text that cannot be one of our keys is refused without the database.
  expect((await callers.get('/v1/account', 'sk-tg-wrong')).status).toBe(401);
  await callers.restoreDatabase();
  await expect.poll(async () => (await callers.get('/v1/account', unseen.secret)).status).toBe(200);
  await callers.close();
});

test('KEY-12 KEY-13 AUTH-14 what is changed in one process counts in another', async () => {
  const callers = await startCallers();
  const other = await openIdentity(callers.databaseUrl, new MovableClock('2026-03-10T12:00:00Z'));
  const userId = await callers.newUser();
  const key = await callers.newKey(userId);
  expect(await other.identity.findCaller(key.secret)).toMatchObject({ keyId: key.id, isSuspended: false });
  expect(other.identity.findCaller(key.secret)).not.toBeInstanceOf(Promise);
  await callers.identity.setSuspended(userId, true);
  await expect.poll(() => other.identity.findCaller(key.secret)).toMatchObject({ isSuspended: true });
  const target = { scope: { accountId: userId }, keyId: key.id };
  await callers.identity.changeKey(target, { allowedCidrs: ['203.0.113.7'] });
  await expect.poll(() => other.identity.findCaller(key.secret)).toMatchObject({ allowedCidrs: ['203.0.113.7'] });
  await callers.identity.changeKey(target, { isEnabled: false });
  await expect.poll(() => other.identity.findCaller(key.secret)).toBeNull();
  await callers.identity.changeKey(target, { isEnabled: true });
  await expect.poll(() => other.identity.findCaller(key.secret)).toMatchObject({ keyId: key.id });
  await callers.identity.revokeKey({ scope: { accountId: userId }, keyId: key.id });
  await expect.poll(() => other.identity.findCaller(key.secret)).toBeNull();
  await other.close();
  await callers.close();
});

test('KEY-06 a secret is 256 bits of chance behind the prefix, and the database holds only a keyed hash of it', async () => {
  const callers = await startCallers();
  const userId = await callers.newUser();
  const key = await callers.newKey(userId, { name: 'label' });
  expect(key.secret).toMatch(/^sk-tg-[A-Za-z0-9_-]{49}$/);
  const statement = {
    name: 'test_dump_keys',
    text: 'SELECT row_to_json(k)::text AS dump, length(hash) FROM api_keys k',
  };
  const [row] = await callers.database.query<{ dump: string; length: number }>(statement);
  expect(row?.length).toBe(32);
  expect(row?.dump).not.toContain(key.secret.slice(10, -4));
  expect(row?.dump).not.toContain(Buffer.from(key.secret).toString('hex'));
  const found = await callers.identity.findKey({ scope: { accountId: userId }, keyId: key.id });
  expect(found).toMatchObject({ name: 'label', prefix: key.secret.slice(0, 10), suffix: key.secret.slice(-4) });
  const elsewhere = { scope: { accountId: await callers.newUser() }, keyId: key.id };
  expect(await callers.identity.findKey(elsewhere)).toBeNull();
  await callers.close();
});
