// Whom the issuer and the directory of an organization speak for. The directory decides who comes in through the issuer,
// and a domain that passes to another organization takes its people with it: the one that had it before speaks for them
// no more, whatever else it has proven.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { openTown, PASSWORD, type Town } from './people.ts';
import { begin, hire, locationOf, makeOrganization, type Organization } from './sign-on-bed.ts';

const SOLD = 'labs.example';
const KEPT = 'acme.example';
const MEMBERS = 'select 1 from org_members m join users u on u.id = m.user_id where u.email_normalized = $1';

const records = new Map<string, string>();
let town: Town;
let acme: Organization;
let globex: Organization;
let directory: string;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => [[records.get(name) ?? '']];
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  acme = await makeOrganization(town, records, SOLD);
  globex = await makeOrganization(town, records, 'globex.example');
  await confirm(acme, KEPT);
  const made = await acme.admin.post(`/api/orgs/${acme.orgId}/provisioning/tokens`, { name: 'Directory' });
  directory = String(made.body.token);
});

afterAll(async () => {
  await acme?.issuer.close();
  await globex?.issuer.close();
  await town.close();
});

async function confirm({ admin, orgId }: Organization, domain: string): Promise<void> {
  const claimed = await admin.post(`/api/orgs/${orgId}/domains`, { domain });
  records.set(String(claimed.body.recordName), String(claimed.body.recordValue));
  const checked = await admin.post(`/api/orgs/${orgId}/domains/${domain}/check`);
  expect(checked.status, checked.text).toBe(200);
}

async function sell(): Promise<void> {
  const dropped = await acme.admin.request('DELETE', `/api/orgs/${acme.orgId}/domains/${SOLD}`);
  expect(dropped.status).toBe(204);
  await confirm(globex, SOLD);
}

async function takeBack(): Promise<void> {
  await globex.admin.request('DELETE', `/api/orgs/${globex.orgId}/domains/${SOLD}`);
  await confirm(acme, SOLD);
}

async function signOn(subject: string): Promise<Readonly<{ browser: Browser; end: string }>> {
  const browser = town.browser();
  const back = await acme.issuer.visit(locationOf(await begin(browser, `somebody@${KEPT}`)), subject);
  const page = await browser.get(back.replace(town.harness.url, ''));
  return { browser, end: locationOf(page).replace(town.harness.url, '') };
}

const scim = (method: string, path: string, body?: Json): Promise<Answer> =>
  town.harness.request(method, `/scim/v2${path}`, { key: directory, ...(body === undefined ? {} : { body }) });

const change = (id: string, value: Json): Promise<Answer> =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value }] });

const addressOf = async (userId: string): Promise<unknown> =>
  (await town.rows('select email from users where id = $1', [userId]))[0]?.email;

test('whom the directory has never activated does not come in, although the issuer knows them', async () => {
  const { subject, email } = hire(acme);
  const created = await scim('POST', '/Users', { userName: email, active: false });
  expect(created.status, created.text).toBe(201);
  expect((await signOn(subject)).end).toBe('/console/sign-in?error=suspended');
  expect(await town.rows(MEMBERS, [email])).toEqual([]);
  await change(String(created.body.id), { active: true });
  expect((await signOn(subject)).end).toBe('/console/');
});

test('whom the directory deactivates while they sign in does not become a member again', async () => {
  const { subject, email } = hire(acme);
  await scim('POST', '/Users', { userName: email });
  expect((await signOn(subject)).end).toBe('/console/');
  const directoryAtWork = new Client(town.harness.databaseUrl);
  await directoryAtWork.connect();
  await directoryAtWork.query('begin');
  await directoryAtWork.query('select 1 from organizations where id = $1 for no key update', [acme.orgId]);
  const signingOn = signOn(subject);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => town.rows(waiting), { timeout: 30_000 }).not.toEqual([]);
  await directoryAtWork.query('update provisioned_people set is_active = false where email_normalized = $1', [email]);
  await directoryAtWork.query(
    'delete from org_members where user_id = (select id from users where email_normalized = $1)',
    [email],
  );
  await directoryAtWork.query('commit');
  await directoryAtWork.end();
  expect((await signingOn).end).toBe('/console/sign-in?error=suspended');
  expect(await town.rows(MEMBERS, [email])).toEqual([]);
});

test('the issuer opens no account of a domain that its organization has given up, by the name it knew it under', async () => {
  const { subject, email } = hire(acme);
  expect((await signOn(subject)).end).toBe('/console/');
  acme.issuer.people.set(subject, { email: `renamed@${KEPT}`, email_verified: true });
  // Both domains are the organization's, so the account follows the person.
  const renamed = await signOn(subject);
  expect((await renamed.browser.get('/api/auth/session')).body).toMatchObject({ user: { email } });
  await sell();
  const { browser, end } = await signOn(subject);
  expect(end).toBe('/console/sign-in?error=unverified');
  expect((await browser.get('/api/auth/session')).status).toBe(401);
  await takeBack();
});

test('the directory neither renames, nor moves, nor signs out, nor adds a person of such a domain', async () => {
  const address = `person@${SOLD}`;
  const created = await scim('POST', '/Users', { userName: address });
  expect(created.status, created.text).toBe(201);
  const id = String(created.body.id);
  const [user] = await town.rows('select id from users where email_normalized = $1', [address]);
  const userId = String(user?.id);
  await sell();
  expect((await change(id, { userName: `taken@${KEPT}` })).status).toBe(400);
  expect((await change(id, { displayName: 'Somebody else' })).status).toBe(400);
  expect(await addressOf(userId)).toBe(address);
  expect((await change(id, { active: false })).status).toBe(200);
  const hash = await town.rows('select password_hash from users where password_hash is not null limit 1');
  await town.rows('update users set password_hash = $2 where id = $1', [userId, hash[0]?.password_hash]);
  const browser = town.browser();
  expect((await browser.post('/api/auth/login', { email: address, password: PASSWORD })).status).toBe(200);
  expect((await change(id, { active: false })).status).toBe(200);
  expect((await browser.get('/api/auth/session')).status).toBe(200);
  expect((await change(id, { active: true, userName: `taken@${KEPT}` })).status).toBe(400);
  const members = await town.rows('select 1 from org_members where org_id = $1 and user_id = $2', [acme.orgId, userId]);
  expect(members).toEqual([]);
  expect(await addressOf(userId)).toBe(address);
  await takeBack();
  expect((await change(id, { active: true, userName: `moved@${KEPT}` })).status).toBe(200);
  expect(await addressOf(userId)).toBe(`moved@${KEPT}`);
});

test('a link for a new password that was mailed to the address before opens nothing, and another change leaves it', async () => {
  const [stays, moves] = [`stays@${KEPT}`, `moves@${KEPT}`];
  const ids: string[] = [];
  for (const userName of [stays, moves]) {
    ids.push(String((await scim('POST', '/Users', { userName })).body.id));
    expect((await town.browser().post('/api/auth/forgot-password', { email: userName })).status).toBe(202);
  }
  const tokens = [await town.token(stays), await town.token(moves)];
  expect((await change(ids[0] ?? '', { displayName: 'Renamed' })).status).toBe(200);
  expect((await change(ids[1] ?? '', { userName: `elsewhere@${KEPT}` })).status).toBe(200);
  const statuses: number[] = [];
  for (const token of tokens) {
    statuses.push((await town.browser().post('/api/auth/reset-password', { token, password: PASSWORD })).status);
  }
  expect(statuses).toEqual([200, 400]);
});
