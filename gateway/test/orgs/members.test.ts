// Members: who is added, what may be changed, and the administrator that an organization always keeps.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, DOLLAR_MODEL, messageOf, type OrgBed, startOrgBed } from './org-bed.ts';

let bed: OrgBed;

beforeAll(async () => {
  bed = await startOrgBed({ models: { 'openai/dollar': DOLLAR_MODEL } });
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await bed.harness.close();
});

const callModel = async (key: string): Promise<number> =>
  (await bed.harness.chat(key, { model: 'openai/dollar' })).status;

describe('adding and listing', () => {
  test('ORG-09 ORG-10 ORG-15 a user is added directly, and shown with person, team, role and budget', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core' });
    const person = await bed.person();
    const path = `/v1/orgs/${org.id}/members`;
    const email = person.email.toUpperCase();
    const added = await bed.call(org.admin, 'POST', path, { email, role: 'team_admin', teamId, monthlyBudget: 10.5 });
    expect(added.status).toBe(201);
    const member = {
      id: expect.stringMatching(/^mem-[0-9a-f]{24}$/),
      user: { id: person.userId, name: 'Person', email: person.email },
      team: { id: teamId, name: 'Core' },
      teamId,
      role: 'team_admin',
      joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      monthlyBudget: 10.5,
    };
    expect(added.body).toEqual(member);
    const { body } = await bed.call(org.admin, 'GET', path);
    expect(body.members).toEqual([
      {
        id: expect.any(String),
        user: { id: org.admin.userId, name: 'Person', email: org.admin.email },
        team: null,
        teamId: null,
        role: 'org_admin',
        joinedAt: expect.any(String),
        monthlyBudget: null,
        monthSpend: 0,
      },
      { ...member, monthSpend: 0 },
    ]);
  });

  test('ORG-10 nobody with this address is 404, a member is 409, also when two are added at once', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}/members`;
    const unknown = await bed.call(org.admin, 'POST', path, { email: 'nobody@example.test' });
    expect([unknown.status, codeOf(unknown)]).toEqual([404, 404]);
    const { email } = await bed.person();
    const answers = await Promise.all(Array.from({ length: 4 }, () => bed.call(org.admin, 'POST', path, { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect((await bed.call(org.admin, 'POST', path, { email: org.admin.email })).status).toBe(409);
  });

  test('ORG-11 ORG-12 ORG-20 the role is one of four and member by default; a team_admin has a team', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}/members`;
    const { email } = await bed.person();
    const cases: [unknown, string][] = [
      [{ email, role: 'owner' }, 'role'],
      [{ email, role: 'admin' }, 'role'],
      [{ email, role: 'ORG_ADMIN' }, 'role'],
      [{ email, role: null }, 'role'],
      [{ email, role: 'team_admin' }, 'teamId'],
      [{ email, role: 'team_admin', teamId: null }, 'teamId'],
      [{ email, teamId: 5 }, 'teamId'],
      [{ email, monthlyBudget: -1 }, 'monthlyBudget'],
      [{ email, monthlyBudget: '1' }, 'monthlyBudget'],
      [{ email: 'nonsense' }, 'email'],
      [{ email: 5 }, 'email'],
      [{}, 'email'],
    ];
    for (const [body, field] of cases) {
      const answer = await bed.call(org.admin, 'POST', path, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(messageOf(answer)).toContain(`${field}:`);
    }
    const added = await bed.call(org.admin, 'POST', path, { email });
    expect(added.body).toMatchObject({ role: 'member', monthlyBudget: null });
  });
});

describe('changing', () => {
  test('ORG-13 role, team and budget change apart from each other', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core' });
    const { memberId } = await bed.member(org);
    const path = `/v1/orgs/${org.id}/members/${memberId}`;
    const steps: [object, object][] = [
      [{ monthlyBudget: 4 }, { role: 'member', teamId: null, monthlyBudget: 4 }],
      [{ teamId }, { role: 'member', teamId, team: { id: teamId, name: 'Core' }, monthlyBudget: 4 }],
      [{ role: 'team_admin' }, { role: 'team_admin', teamId, monthlyBudget: 4 }],
      [
        { role: 'billing_viewer', teamId: null },
        { role: 'billing_viewer', teamId: null, monthlyBudget: 4 },
      ],
      [
        { role: 'org_admin', monthlyBudget: null },
        { role: 'org_admin', teamId: null, monthlyBudget: null },
      ],
      [{}, { role: 'org_admin', teamId: null, monthlyBudget: null }],
    ];
    for (const [change, expected] of steps) {
      const answer = await bed.call(org.admin, 'PATCH', path, change);
      expect(answer.status, JSON.stringify(change)).toBe(200);
      expect(answer.body).toMatchObject(expected);
    }
  });

  test('ORG-12 ORG-13 ORG-22 what makes no sense is refused, and nothing is changed', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org);
    const { memberId } = await bed.member(org, { role: 'team_admin', teamId });
    const path = `/v1/orgs/${org.id}/members/${memberId}`;
    const cases: [unknown, number, string][] = [
      [{ role: 'owner' }, 400, 'role'],
      [{ teamId: null }, 400, 'teamId'],
      [{ teamId: `team-${'0'.repeat(24)}` }, 404, 'team'],
      [{ monthlyBudget: -5 }, 400, 'monthlyBudget'],
    ];
    for (const [body, status, word] of cases) {
      const answer = await bed.call(org.admin, 'PATCH', path, body);
      expect(answer.status, JSON.stringify(body)).toBe(status);
      expect(messageOf(answer)).toContain(word);
    }
    expect((await bed.call(org.admin, 'PATCH', path, {})).body).toMatchObject({ role: 'team_admin', teamId });
    expect(await bed.log(org, '?action=org_member.update')).toEqual([]);
  });

  test('ORG-04 a member of another organization is a member that does not exist', async () => {
    const org = await bed.organization();
    const foreign = await bed.member(await bed.organization());
    for (const [method, body] of [['PATCH', { monthlyBudget: 1 }], ['DELETE']] as [string, unknown?][]) {
      const answers = [];
      for (const id of [foreign.memberId, `mem-${'0'.repeat(24)}`]) {
        answers.push(await bed.call(org.admin, method, `/v1/orgs/${org.id}/members/${id}`, body));
      }
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
  });

  test('ORG-19 ORG-20 BILL-15 a member’s budget holds from the next call on, and null lifts it', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 20);
    const { memberId, userId } = await bed.member(org);
    const key = await bed.orgKey(org.id, userId);
    expect(await callModel(key)).toBe(200);
    const path = `/v1/orgs/${org.id}/members/${memberId}`;
    await bed.call(org.admin, 'PATCH', path, { monthlyBudget: 2 });
    expect([await callModel(key), await callModel(key)]).toEqual([200, 402]);
    await bed.call(org.admin, 'PATCH', path, { monthlyBudget: null });
    expect(await callModel(key)).toBe(200);
  });
});

describe('removing', () => {
  test('ORG-14 the membership ends with the keys of the organization; what is personal stays', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 20);
    const member = await bed.member(org);
    await bed.harness.operate('POST', `/admin/v1/users/${member.userId}/credits`, { amountUsd: 5, note: 'x' });
    const ofOrg = await bed.orgKey(org.id, member.userId);
    const own = await bed.harness.operate('POST', `/admin/v1/users/${member.userId}/keys`, { name: 'own' });
    expect([await callModel(ofOrg), await callModel(String(own.key))]).toEqual([200, 200]);

    const path = `/v1/orgs/${org.id}/members/${member.memberId}`;
    expect(await bed.call(org.admin, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
    expect([await callModel(ofOrg), await callModel(String(own.key))]).toEqual([401, 200]);
    expect((await bed.call(member, 'GET', '/v1/orgs')).body.orgs).toEqual([]);
    expect((await bed.call(member, 'GET', `/v1/orgs/${org.id}`)).status).toBe(404);
    expect((await bed.call(org.admin, 'DELETE', path)).status).toBe(404);

    // A member who comes back starts again: old keys stay revoked.
    await bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, { email: member.email });
    expect(await callModel(ofOrg)).toBe(401);
  });
});

test('ORG-14 ORG-19 a key of the organization is worth nothing without the membership of its holder', async () => {
  const org = await bed.organization();
  await bed.credit(org.id, 5);
  const { memberId, userId } = await bed.member(org);
  const [used, fresh] = [await bed.orgKey(org.id, userId), await bed.orgKey(org.id, userId)];
  expect(await callModel(used)).toBe(200);
  // As if a key had been made at the very moment its holder was removed.
  const client = new Client({ connectionString: bed.harness.databaseUrl });
  await client.connect();
  await client.query('delete from org_members where id = $1', [memberId]);
  await client.end();
  expect(await callModel(fresh)).toBe(401);
});

describe('the last administrator', () => {
  test('ORG-13 ORG-14 AMB-03 can neither be demoted nor removed, also by themselves', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}/members/${await bed.memberIdOf(org, org.admin.userId)}`;
    for (const role of ['member', 'billing_viewer']) {
      const demoted = await bed.call(org.admin, 'PATCH', path, { role });
      expect([demoted.status, codeOf(demoted)]).toEqual([400, 400]);
    }
    expect((await bed.call(org.admin, 'DELETE', path)).status).toBe(400);
    expect((await bed.call(org.admin, 'PATCH', path, { role: 'org_admin', monthlyBudget: 5 })).status).toBe(200);
    const second = await bed.member(org, { role: 'org_admin' });
    expect((await bed.call(second, 'PATCH', path, { role: 'member' })).status).toBe(200);
    expect((await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}/members`)).status).toBe(403);
  });

  test('ORG-13 ORG-14 of two who leave, demote or remove each other at once, exactly one succeeds', async () => {
    const kinds: [string, unknown?][] = [['PATCH', { role: 'member' }], ['DELETE']];
    for (const first of kinds) {
      for (const second of kinds) {
        const org = await bed.organization();
        const other = await bed.member(org, { role: 'org_admin' });
        const ownPath = `/v1/orgs/${org.id}/members/${await bed.memberIdOf(org, org.admin.userId)}`;
        const otherPath = `/v1/orgs/${org.id}/members/${other.memberId}`;
        const answers = await Promise.all([
          bed.call(org.admin, first[0], otherPath, first[1]),
          bed.call(other, second[0], ownPath, second[1]),
        ]);
        const won = answers.filter(({ status }) => status < 300);
        expect(won, answers.map(({ text }) => text).join()).toHaveLength(1);
        // The one that lost was the last administrator, or no longer one when it was their turn.
        expect(answers.filter(({ status }) => [400, 403, 404].includes(status))).toHaveLength(1);
        const winner = (answers[0]?.status ?? 0) < 300 ? org.admin : other;
        const { body } = await bed.call(winner, 'GET', `/v1/orgs/${org.id}/members`);
        expect((body.members as { role: string }[]).filter(({ role }) => role === 'org_admin')).toHaveLength(1);
      }
    }
  });
});
