// What each role may do, row by row: the table is the requirement.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OrgBed, type Person, startOrgBed } from './org-bed.ts';

let bed: OrgBed;

beforeAll(async () => {
  bed = await startOrgBed();
});

afterAll(async () => {
  await bed.harness.close();
});

type Cast = Readonly<{
  org: { id: string; admin: Person };
  viewer: Person;
  lead: Person & { memberId: string };
  plain: Person & { memberId: string };
  teamId: string;
  otherTeamId: string;
  mate: Person & { memberId: string };
  outsider: Person & { memberId: string };
  adminInTeam: Person & { memberId: string };
}>;

async function cast(): Promise<Cast> {
  const org = await bed.organization();
  const teamId = await bed.team(org, { name: 'Own' });
  const otherTeamId = await bed.team(org, { name: 'Other' });
  return {
    org,
    teamId,
    otherTeamId,
    viewer: await bed.member(org, { role: 'billing_viewer' }),
    lead: await bed.member(org, { role: 'team_admin', teamId }),
    plain: await bed.member(org),
    mate: await bed.member(org, { teamId }),
    outsider: await bed.member(org, { teamId: otherTeamId }),
    adminInTeam: await bed.member(org, { role: 'org_admin', teamId }),
  };
}

describe('the matrix', () => {
  test('ORG-02 ORG-16 ORG-17 ORG-18 ORG-19 AMB-18 every role at every route', async () => {
    const { org, viewer, lead, plain } = await cast();
    const base = `/v1/orgs/${org.id}`;
    const api = `/api/orgs/${org.id}`;
    // The columns are org_admin, billing_viewer, team_admin and member. Bodies are wrong on purpose (400), so that
    // nothing changes.
    const rows: [string, string, unknown, number[]][] = [
      ['GET', '/v1/orgs', undefined, [200, 200, 200, 200]],
      ['GET', base, undefined, [200, 200, 403, 403]],
      ['PATCH', base, { name: 5 }, [400, 403, 403, 403]],
      ['GET', `${base}/teams`, undefined, [200, 403, 200, 403]],
      ['POST', `${base}/teams`, { name: 5 }, [400, 403, 403, 403]],
      ['PATCH', `${base}/teams/team-1`, { name: 5 }, [400, 403, 400, 403]],
      ['DELETE', `${base}/teams/team-1`, undefined, [404, 403, 403, 403]],
      ['GET', `${base}/members`, undefined, [200, 403, 200, 403]],
      ['POST', `${base}/members`, { email: 5 }, [400, 403, 400, 403]],
      ['PATCH', `${base}/members/mem-1`, { role: 5 }, [400, 403, 400, 403]],
      ['DELETE', `${base}/members/mem-1`, undefined, [404, 403, 404, 403]],
      ['GET', `${api}/invitations`, undefined, [200, 403, 200, 403]],
      ['POST', `${api}/invitations`, { email: 5 }, [400, 403, 400, 403]],
      ['DELETE', `${api}/invitations/inv-1`, undefined, [404, 403, 404, 403]],
      ['GET', `${api}/allowed-models`, undefined, [200, 403, 403, 403]],
      ['PATCH', `${api}/allowed-models`, { allowedModels: 5 }, [400, 403, 403, 403]],
      ['GET', `${api}/teams/team-1/allowed-models`, undefined, [404, 403, 403, 403]],
      ['PATCH', `${api}/members/mem-1/allowed-models`, { allowedModels: [] }, [404, 403, 403, 403]],
      ['GET', `${api}/audit-log`, undefined, [200, 403, 403, 403]],
    ];
    const people = [org.admin, viewer, lead, plain];
    for (const [method, path, body, expected] of rows) {
      const answers = await Promise.all(people.map((person) => bed.call(person, method, path, body)));
      expect(
        answers.map(({ status }) => status),
        `${method} ${path}`,
      ).toEqual(expected);
    }
  });
});

describe('a team_admin', () => {
  test('ORG-18 sees the own team and its members alone', async () => {
    const { org, lead, mate, adminInTeam, teamId } = await cast();
    const teams = await bed.call(lead, 'GET', `/v1/orgs/${org.id}/teams`);
    expect(teams.body.teams).toMatchObject([{ id: teamId, memberCount: 3 }]);
    const members = await bed.call(lead, 'GET', `/v1/orgs/${org.id}/members`);
    const ids = (members.body.members as { id: string }[]).map(({ id }) => id);
    expect(ids.sort()).toEqual([lead.memberId, mate.memberId, adminInTeam.memberId].sort());
  });

  test('ORG-18 adds members to the own team, in no other place and no higher role', async () => {
    const { org, lead, teamId, otherTeamId } = await cast();
    const path = `/v1/orgs/${org.id}/members`;
    const refused = [
      { role: 'org_admin' },
      { role: 'billing_viewer' },
      { role: 'team_admin', teamId },
      { teamId: otherTeamId },
      { role: 'team_admin', teamId: otherTeamId },
    ];
    for (const body of refused) {
      const { email } = await bed.person();
      expect((await bed.call(lead, 'POST', path, { email, ...body })).status, JSON.stringify(body)).toBe(403);
    }
    for (const body of [{}, { role: 'member', teamId, monthlyBudget: 2 }]) {
      const { email } = await bed.person();
      const added = await bed.call(lead, 'POST', path, { email, ...body });
      expect([added.status, added.body.role, added.body.teamId]).toEqual([201, 'member', teamId]);
    }
  });

  test('ORG-18 changes and removes plain members of the own team, and nobody else', async () => {
    const { org, lead, mate, plain, outsider, adminInTeam, otherTeamId } = await cast();
    const of = (memberId: string): string => `/v1/orgs/${org.id}/members/${memberId}`;
    for (const { memberId } of [plain, outsider, adminInTeam, lead]) {
      expect((await bed.call(lead, 'PATCH', of(memberId), { monthlyBudget: 9 })).status).toBe(403);
      expect((await bed.call(lead, 'DELETE', of(memberId))).status).toBe(403);
    }
    for (const change of [{ role: 'team_admin' }, { role: 'org_admin' }, { teamId: otherTeamId }, { teamId: null }]) {
      expect((await bed.call(lead, 'PATCH', of(mate.memberId), change)).status, JSON.stringify(change)).toBe(403);
    }
    const changed = await bed.call(lead, 'PATCH', of(mate.memberId), { monthlyBudget: 9 });
    expect(changed).toMatchObject({ status: 200, body: { monthlyBudget: 9, role: 'member' } });
    expect((await bed.call(lead, 'DELETE', of(mate.memberId))).status).toBe(204);
  });

  test('ORG-18 lowers the budget of the own team, and does nothing else to it', async () => {
    const { org, lead, teamId, otherTeamId } = await cast();
    const of = (id: string): string => `/v1/orgs/${org.id}/teams/${id}`;
    expect(await bed.call(lead, 'PATCH', of(teamId), { monthlyBudget: 8 })).toMatchObject({
      status: 200,
      body: { monthlyBudget: 8, name: 'Own' },
    });
    expect((await bed.call(lead, 'PATCH', of(teamId), { monthlyBudget: 8, name: 'Mine' })).status).toBe(403);
    for (const monthlyBudget of [8.01, 1_000_000, null]) {
      const lifted = await bed.call(lead, 'PATCH', of(teamId), { monthlyBudget });
      expect(lifted.status, String(monthlyBudget)).toBe(403);
    }
    expect((await bed.call(lead, 'PATCH', of(teamId), { monthlyBudget: 7 })).body.monthlyBudget).toBe(7);
    expect((await bed.call(lead, 'PATCH', of(teamId), { monthlyBudget: 8 })).status).toBe(403);
    expect((await bed.call(org.admin, 'PATCH', of(teamId), { monthlyBudget: null })).body.monthlyBudget).toBeNull();
    expect((await bed.call(lead, 'PATCH', of(otherTeamId), { monthlyBudget: 8 })).status).toBe(403);
    expect((await bed.call(lead, 'DELETE', of(teamId))).status).toBe(403);
  });

  test('ORG-18 a management key of the organization shows what its holder may see now', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 5);
    const [chief, other] = [await bed.member(org, { role: 'org_admin' }), await bed.member(org)];
    const management = await bed.orgKey(org.id, chief.userId, { keyType: 'management' });
    const used = await bed.orgKey(org.id, other.userId);
    expect((await bed.harness.chat(used, { model: 'openai/test' })).status).toBe(200);
    const requests = async (): Promise<unknown> => {
      const { body } = await bed.call({ key: management }, 'GET', '/v1/usage');
      return (body.totals as { requests: number }).requests;
    };
    expect(await requests()).toBe(1);
    const change = (body: object) => bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}/members/${chief.memberId}`, body);
    await change({ role: 'member' });
    expect(await requests()).toBe(0);
    expect((await bed.call({ key: management }, 'GET', `/v1/orgs/${org.id}/members`)).status).toBe(403);
    await change({ role: 'billing_viewer' });
    expect(await requests()).toBe(1);
  });

  test('ORG-18 has nothing left to manage the moment the role is taken away', async () => {
    const { org, lead } = await cast();
    await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}/members/${lead.memberId}`, { role: 'member' });
    expect((await bed.call(lead, 'GET', `/v1/orgs/${org.id}/members`)).status).toBe(403);
  });
});
