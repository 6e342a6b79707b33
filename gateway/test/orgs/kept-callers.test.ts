// A change of one person in an organization makes no other caller of the organization be looked up again. A key that is
// switched off behind the gateway's back shows whose callers were.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { openTown, type Town } from '../signin/people.ts';
import { OrgBed } from './org-bed.ts';
import { askScim, type Company, oktaUser, openCompany, PATCH_SCHEMA } from './scim-client.ts';

let town: Town;
let acme: Company;
let bed: OrgBed;

beforeAll(async () => {
  town = await openTown();
  acme = await openCompany(town, 'acme.example');
  await town.rows('update organizations set seats = 100 where id = $1', [acme.orgId]);
  bed = new OrgBed(town.harness);
}, 120_000);

afterAll(() => town?.close());

const isCaller = async (key: string): Promise<boolean> =>
  (await town.harness.chat(key, { model: 'nobody/nothing' })).status !== 401;

/** A key of the organization that the gateway remembers as usable, and that no longer is. */
async function rememberedKey(orgId: string, userId: string): Promise<string> {
  const made = await town.harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'k', userId });
  const key = String(made.key);
  expect(await isCaller(key)).toBe(true);
  await town.rows('update api_keys set revoked_at = now() where id = $1', [made.id]);
  return key;
}

async function scim(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await askScim(town.harness, { token: acme.token, method, path, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

const patch = (path: string, operation: Json): Promise<Json> =>
  scim('PATCH', path, { schemas: [PATCH_SCHEMA], Operations: [operation] });

/** Somebody whom the directory has sent. */
async function hired(): Promise<Readonly<{ id: string; key: string }>> {
  const { id, userName } = await scim('POST', '/Users', oktaUser(acme));
  const [user] = await town.rows('select id from users where email_normalized = $1', [userName]);
  return { id: String(id), key: await rememberedKey(acme.orgId, String(user?.id)) };
}

test('a directory that sends, changes and removes people makes only these be looked up again', async () => {
  const [one, other] = [await hired(), await hired()];
  const who = async () => [await isCaller(one.key), await isCaller(other.key)];
  await scim('POST', '/Users', oktaUser(acme));
  expect(await who()).toEqual([true, true]);
  await patch(`/Users/${one.id}`, { op: 'replace', path: 'displayName', value: 'Renamed' });
  expect(await who()).toEqual([false, true]);
  await scim('DELETE', `/Users/${one.id}`);
  expect(await who()).toEqual([false, true]);
});

test('a directory that arranges groups makes only those be looked up again who change their team', async () => {
  const [one, two, other] = [await hired(), await hired(), await hired()];
  const who = async () => [await isCaller(one.key), await isCaller(two.key), await isCaller(other.key)];
  const { id } = await scim('POST', '/Groups', { displayName: 'Painters', members: [{ value: one.id }] });
  expect(await who()).toEqual([false, true, true]);
  await patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: 'Sculptors' });
  expect(await who()).toEqual([false, true, true]);
  await patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: two.id }] });
  expect(await who()).toEqual([false, false, true]);
});

test('invitations make nobody be looked up again', async () => {
  const org = await bed.organization();
  const key = await rememberedKey(org.id, org.admin.userId);
  const path = `/api/orgs/${org.id}/invitations`;
  const sent = await bed.call(org.admin, 'POST', path, { email: 'new@example.test', role: 'member' });
  expect(sent.status, sent.text).toBe(201);
  expect((await bed.call(org.admin, 'DELETE', `${path}/${sent.body.id}`)).status).toBeLessThan(300);
  expect(await isCaller(key)).toBe(true);
});

test('a member who comes, changes or goes makes nobody else be looked up again', async () => {
  const org = await bed.organization();
  const key = await rememberedKey(org.id, org.admin.userId);
  const [changed, removed] = [await bed.member(org), await bed.member(org)];
  const keys = [await rememberedKey(org.id, changed.userId), await rememberedKey(org.id, removed.userId)];
  const members = `/v1/orgs/${org.id}/members`;
  const change = await bed.call(org.admin, 'PATCH', `${members}/${changed.memberId}`, { monthlyBudget: 5 });
  expect(change.status, change.text).toBe(200);
  expect((await bed.call(org.admin, 'DELETE', `${members}/${removed.memberId}`)).status).toBeLessThan(300);
  expect(await Promise.all(keys.map(isCaller))).toEqual([false, false]);
  expect(await isCaller(key)).toBe(true);
});
