// Breaker settings of an organization, a team and a member: who may see and change them, which values apply after
// inheritance, and that every change is in the log with its author.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf, START } from '../caps/front-doors.ts';
import { Browser } from '../signin/browser.ts';
import { type Org, OrgBed, type Person } from './org-bed.ts';

let bed: OrgBed;
let org: Org;
let teamId: string;
let otherTeamId: string;
let member: Person;
let other: Person;

beforeAll(async () => {
  bed = await OrgBed.open();
});

beforeEach(async () => {
  bed.doors.clock.set(START);
  org = await bed.org();
  teamId = await bed.team(org);
  otherTeamId = await bed.team(org);
  member = await bed.member(org, teamId);
  other = await bed.member(org, otherTeamId);
});

afterAll(() => bed.close());

const ofTeam = () => `/teams/${teamId}`;
const ofMember = () => `/members/${member.memberId}`;
const NOTHING_SET = { cbEnabled: null, cbMinuteUsd: null, cbHourlyUsd: null };

describe('settings', () => {
  test('BRK-02 BRK-04 nothing is set at first, and the defaults of the platform apply', async () => {
    for (const where of ['', ofTeam(), ofMember()]) {
      const { status, body } = await bed.read(org, where);
      expect(status).toBe(200);
      expect(body).toEqual({
        settings: NOTHING_SET,
        resolvedSettings: { cbEnabled: false, cbMinuteUsd: 5, cbHourlyUsd: 20 },
        liveSpend: { minuteSpend: 0, hourSpend: 0 },
        inheritedSettings: {
          cbEnabled: { value: false, from: 'platform' },
          cbMinuteUsd: { value: 5, from: 'platform' },
          cbHourlyUsd: { value: 20, from: 'platform' },
        },
      });
    }
  });

  test('BRK-01 BRK-03 each field comes from the member, else the team, else the organization', async () => {
    await bed.change(org, '', { cbEnabled: true, cbMinuteUsd: 3, cbHourlyUsd: 12 });
    await bed.change(org, ofTeam(), { cbMinuteUsd: 2 });
    const changed = await bed.change(org, ofMember(), { cbEnabled: false });
    expect(changed.body).toMatchObject({
      settings: { cbEnabled: false, cbMinuteUsd: null, cbHourlyUsd: null },
      resolvedSettings: { cbEnabled: false, cbMinuteUsd: 2, cbHourlyUsd: 12 },
      inheritedSettings: {
        cbEnabled: { value: true, from: 'org' },
        cbMinuteUsd: { value: 2, from: 'team' },
        cbHourlyUsd: { value: 12, from: 'org' },
      },
    });
    expect((await bed.read(org, ofTeam())).body.resolvedSettings).toEqual({
      cbEnabled: true,
      cbMinuteUsd: 2,
      cbHourlyUsd: 12,
    });
    const { body } = await bed.read(org, `/members/${other.memberId}`);
    expect(body.resolvedSettings).toEqual({ cbEnabled: true, cbMinuteUsd: 3, cbHourlyUsd: 12 });
  });

  test('BRK-01 any subset may be sent, and null clears a field so that it is inherited again', async () => {
    await bed.change(org, '', { cbMinuteUsd: 3, cbHourlyUsd: 0.01 });
    await bed.change(org, ofTeam(), { cbMinuteUsd: 1, cbEnabled: true });
    expect((await bed.change(org, ofTeam(), {})).body.settings).toEqual({
      cbEnabled: true,
      cbMinuteUsd: 1,
      cbHourlyUsd: null,
    });
    const cleared = await bed.change(org, ofTeam(), { cbMinuteUsd: null });
    expect(cleared.body).toMatchObject({
      settings: { cbEnabled: true, cbMinuteUsd: null },
      resolvedSettings: { cbEnabled: true, cbMinuteUsd: 3, cbHourlyUsd: 0.01 },
    });
  });

  test.each([
    [{ cbMinuteUsd: 0.0099 }, 400, 'cbMinuteUsd'],
    [{ cbHourlyUsd: -1 }, 400, 'cbHourlyUsd'],
    [{ cbHourlyUsd: 0 }, 400, 'cbHourlyUsd'],
    [{ cbMinuteUsd: '5' }, 400, 'cbMinuteUsd'],
    [{ cbMinuteUsd: 1e300 }, 400, 'cbMinuteUsd'],
    [{ cbMinuteUsd: [1] }, 400, 'cbMinuteUsd'],
    [{ cbEnabled: 'true' }, 400, 'cbEnabled'],
    [{ cbEnabled: 0 }, 400, 'cbEnabled'],
    [{ cbEnabled: true, cbMinuteUsd: 0 }, 400, 'cbMinuteUsd'],
  ])('BRK-09 %j is refused by name and changes nothing', async (body, code, field) => {
    for (const where of ['', ofTeam(), ofMember()]) {
      const answer = await bed.change(org, where, body);
      expect(answer.status).toBe(400);
      expect(codeOf(answer)).toBe(code);
      expect(answer.text).toContain(field);
      expect((await bed.read(org, where)).body.settings).toEqual(NOTHING_SET);
    }
    expect(await bed.log(org)).toEqual([]);
  });

  test('BRK-02 live spend is that of each scope, whether or not its breaker is on', async () => {
    await bed.call(member.key);
    await bed.call(member.key);
    await bed.call(other.key);
    const spends = async (where: string) => (await bed.read(org, where)).body.liveSpend;
    expect(await spends('')).toEqual({ minuteSpend: 0.3, hourSpend: 0.3 });
    expect(await spends(ofTeam())).toEqual({ minuteSpend: 0.2, hourSpend: 0.2 });
    expect(await spends(`/members/${other.memberId}`)).toEqual({ minuteSpend: 0.1, hourSpend: 0.1 });
    await bed.change(org, '', { cbEnabled: true });
    bed.doors.clock.set('2026-03-10T12:01:00Z');
    await bed.call(member.key);
    expect(await spends('')).toEqual({ minuteSpend: 0.1, hourSpend: 0.4 });
    expect(await spends(ofMember())).toEqual({ minuteSpend: 0.1, hourSpend: 0.3 });
    bed.doors.clock.set('2026-03-10T13:00:00Z');
    expect(await spends('')).toEqual({ minuteSpend: 0, hourSpend: 0 });
  });
});

describe('who may', () => {
  const statusOf = async (where: string, key: string) => [
    (await bed.read(org, where, key)).status,
    (await bed.change(org, where, { cbMinuteUsd: 1 }, key)).status,
  ];

  test('RPT-09 without a credential there is nothing to see', async () => {
    const path = `/api/orgs/${org.id}/circuit-breaker`;
    expect((await bed.doors.first.request('GET', path)).status).toBe(401);
    expect((await bed.doors.first.request('PATCH', path, { body: {} })).status).toBe(401);
    expect((await bed.doors.first.request('GET', path, { key: 'sk-tg-wrong' })).status).toBe(401);
  });

  test('RPT-09 ALOG-02 a session does what the role of its person allows, and the log names the person', async () => {
    const email = `session-${crypto.randomUUID()}@example.test`;
    const password = 'a long enough password';
    const user = await bed.doors.first.operate('POST', '/admin/v1/users', { email, name: 'Sam', password });
    await bed.doors.rows('insert into org_members (id, org_id, user_id, role) values ($1, $2, $3, $4)', [
      `mem-${crypto.randomUUID()}`,
      org.id,
      String(user.id),
      'org_admin',
    ]);
    const browser = new Browser(bed.doors.first);
    expect((await browser.post('/api/auth/login', { email, password })).status).toBe(200);
    const path = `/api/orgs/${org.id}/circuit-breaker`;
    expect((await browser.get(path)).status).toBe(200);
    expect((await browser.request('PATCH', path, { cbMinuteUsd: 2 })).body.settings).toMatchObject({ cbMinuteUsd: 2 });
    expect((await browser.get(`/api/orgs/${org.id}/reports/by-team`)).status).toBe(200);
    expect(await bed.log(org)).toMatchObject([{ actor_kind: 'user', actor_user_id: user.id, actor_key_id: null }]);
    const stranger = await bed.org();
    expect((await browser.get(`/api/orgs/${stranger.id}/circuit-breaker`)).status).toBe(404);
  });

  test('RPT-09 a standard key manages nothing, its holder being an org_admin or not', async () => {
    expect(await statusOf('', org.admin.key)).toEqual([403, 403]);
    expect(await statusOf('', member.key)).toEqual([403, 403]);
  });

  test('ORG-16 ORG-17 ORG-19 an org_admin sets all, a billing_viewer only reads, a member neither', async () => {
    const viewer = await bed.member(org, null, 'billing_viewer');
    for (const where of ['', ofTeam(), ofMember()]) {
      expect(await statusOf(where, org.admin.managementKey)).toEqual([200, 200]);
      expect(await statusOf(where, viewer.managementKey)).toEqual([200, 403]);
      expect(await statusOf(where, member.managementKey)).toEqual([403, 403]);
    }
  });

  test('ORG-18 a team_admin sets the breakers of the own team and its members, and no others', async () => {
    const lead = await bed.member(org, teamId, 'team_admin');
    for (const where of [ofTeam(), ofMember(), `/members/${lead.memberId}`]) {
      expect(await statusOf(where, lead.managementKey)).toEqual([200, 200]);
    }
    const outside = await bed.member(org);
    for (const where of [
      '',
      `/teams/${otherTeamId}`,
      `/members/${other.memberId}`,
      `/members/${outside.memberId}`,
      `/members/${org.admin.memberId}`,
    ]) {
      expect(await statusOf(where, lead.managementKey)).toEqual([403, 403]);
    }
  });

  test('ORG-04 an organization, team or member that is not there or is another one’s gives 404', async () => {
    const foreign = await bed.org();
    const foreignTeam = await bed.team(foreign);
    const wheres = [
      '/teams/team-none',
      '/members/mem-none',
      `/teams/${foreignTeam}`,
      `/members/${foreign.admin.memberId}`,
    ];
    for (const where of wheres) expect(await statusOf(where, org.admin.managementKey)).toEqual([404, 404]);
    expect(await statusOf('', foreign.admin.managementKey)).toEqual([404, 404]);
    const nowhere = { ...org, id: 'org-none' };
    expect((await bed.read(nowhere)).status).toBe(404);
    expect((await bed.read(nowhere)).text).toBe((await bed.read(org, '', foreign.admin.managementKey)).text);
  });
});

describe('the log', () => {
  test('ALOG-02 a change is in it with what was before, what is now and who did it', async () => {
    await bed.change(org, '', { cbEnabled: true, cbMinuteUsd: 1.5 });
    await bed.change(org, '', { cbMinuteUsd: null });
    await bed.change(org, ofTeam(), { cbHourlyUsd: 9 });
    await bed.change(org, ofMember(), { cbEnabled: false });
    const by = { actor_kind: 'key', actor_user_id: org.admin.userId, actor_key_id: expect.stringMatching(/^key-/) };
    expect(await bed.log(org)).toEqual([
      {
        ...by,
        action: 'org.cb.update',
        target_type: 'org',
        target_id: org.id,
        before: NOTHING_SET,
        after: { cbEnabled: true, cbMinuteUsd: 1.5, cbHourlyUsd: null },
      },
      {
        ...by,
        action: 'org.cb.update',
        target_type: 'org',
        target_id: org.id,
        before: { cbEnabled: true, cbMinuteUsd: 1.5, cbHourlyUsd: null },
        after: { cbEnabled: true, cbMinuteUsd: null, cbHourlyUsd: null },
      },
      {
        ...by,
        action: 'team.cb.update',
        target_type: 'team',
        target_id: teamId,
        before: NOTHING_SET,
        after: { ...NOTHING_SET, cbHourlyUsd: 9 },
      },
      {
        ...by,
        action: 'org_member.cb.update',
        target_type: 'org_member',
        target_id: member.memberId,
        before: NOTHING_SET,
        after: { ...NOTHING_SET, cbEnabled: false },
      },
    ]);
  });

  test('ALOG-02 a request that changes nothing is not a change', async () => {
    await bed.change(org, '', {});
    await bed.change(org, '', { cbMinuteUsd: null });
    expect(await bed.log(org)).toEqual([]);
  });

  test('ALOG-02 changes at once are logged one after another, each from where the last one left it', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((amount) => bed.change(org, '', { cbMinuteUsd: amount })));
    const entries = (await bed.log(org)) as { before: { cbMinuteUsd: number }; after: { cbMinuteUsd: number } }[];
    expect(entries).toHaveLength(5);
    for (const [index, { before }] of entries.slice(1).entries()) expect(before).toEqual(entries[index]?.after);
  });

  test('ALOG-02 neither the change nor its entry exists without the other', async () => {
    await bed.doors.rows(`create function refuse_cb() returns trigger language plpgsql as
      $$ begin raise exception 'no' ; end $$`);
    await bed.doors.rows(`create trigger refuse_cb before insert on org_audit_log
      for each row when (new.target_id = '${org.id}') execute function refuse_cb()`);
    expect((await bed.change(org, '', { cbEnabled: true })).status).toBe(500);
    await bed.doors.rows('drop trigger refuse_cb on org_audit_log');
    await bed.doors.rows('drop function refuse_cb()');
    expect((await bed.read(org)).body.settings).toEqual(NOTHING_SET);
    expect(await bed.log(org)).toEqual([]);
  });
});
