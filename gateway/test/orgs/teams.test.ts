// Teams: unique names, budgets that count from the next call on, and what stays when a team is deleted.

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

describe('creating and changing', () => {
  test('ORG-05 an organization has 2,000 teams at most, also when the last are made at once', async () => {
    const org = await bed.organization();
    const client = new Client(bed.harness.databaseUrl);
    await client.connect();
    await client.query(
      "insert into teams (org_id, id, name) select $1, $1 || '-' || n, 'Team ' || n from generate_series(1, 1998) n",
      [org.id],
    );
    await client.end();
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/teams`, { name: `Late ${index}` }),
      ),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  test('ORG-05 ORG-06 teams are listed by name, with the number of their members', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}/teams`;
    const created = await bed.call(org.admin, 'POST', path, {
      name: ' Zebra ',
      costCenterCode: 'CC-1',
      monthlyBudget: 5,
    });
    expect(created.status).toBe(201);
    const zebra = {
      id: expect.stringMatching(/^team-[0-9a-f]{24}$/),
      name: 'Zebra',
      description: null,
      costCenterCode: 'CC-1',
      permissionScope: [],
      monthlyBudget: 5,
      memberCount: 0,
    };
    expect(created.body).toEqual(zebra);
    await bed.team(org, { name: 'beta' });
    const alpha = await bed.team(org, { name: 'Alpha', monthlyBudget: null });
    await bed.member(org, { teamId: alpha });
    const { body } = await bed.call(org.admin, 'GET', path);
    expect(body.teams).toMatchObject([
      { name: 'Alpha', memberCount: 1, monthlyBudget: null },
      { name: 'beta', memberCount: 0 },
      zebra,
    ]);
  });

  test('ORG-06 ORG-07 a name is unique in its organization, also when two ask at once', async () => {
    const org = await bed.organization();
    const path = `/v1/orgs/${org.id}/teams`;
    const names = await Promise.all(
      Array.from({ length: 5 }, () => bed.call(org.admin, 'POST', path, { name: 'One' })),
    );
    expect(names.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const other = await bed.team(org, { name: 'Two' });
    const renamed = await bed.call(org.admin, 'PATCH', `${path}/${other}`, { name: 'One' });
    expect([renamed.status, codeOf(renamed)]).toEqual([409, 409]);
    expect((await bed.call(org.admin, 'PATCH', `${path}/${other}`, { name: 'Two' })).status).toBe(200);
    await bed.team(await bed.organization(), { name: 'One' });
  });

  test('ORG-07 only what is sent is changed', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core', costCenterCode: 'CC-1', monthlyBudget: 7.25 });
    const path = `/v1/orgs/${org.id}/teams/${teamId}`;
    const first = await bed.call(org.admin, 'PATCH', path, { description: 'Does things', permissionScope: ['chat'] });
    expect(first.body).toMatchObject({
      name: 'Core',
      description: 'Does things',
      permissionScope: ['chat'],
      costCenterCode: 'CC-1',
      monthlyBudget: 7.25,
    });
    const second = await bed.call(org.admin, 'PATCH', path, { costCenterCode: null, monthlyBudget: null });
    expect(second.body).toMatchObject({ description: 'Does things', costCenterCode: null, monthlyBudget: null });
  });

  test('ORG-06 ORG-07 ORG-22 a wrong body is refused by the field’s name', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org);
    const path = `/v1/orgs/${org.id}/teams`;
    const cases: [unknown, string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'A', costCenterCode: 5 }, 'costCenterCode'],
      [{ name: 'A', monthlyBudget: -0.01 }, 'monthlyBudget'],
      [{ name: 'A', monthlyBudget: '5' }, 'monthlyBudget'],
      [{ name: 'A', monthlyBudget: 0.0000000001 }, 'monthlyBudget'],
      [{ name: 'A', monthlyBudget: 1e12 }, 'monthlyBudget'],
      [{ name: 'A', permissionScope: 'all' }, 'permissionScope'],
    ];
    for (const [body, field] of cases) {
      const answer = await bed.call(org.admin, 'POST', path, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(messageOf(answer)).toContain(`${field}:`);
    }
    expect((await bed.call(org.admin, 'POST', path, '{"name":"A","monthlyBudget":1e999}')).status).toBe(400);
    for (const [body, field] of cases.slice(1)) {
      const answer = await bed.call(org.admin, 'PATCH', `${path}/${teamId}`, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(messageOf(answer)).toContain(`${field}:`);
    }
    expect((await bed.call(org.admin, 'GET', path)).body.teams).toHaveLength(1);
  });

  test('ORG-06 ORG-07 ORG-13 a budget that was computed is as fine as money is', async () => {
    const org = await bed.organization();
    const teams = `/v1/orgs/${org.id}/teams`;
    const members = `/v1/orgs/${org.id}/members`;
    const team = await bed.call(org.admin, 'POST', teams, { name: 'A', monthlyBudget: 0.1 + 0.2 });
    expect([team.status, team.body.monthlyBudget]).toEqual([201, 0.3]);
    const changed = await bed.call(org.admin, 'PATCH', `${teams}/${team.body.id}`, { monthlyBudget: 100 / 3 });
    expect([changed.status, changed.body.monthlyBudget]).toEqual([200, 33.333333333]);
    const [member] = (await bed.call(org.admin, 'GET', members)).body.members as { id: string }[];
    const answer = await bed.call(org.admin, 'PATCH', `${members}/${member?.id}`, { monthlyBudget: 1.1 * 3 });
    expect([answer.status, answer.body.monthlyBudget]).toEqual([200, 3.3]);
  });

  test('ORG-04 a team of another organization is a team that does not exist', async () => {
    const org = await bed.organization();
    const foreign = await bed.team(await bed.organization());
    const missing = `team-${'0'.repeat(24)}`;
    for (const [method, body] of [['PATCH', { name: 'A' }], ['DELETE']] as [string, unknown?][]) {
      const answers = [];
      for (const id of [foreign, missing]) {
        answers.push(await bed.call(org.admin, method, `/v1/orgs/${org.id}/teams/${id}`, body));
      }
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
    const joining = await bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, {
      email: (await bed.person()).email,
      teamId: foreign,
    });
    expect(joining.status).toBe(404);
  });
});

describe('budgets', () => {
  test('ORG-20 BILL-15 a team’s budget holds from the next call on, and null lifts it', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 20);
    const teamId = await bed.team(org);
    const [first, second] = [await bed.member(org, { teamId }), await bed.member(org, { teamId })];
    const [oneKey, otherKey] = [await bed.orgKey(org.id, first.userId), await bed.orgKey(org.id, second.userId)];
    expect([await callModel(oneKey), await callModel(otherKey)]).toEqual([200, 200]);
    const path = `/v1/orgs/${org.id}/teams/${teamId}`;
    await bed.call(org.admin, 'PATCH', path, { monthlyBudget: 3 });
    expect([await callModel(oneKey), await callModel(otherKey), await callModel(oneKey)]).toEqual([200, 402, 402]);
    const refused = await bed.harness.chat(otherKey, { model: 'openai/dollar' });
    expect(codeOf(refused)).toBe('budget_cap_reached');
    await bed.call(org.admin, 'PATCH', path, { monthlyBudget: null });
    expect(await callModel(otherKey)).toBe(200);
    await bed.call(org.admin, 'PATCH', path, { monthlyBudget: 0 });
    expect(await callModel(oneKey)).toBe(402);
  });
});

describe('deleting', () => {
  test('ORG-08 members stay without a team, administrators become members, the team’s keys end', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 20);
    const teamId = await bed.team(org);
    const lead = await bed.member(org, { role: 'team_admin', teamId });
    const member = await bed.member(org, { teamId });
    const keys = `/api/orgs/${org.id}/keys`;
    const ofTeam = await bed.call(org.admin, 'POST', keys, { name: 'team', userId: member.userId, teamId });
    expect(ofTeam.status).toBe(201);
    const ofMember = await bed.orgKey(org.id, member.userId);
    expect([await callModel(String(ofTeam.body.key)), await callModel(ofMember)]).toEqual([200, 200]);

    const path = `/v1/orgs/${org.id}/teams/${teamId}`;
    expect(await bed.call(org.admin, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
    expect([await callModel(String(ofTeam.body.key)), await callModel(ofMember)]).toEqual([401, 200]);
    const { body } = await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}/members`);
    const left = (body.members as { id: string }[]).filter(({ id }) => [lead.memberId, member.memberId].includes(id));
    expect(left).toMatchObject([
      { role: 'member', team: null, teamId: null },
      { role: 'member', team: null, teamId: null },
    ]);
    expect((await bed.call(lead, 'GET', `/v1/orgs/${org.id}/members`)).status).toBe(403);
    expect((await bed.call(org.admin, 'DELETE', path)).status).toBe(404);
    expect((await bed.log(org, '?action=team.delete'))[0]).toMatchObject({
      targetId: teamId,
      before: { memberCount: 2, revokedKeyIds: [ofTeam.body.id] },
    });
  });
});
