// SCIM as Okta and Entra send it: people come, change and go, groups become teams, and nothing affects another
// organization or an address outside the confirmed domains.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import { openTown, PASSWORD, type Town } from '../signin/people.ts';
import {
  askScim,
  bare,
  type Company,
  changesOfGroup,
  changesOfUser,
  ENTERPRISE,
  expectedAfter,
  filtered,
  list,
  oktaUser,
  openCompany,
  PATCH_SCHEMA,
  SEARCH_SCHEMA,
  strayAttributes,
  USER_SCHEMA,
} from './scim-client.ts';

let town: Town;
let acme: Company;
let globex: Company;

beforeAll(async () => {
  town = await openTown({ models: { 'openai/test': {} } });
  acme = await openCompany(town, 'acme.example');
  globex = await openCompany(town, 'globex.example');
}, 120_000);

afterAll(() => town?.close());

const scim = ({ token }: Pick<Company, 'token'>, method: string, path: string, body?: unknown): Promise<Answer> =>
  askScim(town.harness, { token, method, path, body });

const patch = (company: Company, path: string, ...Operations: Json[]): Promise<Answer> =>
  scim(company, 'PATCH', path, { schemas: [PATCH_SCHEMA], Operations });

async function hire(company: Company, changes: Json = {}): Promise<Readonly<{ id: string; userName: string }>> {
  const created = await scim(company, 'POST', '/Users', oktaUser(company, changes));
  expect(created.status, created.text).toBe(201);
  return { id: String(created.body.id), userName: String(created.body.userName) };
}

const memberOf = async ({ orgId }: Company, email: string): Promise<Json | undefined> =>
  (
    await town.rows(
      `select m.id, m.role, m.user_id, t.name as team from org_members m join users u on u.id = m.user_id
       left join teams t on t.id = m.team_id where m.org_id = $1 and u.email_normalized = $2`,
      [orgId, email.toLowerCase()],
    )
  )[0];

describe('people as Okta sends them', () => {
  test('are looked for, created, read, replaced, deactivated and active again', async () => {
    const user = oktaUser(acme);
    const address = String(user.userName);
    const before = await scim(acme, 'GET', `/Users${filtered('userName', address)}`);
    expect(before.body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] });
    const created = await scim(acme, 'POST', '/Users', user);
    expect(created.status, created.text).toBe(201);
    expect(created.headers.get('content-type')).toContain('application/scim+json');
    const id = String(created.body.id);
    expect(created.headers.get('location')).toBe(`${town.harness.url}/scim/v2/Users/${id}`);
    expect(created.body).toMatchObject({
      schemas: [USER_SCHEMA],
      userName: address,
      externalId: user.externalId,
      displayName: user.displayName,
      name: user.name,
      emails: [{ value: address, type: 'work', primary: true }],
      active: true,
      meta: { resourceType: 'User' },
    });
    expect(created.text).not.toContain('1mz050nq');
    expect(await memberOf(acme, address)).toMatchObject({ role: 'member', team: null });
    expect((await scim(acme, 'POST', '/Users', user)).body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect(list(await scim(acme, 'GET', `/Users${filtered('userName', address.toUpperCase())}`))).toHaveLength(1);
    const replaced = await scim(acme, 'PUT', `/Users/${id}`, { ...user, displayName: 'Renamed' });
    expect([replaced.status, replaced.body.displayName]).toEqual([200, 'Renamed']);
    expect(await town.rows('select name from users where email = $1', [address])).toEqual([{ name: 'Renamed' }]);
    const gone = await patch(acme, `/Users/${id}`, { op: 'replace', value: { active: false } });
    expect([gone.status, gone.body.active]).toEqual([200, false]);
    expect(await memberOf(acme, address)).toBeUndefined();
    expect((await scim(acme, 'GET', `/Users/${id}`)).body.active).toBe(false);
    await patch(acme, `/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(await memberOf(acme, address)).toMatchObject({ role: 'member' });
    const log = await acme.admin.get(`/api/orgs/${acme.orgId}/audit-log`);
    const actions = (log.body.entries as Json[] | undefined)?.map(({ action }) => action) ?? [];
    expect(actions).toEqual(
      expect.arrayContaining(['org.provisioning_token.create', 'org_member.add', 'org_member.remove']),
    );
  });

  test('whoever is deactivated loses keys and sessions, and what is their own stays', async () => {
    const { userId, address } = await town.operatorUser();
    await town.rows('update users set email = $2, email_normalized = $2 where id = $1', [userId, 'own@acme.example']);
    const browser = town.browser();
    expect((await browser.post('/api/auth/login', { email: 'own@acme.example', password: PASSWORD })).status).toBe(200);
    const { id } = await hire(acme, { userName: 'own@acme.example', emails: [], displayName: 'Somebody else' });
    // An account that existed before belongs to the person: the directory does not rename it.
    expect(await town.rows('select name from users where id = $1', [userId])).toEqual([{ name: 'Bo' }]);
    await town.harness.operate('POST', `/admin/v1/orgs/${acme.orgId}/credits`, { amountUsd: 5, note: 'x' });
    const key = async (path: string): Promise<string> =>
      String((await town.harness.operate('POST', path, { name: 'k', keyType: 'standard', userId })).key);
    const orgKey = await key(`/admin/v1/orgs/${acme.orgId}/keys`);
    await town.harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 5, note: 'x' });
    const own = String(
      (await town.harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'own', keyType: 'standard' })).key,
    );
    expect((await town.harness.chat(orgKey, { model: 'openai/test' })).status).toBe(200);
    await patch(acme, `/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect((await town.harness.chat(orgKey, { model: 'openai/test' })).status).toBe(401);
    expect((await browser.get('/api/auth/session')).status).toBe(401);
    expect((await town.harness.chat(own, { model: 'openai/test' })).status).toBe(200);
    expect(address).toContain('@');
  });
});

describe('people as Entra sends them', () => {
  test('a reference to somebody that is not kept is nobody’s', async () => {
    const { id } = await hire(acme);
    for (const manager of ['manager', `${ENTERPRISE}:manager`]) {
      const filter = encodeURIComponent(`id eq "${id}" and ${manager} eq "${id}"`);
      const answer = await scim(acme, 'GET', `/Users?filter=${filter}`);
      expect([answer.status, answer.body.totalResults]).toEqual([200, 0]);
    }
  });

  test('a path for each value, with filters, schemas, capitals and texts for flags', async () => {
    const probe = await scim(acme, 'GET', `/Users${filtered('userName', crypto.randomUUID())}`);
    expect([probe.status, probe.body.totalResults]).toEqual([200, 0]);
    const { id, userName } = await hire(acme, {
      schemas: [USER_SCHEMA, ENTERPRISE],
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'x' } },
      meta: { resourceType: 'User' },
      roles: [],
    });
    const changed = await patch(
      acme,
      `/Users/${id}`,
      { op: 'Replace', path: 'displayName', value: 'Bjorn' },
      { op: 'Add', path: 'name.givenName', value: 'Björn' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'bjorn@acme.example' },
      { op: 'Add', path: 'emails[type eq "home"].value', value: 'bjorn@home.test' },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Support' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1' },
      { op: 'Replace', path: `${USER_SCHEMA}:externalId`, value: 'ext' },
    );
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({
      userName,
      externalId: 'ext',
      displayName: 'Bjorn',
      name: { givenName: 'Björn' },
      emails: [{ value: 'bjorn@acme.example' }],
    });
    // The account that was opened for the person has the new address; the old one is nobody's.
    expect(await memberOf(acme, 'bjorn@acme.example')).toMatchObject({ role: 'member' });
    expect(await town.rows('select 1 from users where email_normalized = $1', [userName])).toEqual([]);
    expect(list(await scim(acme, 'GET', `/Users${filtered('externalId', 'ext')}`))).toMatchObject([{ id }]);
    const byAddress = `/Users${filtered('emails[type eq "work"].value', 'Bjorn@acme.example')}`;
    expect(list(await scim(acme, 'GET', byAddress))).toMatchObject([{ id }]);
    const older = { 'name.familyName': 'Borg', 'emails[type eq "work"].value': 'borg@acme.example', active: 'True' };
    const dotted = await patch(acme, `/Users/${id}`, { op: 'Add', value: older });
    expect(dotted.body).toMatchObject({ name: { familyName: 'Borg' }, emails: [{ value: 'borg@acme.example' }] });
    expect((await scim(acme, 'DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim(acme, 'GET', `/Users/${id}`)).status).toBe(404);
    expect(await memberOf(acme, 'borg@acme.example')).toBeUndefined();
    // A person who comes back is the same person.
    const again = await scim(acme, 'POST', '/Users', oktaUser(acme, { userName: 'borg@acme.example', emails: null }));
    expect([again.status, again.body.id]).toEqual([201, id]);
  });
});

describe('groups', () => {
  test('are teams, as Okta pushes them', async () => {
    const [ann, bob] = [await hire(acme), await hire(acme)];
    await scim(acme, 'GET', '/Groups?startIndex=1&count=100');
    const created = await scim(acme, 'POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Engineering',
      members: [{ value: ann.id, display: ann.userName }],
    });
    expect(created.status, created.text).toBe(201);
    const path = `/Groups/${String(created.body.id)}`;
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: 'Engineering' });
    const changed = await patch(
      acme,
      path,
      { op: 'remove', path: `members[value eq "${ann.id}"]` },
      { op: 'add', path: 'members', value: [{ value: bob.id, display: bob.userName }] },
      { op: 'replace', value: { id: created.body.id, displayName: 'Engineers' } },
    );
    expect(changed.status, changed.text).toBe(204);
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: null });
    expect(await memberOf(acme, bob.userName)).toMatchObject({ team: 'Engineers' });
    const read = await scim(acme, 'GET', path);
    expect(read.body).toMatchObject({ displayName: 'Engineers', members: [{ value: bob.id, display: bob.userName }] });
    await acme.admin.post(`/v1/orgs/${acme.orgId}/teams`, { name: 'Taken' });
    const taken = await patch(acme, path, { op: 'replace', path: 'displayName', value: 'Taken' });
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
    await patch(acme, path, { op: 'replace', path: 'members', value: [{ value: ann.id }] });
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: 'Engineers' });
    expect(await memberOf(acme, bob.userName)).toMatchObject({ team: null });
    expect((await scim(acme, 'DELETE', path)).status).toBe(204);
    expect(await town.rows('select 1 from teams where org_id = $1 and name = $2', [acme.orgId, 'Engineers'])).toEqual(
      [],
    );
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: null });
  });

  test('as Entra changes them, and a member of several is in the team of the last', async () => {
    const ann = await hire(acme);
    const made = await acme.admin.post(`/v1/orgs/${acme.orgId}/teams`, { name: 'Kept' });
    const ids = await Promise.all(
      ['Kept', 'Second'].map(async (displayName) =>
        String((await scim(acme, 'POST', '/Groups', { displayName, externalId: `e-${displayName}` })).body.id),
      ),
    );
    const found = await scim(acme, 'GET', `/Groups${filtered('displayName', 'Kept')}&excludedAttributes=members`);
    expect(list(found)).toMatchObject([{ id: ids[0], externalId: 'e-Kept' }]);
    expect(list(found)[0]).not.toHaveProperty('members');
    for (const id of ids) {
      await patch(acme, `/Groups/${id}`, { op: 'Add', path: 'members', value: [{ $ref: null, value: ann.id }] });
    }
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: 'Second' });
    const isIn = `?filter=${encodeURIComponent(`id eq "${ids[0]}" and members eq "${ann.id}"`)}`;
    expect((await scim(acme, 'GET', `/Groups${isIn}`)).body.totalResults).toBe(1);
    // A member who is away is in the same team again.
    await patch(acme, `/Users/${ann.id}`, { op: 'Replace', path: 'active', value: 'False' });
    await patch(acme, `/Users/${ann.id}`, { op: 'Replace', path: 'active', value: 'True' });
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: 'Second' });
    await patch(acme, `/Groups/${ids[1]}`, { op: 'Remove', path: 'members', value: [{ $ref: null, value: ann.id }] });
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: 'Kept' });
    // A team that existed before stays when its group is deleted.
    await scim(acme, 'DELETE', `/Groups/${ids[0]}`);
    expect(await memberOf(acme, ann.userName)).toMatchObject({ team: null });
    expect(await town.rows('select name from teams where id = $1', [made.body.id])).toEqual([{ name: 'Kept' }]);
  });
});

describe('it is refused', () => {
  test('to speak for an address outside of the proven domains, whoever has it', async () => {
    const victim = await town.operatorUser();
    for (const userName of [victim.address, 'x@globex.example', 'x@sub.acme.example', 'x@acme.example.evil.test']) {
      const answer = await scim(acme, 'POST', '/Users', oktaUser(acme, { userName, emails: [] }));
      expect([answer.status, answer.body.scimType]).toEqual([400, 'invalidValue']);
    }
    const { id } = await hire(acme);
    const moved = await patch(acme, `/Users/${id}`, { op: 'replace', value: { userName: victim.address, emails: [] } });
    expect(moved.status).toBe(400);
    expect(await town.rows('select 1 from org_members where user_id = $1', [victim.userId])).toEqual([]);
  });

  test('to take the address of somebody who has an account', async () => {
    const { userId } = await town.operatorUser();
    await town.rows('update users set email = $2, email_normalized = $2 where id = $1', [userId, 'taken@acme.example']);
    const { id } = await hire(acme);
    const taken = await patch(acme, `/Users/${id}`, {
      op: 'replace',
      path: 'emails',
      value: [{ value: 'taken@acme.example', primary: true }],
    });
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
  });

  test('to see or touch what another directory has', async () => {
    const theirs = await hire(globex);
    const group = String((await scim(globex, 'POST', '/Groups', { displayName: 'Theirs' })).body.id);
    for (const path of [`/Users/${theirs.id}`, `/Groups/${group}`]) {
      expect((await scim(acme, 'GET', path)).status).toBe(404);
      expect((await scim(acme, 'DELETE', path)).status).toBe(404);
      expect((await patch(acme, path, { op: 'replace', path: 'displayName', value: 'Mine' })).status).toBe(404);
    }
    expect((await scim(acme, 'GET', `/Users${filtered('id', theirs.id)}`)).body.totalResults).toBe(0);
    const foreign = { displayName: 'Mixed', members: [{ value: theirs.id }] };
    expect((await scim(acme, 'POST', '/Groups', foreign)).body).toMatchObject({
      status: '400',
      scimType: 'invalidValue',
    });
    expect(await town.rows('select 1 from teams where name = $1', ['Mixed'])).toEqual([]);
  });

  test('to leave the organization without an administrator', async () => {
    const [{ user_id: userId = '' } = {}] = await town.rows(
      `select user_id from org_members where org_id = $1 and role = 'org_admin'`,
      [globex.orgId],
    );
    await town.rows('update users set email = $2, email_normalized = $2 where id = $1', [
      userId,
      'boss@globex.example',
    ]);
    const { id } = await hire(globex, { userName: 'boss@globex.example', emails: [] });
    expect((await patch(globex, `/Users/${id}`, { op: 'replace', value: { active: false } })).status).toBe(400);
    expect((await globex.admin.get(`/v1/orgs/${globex.orgId}`)).status).toBe(200);
  });

  test('with a token that is wrong, removed, or of something else', async () => {
    const made = await acme.admin.post(`/api/orgs/${acme.orgId}/provisioning/tokens`, { name: 'Old' });
    const old = { token: String(made.body.token) };
    expect((await scim(old, 'GET', '/Users')).status).toBe(200);
    const listed = await acme.admin.get(`/api/orgs/${acme.orgId}/provisioning`);
    expect(listed.text).not.toContain(old.token);
    expect(listed.body).toMatchObject({ baseUrl: `${town.harness.url}/scim/v2` });
    expect(
      (await acme.admin.request('DELETE', `/api/orgs/${acme.orgId}/provisioning/tokens/${made.body.id}`)).status,
    ).toBe(204);
    const { key } = await town.harness.account();
    for (const token of [old.token, key, 'scim-tg-wrong', `scim-tg-${'x'.repeat(43)}`]) {
      const refused = await scim({ token }, 'GET', '/Users');
      expect([refused.status, refused.body.schemas]).toEqual([401, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
    }
    // And a directory's token opens nothing else.
    for (const path of ['/v1/models/user', '/v1/key', `/v1/orgs/${acme.orgId}`, '/admin/v1/users']) {
      expect((await town.harness.request('GET', path, { key: acme.token })).status).not.toBe(200);
    }
  });

  test('what cannot be read', async () => {
    const { id } = await hire(acme);
    for (const filter of ['userName co "x"', 'userName eq', 'constructor eq "x"', 'id eq "x" or id eq "y"', '((((']) {
      const answer = await scim(acme, 'GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect([filter, answer.status, answer.body.scimType]).toEqual([filter, 400, 'invalidFilter']);
    }
    for (const operation of [
      { op: 'move', path: 'active', value: true },
      { op: 'replace', path: 'emails[', value: 'x' },
      { op: 'replace', value: 'x' },
      { op: 'replace', path: 'active', value: 'perhaps' },
      { op: 'replace', path: 'userName', value: '' },
      { op: 'remove', path: 'active' },
      { op: 'replace', path: 'userName', value: { a: 1 } },
    ]) {
      expect([operation, (await patch(acme, `/Users/${id}`, operation)).status]).toEqual([operation, 400]);
    }
    expect((await scim(acme, 'POST', '/Users', {})).body).toMatchObject({ status: '400' });
    expect((await scim(acme, 'GET', '/Users?count=many')).status).toBe(400);
  });
});

test('pages, and what of each is wanted', async () => {
  for (let one = 0; one < 3; one += 1) await hire(globex);
  const whole = await scim(globex, 'GET', '/Users');
  const total = Number(whole.body.totalResults);
  expect(list(whole)).toHaveLength(total);
  const second = await scim(globex, 'GET', '/Users?startIndex=2&count=1&attributes=userName');
  expect(second.body).toMatchObject({ totalResults: total, startIndex: 2, itemsPerPage: 1 });
  expect(list(second)).toEqual([
    { schemas: [USER_SCHEMA], id: list(whole)[1]?.id, userName: list(whole)[1]?.userName },
  ]);
  expect((await scim(globex, 'GET', '/Users?count=0')).body).toMatchObject({ totalResults: total, Resources: [] });
  expect((await scim(globex, 'GET', `/Users?startIndex=${total + 1}`)).body).toMatchObject({ Resources: [] });
  // The same in a body.
  const search = (path: string, asked: Json): Promise<Answer> =>
    scim(globex, 'POST', `${path}/.search`, { schemas: [SEARCH_SCHEMA], sortBy: 'userName', ...asked });
  expect((await search('/Users', { startIndex: 2, count: 1, attributes: ['userName'] })).body).toEqual(second.body);
  const { id, userName } = list(whole)[0] ?? {};
  const one = { filter: `userName eq "${String(userName)}"`, excludedAttributes: ['emails', 'name', 'meta'] };
  const shown = list(await search('/Users', one));
  expect([shown.length, shown[0]?.id, shown[0]?.emails]).toEqual([1, id, undefined]);
  expect(list(await search('/Groups', { filter: 'displayName eq "None"' }))).toEqual([]);
  expect((await search('/Groups', { count: 'many' })).status).toBe(400);
});

test('a change leaves what the standard says that it leaves', async () => {
  const [ann, bob, cia] = [await hire(globex), await hire(globex), await hire(globex)];
  const members = [ann, bob].map(({ id, userName }) => ({ value: id, display: userName, type: 'User' }));
  const made = await scim(globex, 'POST', '/Groups', { displayName: 'Standard', members });
  const sets = [
    ...changesOfUser.map((operations) => ({ path: `/Users/${ann.id}`, operations })),
    ...changesOfGroup([ann.id, bob.id, cia.id]).map((operations) => ({
      path: `/Groups/${String(made.body.id)}`,
      operations,
    })),
  ];
  for (const { path, operations } of sets) {
    const before = (await scim(globex, 'GET', path)).body;
    expect((await patch(globex, path, ...operations)).status).toBeLessThan(300);
    const { meta, ...after } = (await scim(globex, 'GET', path)).body;
    expect(bare(after), JSON.stringify(operations)).toEqual(bare(await expectedAfter(before, operations)));
  }
});

test('what the service can do is told, and an address that is not there is told in the same form', async () => {
  for (const path of ['/Bulk', '/Users/.find', '/Nothing/x/y']) {
    expect(['404', '405'], path).toContain((await scim(acme, 'POST', path, {})).body.status);
  }
  expect(list(await scim(acme, 'GET', '/Schemas')).flatMap(strayAttributes)).toEqual([]);
  const config = await scim(acme, 'GET', '/ServiceProviderConfig');
  expect(config.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
  expect(list(await scim(acme, 'GET', '/ResourceTypes')).map(({ id }) => id)).toEqual(['User', 'Group']);
  expect((await scim(acme, 'GET', '/ResourceTypes/User')).body.endpoint).toBe('/Users');
  expect((await scim(acme, 'GET', `/Schemas/${USER_SCHEMA}`)).body.id).toBe(USER_SCHEMA);
  expect((await scim(acme, 'GET', '/Schemas/none')).status).toBe(404);
});
