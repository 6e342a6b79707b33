// Organizations as their members see them: the list, one of them, and what its administrators may change.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../harness.ts';
import { codeOf, messageOf, type OrgBed, startOrgBed } from './org-bed.ts';

let bed: OrgBed;

beforeAll(async () => {
  bed = await startOrgBed();
});

afterAll(async () => {
  await bed.harness.close();
});

describe('GET /v1/orgs', () => {
  test('ORG-01 lists the organizations of whoever asks, with role, time of joining and balance', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 12.5);
    const viewer = await bed.member(org, { role: 'billing_viewer' });
    const other = await bed.organization();
    await bed.call(other.admin, 'POST', `/v1/orgs/${other.id}/members`, { email: viewer.email });
    const { status, body } = await bed.call(viewer, 'GET', '/v1/orgs');
    expect(status).toBe(200);
    const entry = { name: 'Acme', teamId: null, status: 'active', joinedAt: expect.stringMatching(/^\d{4}-.*Z$/) };
    const ofViewer = { ...entry, id: org.id, role: 'billing_viewer', memberId: viewer.memberId, credits: 12.5 };
    const ofMember = { ...entry, id: other.id, role: 'member', memberId: expect.any(String), credits: 0 };
    expect(body.orgs).toHaveLength(2);
    expect(body.orgs).toEqual(expect.arrayContaining([ofViewer, ofMember]));
  });

  test('ORG-01 takes a standard key, and the twin below /api', async () => {
    const person = await bed.person('standard');
    for (const path of ['/v1/orgs', '/api/v1/orgs']) {
      expect(await bed.call(person, 'GET', path)).toMatchObject({ status: 200, body: { orgs: [] } });
    }
    expect((await bed.harness.request('GET', '/v1/orgs')).status).toBe(401);
    expect((await bed.harness.request('GET', '/v1/orgs', { key: 'sk-tg-none' })).status).toBe(401);
  });

  test('ORG-01 a key that is bound to an organization shows that one alone', async () => {
    const org = await bed.organization();
    const member = await bed.member(org);
    const other = await bed.organization();
    await bed.call(other.admin, 'POST', `/v1/orgs/${other.id}/members`, { email: member.email });
    const key = await bed.orgKey(org.id, member.userId);
    const { body } = await bed.call({ key }, 'GET', '/v1/orgs');
    expect(body.orgs).toMatchObject([{ id: org.id }]);
  });
});

describe('GET /v1/orgs/{orgId}', () => {
  test('ORG-03 BILL-14 shows plan, seats, balance, settings and counts', async () => {
    const org = await bed.organization({ billingPlan: 'monthly', creditLineUsd: 40 });
    await bed.team(org);
    await bed.member(org);
    const { status, body } = await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: org.id,
      name: 'Acme',
      billingPlan: 'monthly',
      creditLine: 40,
      seats: 1000,
      credits: 0,
      settings: {
        defaultMemberBudget: null,
        teamAdminsMayInvite: true,
        needsSecondFactor: false,
        cacheTtlSeconds: null,
        cacheShared: false,
        transcripts: null,
      },
      teamCount: 1,
      memberCount: 2,
    });
  });

  test('ORG-04 a foreign organization is answered byte for byte as one that never was', async () => {
    const org = await bed.organization();
    const stranger = await bed.organization();
    const paths: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['GET', '/teams'],
      ['POST', '/teams', { name: 'Mine' }],
      ['GET', '/members'],
      ['POST', '/members', { email: 'someone@example.test' }],
      ['PATCH', '/members/mem-1', { role: 'member' }],
      ['DELETE', '/teams/team-1'],
    ];
    for (const [method, path, body] of paths) {
      const foreign = await bed.call(stranger.admin, method, `/v1/orgs/${org.id}${path}`, body);
      const missing = await bed.call(stranger.admin, method, `/v1/orgs/org-${'0'.repeat(24)}${path}`, body);
      expect([foreign.status, foreign.text], path).toEqual([404, missing.text]);
      expect(missing.status).toBe(404);
    }
  });

  test('ERR-04 what no text can hold is refused by its place, wherever it is in a body', async () => {
    const org = await bed.organization();
    const teams = `/v1/orgs/${org.id}/teams`;
    for (const [method, path, body, place] of [
      ['PATCH', `/v1/orgs/${org.id}`, { name: 'half \ud800' }, 'name'],
      ['POST', teams, { name: '\udc00' }, 'name'],
      ['POST', teams, { name: 'a\u0000b' }, 'name'],
      ['PATCH', `/api/orgs/${org.id}/allowed-models`, { allowedModels: ['openai/*', 'a/\ud800'] }, 'allowedModels'],
    ] as const) {
      const answer = await bed.call(org.admin, method, path, body);
      expect([answer.status, messageOf(answer)], JSON.stringify(body)).toEqual([400, expect.stringContaining(place)]);
    }
    expect((await bed.call(org.admin, 'POST', teams, { name: 'whole 😀' })).status).toBe(201);
  });

  test('ORG-04 a key bound to one organization manages no other, although its holder does', async () => {
    const org = await bed.organization();
    const other = await bed.organization();
    const admin = await bed.member(org, { role: 'org_admin' });
    await bed.call(other.admin, 'POST', `/v1/orgs/${other.id}/members`, { email: admin.email, role: 'org_admin' });
    const key = await bed.orgKey(org.id, admin.userId, { keyType: 'management' });
    expect((await bed.call({ key }, 'GET', `/v1/orgs/${org.id}`)).status).toBe(200);
    expect((await bed.call({ key }, 'GET', `/v1/orgs/${other.id}`)).status).toBe(404);
    expect((await bed.call(admin, 'GET', `/v1/orgs/${other.id}`)).status).toBe(200);
  });

  test('ORG-02 a standard key is refused, of an administrator too', async () => {
    const org = await bed.organization();
    const key = await bed.orgKey(org.id, org.admin.userId);
    for (const path of ['', '/teams', '/members']) {
      expect((await bed.call({ key }, 'GET', `/v1/orgs/${org.id}${path}`)).status, path).toBe(403);
    }
    expect((await bed.harness.request('GET', `/v1/orgs/${org.id}`)).status).toBe(401);
  });

  test('ORG-21 a suspended organization is listed as such and cannot be managed', async () => {
    const org = await bed.organization();
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { suspended: true });
    expect((await bed.call(org.admin, 'GET', '/v1/orgs')).body.orgs).toMatchObject([{ status: 'suspended' }]);
    expect((await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}`)).status).toBe(403);
    expect((await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, { name: 'New' })).status).toBe(403);
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { suspended: false });
    expect((await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}`)).body).toMatchObject({ name: 'Acme' });
  });
});

describe('PATCH /v1/orgs/{orgId}', () => {
  test('ORG-03 changes the name and single settings, and writes one entry', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}`;
    await bed.call(org.admin, 'PATCH', path, { name: ' New name ', settings: { defaultMemberBudget: 2.5 } });
    const { status, body } = await bed.call(org.admin, 'PATCH', path, { settings: { teamAdminsMayInvite: false } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'New name',
      settings: { defaultMemberBudget: 2.5, teamAdminsMayInvite: false },
    });
    expect((await bed.call(org.admin, 'PATCH', path, {})).status).toBe(200);
    expect(await bed.log(org, '?action=org.settings.update')).toMatchObject([
      { before: { settings: { teamAdminsMayInvite: true } }, after: { settings: { teamAdminsMayInvite: false } } },
      { before: { name: 'Acme' }, after: { name: 'New name', settings: { defaultMemberBudget: 2.5 } } },
    ]);
  });

  test('ORG-22 a wrong body is refused by the field’s name, in the usual envelope', async () => {
    const org = await bed.organization();
    const cases: [unknown, string | number, string][] = [
      [{ settings: { defaultMemberBudget: -1 } }, 400, 'settings.defaultMemberBudget'],
      [{ settings: { defaultMemberBudget: 1e-10 } }, 400, 'settings.defaultMemberBudget'],
      [{ settings: { teamAdminsMayInvite: 'no' } }, 400, 'settings.teamAdminsMayInvite'],
      [{ settings: [] }, 400, 'settings'],
      [{ name: '' }, 400, 'name'],
      [{ name: '   ' }, 400, 'name'],
      [{ name: 'a\u0000b' }, 400, 'name'],
      [{ name: 'x'.repeat(201) }, 400, 'name'],
      [{ name: 5 }, 400, 'name'],
      [[], 400, ''],
      ['{', 400, ''],
    ];
    const unknown = { seats: 5, settings: { colour: 'red' } };
    const ignored = await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, unknown);
    expect([ignored.status, ignored.headers.get('x-tollgate-ignored-fields')], ignored.text).toEqual([200, 'seats']);
    for (const [body, code, field] of cases) {
      const answer = await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, body);
      expect([answer.status, codeOf(answer)], JSON.stringify(body)).toEqual([400, code]);
      expect(messageOf(answer)).toContain(field);
      expect(answer.body).toEqual({
        error: { message: expect.any(String), type: 'invalid_request_error', code },
      });
    }
    expect(await bed.log(org, '?action=org.settings.update')).toEqual([]);
  });

  test('ORG-03 what new members may spend is taken from the settings, unless it is said', async () => {
    const org = await bed.organization();
    await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, { settings: { defaultMemberBudget: 3 } });
    const path = `/v1/orgs/${org.id}/members`;
    const budgets = [];
    for (const body of [{}, { monthlyBudget: null }, { monthlyBudget: 0 }]) {
      const { email } = await bed.person();
      budgets.push((await bed.call(org.admin, 'POST', path, { email, ...body })).body.monthlyBudget);
    }
    expect(budgets).toEqual([3, null, 0]);
  });

  test('ORG-03 no more people join than there are seats, however many try at once', async () => {
    const org = await bed.organization();
    expect(await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { seats: 3 })).toMatchObject({ seats: 3 });
    const people = await Promise.all(Array.from({ length: 6 }, () => bed.person()));
    const answers = await Promise.all(
      people.map(({ email }) => bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, { email })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect((await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}`)).body).toMatchObject({ seats: 3, memberCount: 3 });
  });
});

describe('KEY-05 ORG-06 BYOK-03 EDU-15 a name can be seen, and stays on its line', () => {
  const unfit = ['', '   ', '\u00a0', 'two\nlines', 'x'.repeat(201)];
  const email = () => `named-${crypto.randomUUID()}@example.test`;

  test.each(unfit)('%j names nothing', async (name) => {
    const { id, admin } = await bed.organization();
    const key = await bed.orgKey(id, admin.userId, { keyType: 'management' });
    const byok = { name, baseUrl: 'https://vendor.example/v1', apiKey: 'own-key' };
    const answers = [
      await bed.call(admin, 'POST', '/v1/keys', { name }),
      await bed.call(admin, 'POST', `/v1/orgs/${id}/teams`, { name }),
      await bed.call(admin, 'PATCH', `/v1/orgs/${id}`, { name }),
      await bed.call({ key }, 'POST', '/v1/management/byok-keys', byok),
      await bed.call(admin, 'POST', `/api/orgs/${id}/edu/keys`, { name }),
      await bed.call({ key: ADMIN_TOKEN }, 'POST', '/admin/v1/users', { email: email(), name }),
      await bed.call({ key: ADMIN_TOKEN }, 'POST', '/admin/v1/orgs', { ownerUserId: admin.userId, name }),
      await bed.call({ key: ADMIN_TOKEN }, 'POST', `/admin/v1/users/${admin.userId}/keys`, { name }),
    ];
    const words = 'name: must be a line of text of 1 to 200 characters, not only spaces.';
    expect(answers.map((answer) => [answer.status, messageOf(answer)])).toEqual(answers.map(() => [400, words]));
  });
});
