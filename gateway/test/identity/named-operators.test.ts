// Operators by name: appointed with the token, limited to their role at once, named in the log, and without a way to a
// higher role.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import type { Browser } from '../signin/browser.ts';
import { openTown, type Town } from '../signin/people.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(() => town.close());

type Somebody = Readonly<{ browser: Browser; userId: string; address: string }>;

async function operator(role: string): Promise<Somebody> {
  const somebody = await town.operatorUser();
  await town.harness.operate('POST', '/admin/v1/operators', { email: somebody.address, role });
  return somebody;
}

const messageOf = (body: Json): string => String((body.error as Json).message);

test('a session opens the desk from the appointment on, and is told so', async () => {
  const { browser, userId, address } = await town.operatorUser();
  expect((await browser.get('/admin/v1/users')).status).toBe(401);
  expect((await browser.get('/api/auth/session')).body.operatorRole).toBeNull();
  await town.harness.operate('POST', '/admin/v1/operators', { email: address.toUpperCase(), role: 'owner' });
  expect((await browser.get('/admin/v1/users')).status).toBe(200);
  expect((await browser.get('/admin/v1/operator')).body).toEqual({ userId, email: address, role: 'owner' });
  expect((await browser.get('/api/auth/session')).body.operatorRole).toBe('owner');
  expect(await town.harness.operate('GET', '/admin/v1/operator')).toEqual({ userId: null, email: null, role: 'owner' });
});

test('a role that is changed or taken away counts with the next request', async () => {
  const { browser, userId } = await operator('owner');
  const brake = (): Promise<number> =>
    browser.request('PATCH', '/admin/v1/brake', { enabled: false }).then(({ status }) => status);
  expect(await brake()).toBe(200);
  await town.harness.operate('PATCH', `/admin/v1/operators/${userId}`, { role: 'read_only' });
  expect(await brake()).toBe(403);
  expect((await browser.get('/admin/v1/brake')).status).toBe(200);
  await town.harness.operate('DELETE', `/admin/v1/operators/${userId}`);
  expect((await browser.get('/admin/v1/brake')).status).toBe(401);
});

test('a suspended or signed-out person is no operator', async () => {
  const { browser, userId } = await operator('owner');
  await town.harness.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
  expect((await browser.get('/admin/v1/users')).status).toBe(401);
  const left = await operator('owner');
  await left.browser.post('/api/auth/logout');
  expect((await left.browser.get('/admin/v1/users')).status).toBe(401);
});

test('a wrong token beside an operator’s session is a wrong token', async () => {
  const { browser } = await operator('owner');
  const answer = await browser.request('GET', '/admin/v1/users', undefined, { Authorization: 'Bearer wrong' });
  expect(answer.status).toBe(401);
});

test('support cannot lock out an owner, appoint anybody, or come by a secret', async () => {
  const [{ browser }, owner] = [await operator('support'), await operator('owner')];
  const suspended = await browser.request('PATCH', `/admin/v1/users/${owner.userId}`, { suspended: true });
  expect([suspended.status, messageOf(suspended.body)]).toEqual([403, expect.stringContaining('only an owner')]);
  const appointed = await browser.post('/admin/v1/operators', { email: owner.address, role: 'support' });
  expect([appointed.status, messageOf(appointed.body)]).toEqual([403, expect.stringContaining('support')]);
  expect((await browser.post(`/admin/v1/users/${owner.userId}/keys`, { name: 'key' })).status).toBe(403);
  expect((await owner.browser.get('/admin/v1/users')).status).toBe(200);
});

test('support opens users and organizations, but sets no password and gives no credit line', async () => {
  const [{ browser, userId }, owner] = [await operator('support'), await operator('owner')];
  const user = { email: town.newAddress(), name: 'Later an owner', password: 'known to support' };
  const refused = await browser.post('/admin/v1/users', user);
  expect([refused.status, messageOf(refused.body)]).toEqual([403, expect.stringContaining('password')]);
  expect((await browser.post('/admin/v1/users', { email: user.email, name: user.name })).status).toBe(201);
  expect((await owner.browser.post('/admin/v1/users', { ...user, email: town.newAddress() })).status).toBe(201);
  const terms = { billingPlan: 'monthly', creditLineUsd: 1_000_000 };
  const line = await browser.post('/admin/v1/orgs', { name: 'Mine', ownerUserId: userId, ...terms });
  expect([line.status, messageOf(line.body)]).toEqual([403, expect.stringContaining('owner')]);
  expect((await browser.post('/admin/v1/orgs', { name: 'Prepaid', ownerUserId: userId })).status).toBe(201);
  expect((await owner.browser.post('/admin/v1/orgs', { name: 'Theirs', ownerUserId: userId, ...terms })).status).toBe(
    201,
  );
});

test('the log says who acted, and can be asked for one person’s changes', async () => {
  const { browser, userId, address } = await operator('support');
  const customer = await town.operatorUser();
  await browser.get(`/admin/v1/users/${customer.userId}`);
  await browser.post(`/admin/v1/users/${customer.userId}/credits`, { amountUsd: 1, note: 'sorry' });
  // The refused changes were not made.
  await browser.request('PATCH', '/admin/v1/brake', { enabled: true });
  const read = async (query: string): Promise<Json[]> =>
    ((await town.harness.operate('GET', `/admin/v1/audit-log?${query}`)) as { data: Json[] }).data;
  const all = await read(`operator=${userId}`);
  expect(all.map(({ method, route }) => `${method} ${route}`)).toEqual([
    'POST /admin/v1/users/:id/credits',
    'GET /admin/v1/users/:id',
  ]);
  expect(all[0]).toMatchObject({ operator: { userId, email: address }, params: { id: customer.userId } });
  expect((await read(`operator=${userId}&changes=true`)).length).toBe(1);
  expect((await read('limit=1'))[0]).toMatchObject({ route: '/admin/v1/audit-log', operator: null });
});

test('a revision of the config carries the name of whoever made it, whatever the request says', async () => {
  const { browser, address } = await operator('owner');
  const { body: config } = await browser.get('/admin/v1/config');
  const next = { ...config, accounts: { contact: 'help@example.test' } };
  const put = await browser.request('PUT', '/admin/v1/config?author=somebody', next);
  expect(put.status, put.text).toBe(200);
  const revisions = (await browser.get('/admin/v1/config/revisions')).body as { data: Json[] };
  expect(revisions.data[0]).toMatchObject({ author: address });
});

test('who has no account cannot be an operator, and who is none cannot be changed', async () => {
  const { status } = await town.harness.request('POST', '/admin/v1/operators', {
    key: ADMIN_TOKEN,
    body: { email: 'nobody@example.test', role: 'owner' },
  });
  expect(status).toBe(404);
});
