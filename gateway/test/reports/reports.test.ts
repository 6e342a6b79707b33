// Reports of an organization's month: the sums equal those of its calls to the nano-dollar, cut at UTC midnight, and
// each call stays with the team that it was made in.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OrgBed, type Person } from '../breakers/org-bed.ts';
import { folded } from '../folded.ts';
import type { Json } from '../harness.ts';
import { ReportBed } from './report-bed.ts';

let bed: OrgBed;
let reports: ReportBed;
let blue: string;
let green: string;
let ann: Person;
let bob: Person;
let carl: Person;

const MARCH = '?year=2026&month=3';
const NOON = '2026-03-10T12:00:00Z';

beforeAll(async () => {
  bed = await OrgBed.open();
});

beforeEach(async () => {
  bed.doors.clock.set(NOON);
  reports = await ReportBed.open(bed);
  blue = await bed.team(reports.org, 'Blue', 2);
  green = await bed.team(reports.org, 'Green');
  ann = await bed.member(reports.org, blue);
  bob = await bed.member(reports.org, green);
  carl = await bed.member(reports.org);
});

afterAll(async () => {
  expect(await bed.doors.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await bed.close();
});

describe('overview', () => {
  test('RPT-01 AMB-34 total, margin and every day that has begun; at list price the margin is 0', async () => {
    await reports.call(ann, 'quick', '2026-03-02T10:00:00Z');
    await reports.call(bob, 'exact', '2026-03-02T11:00:00Z');
    await reports.call(carl, 'penny', '2026-03-04T00:00:00Z');
    const body = await reports.body('overview', '');
    expect(body).toEqual({
      year: 2026,
      month: 3,
      totalSpend: 0.1111,
      savedByCache: 0,
      marginRate: 0,
      dailyTrend: [
        { date: '2026-03-01', spend: 0 },
        { date: '2026-03-02', spend: 0.1011 },
        { date: '2026-03-03', spend: 0 },
        { date: '2026-03-04', spend: 0.01 },
      ],
    });
  });

  test('RPT-01 a month is that of UTC, from its first moment to its last', async () => {
    const edges = [
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00.000Z',
      '2026-03-31T23:59:59.999Z',
      '2026-04-01T00:00:00.000Z',
    ];
    for (const at of edges) await reports.call(ann, 'quick', at);
    const spends = async (year: number, month: number) =>
      (await reports.body('overview', `?year=${year}&month=${month}`)).totalSpend;
    expect([await spends(2026, 2), await spends(2026, 3), await spends(2026, 4)]).toEqual([0.1, 0.2, 0.1]);
    // The default is the current year or month.
    expect((await reports.body('overview', '')).month).toBe(4);
    expect(await reports.body('overview', '?month=2')).toMatchObject({ year: 2026, month: 2, totalSpend: 0.1 });
    expect(await reports.body('overview', '?year=2025')).toMatchObject({ year: 2025, month: 4, totalSpend: 0 });
    const { dailyTrend } = await reports.body('overview', MARCH);
    expect(dailyTrend).toHaveLength(31);
    expect((await reports.body('overview', '?year=2026&month=5')).dailyTrend).toEqual([]);
  });

  test('RPT-01 the organization’s own calls only, and failed ones cost nothing', async () => {
    const other = await ReportBed.open(bed);
    await other.call(other.org.admin, 'quick');
    await reports.call(ann, 'gratis');
    expect(await reports.body('overview', MARCH)).toMatchObject({ totalSpend: 0, marginRate: 0 });
  });
});

describe('by team', () => {
  test('RPT-02 spend, share, models and use of the budget, the most first; whoever spent nothing is in it', async () => {
    await reports.call(ann, 'quick');
    await reports.call(ann, 'quick');
    await reports.call(ann, 'penny');
    await reports.call(carl, 'quick');
    expect(await reports.body('by-team', '')).toEqual({
      year: 2026,
      month: 3,
      teams: [
        {
          teamId: blue,
          name: 'Blue',
          spend: 0.21,
          sharePct: 67.7419,
          models: [
            { model: 'openai/quick', spend: 0.2 },
            { model: 'openai/penny', spend: 0.01 },
          ],
          monthlyBudget: 2,
          budgetUtilizationPct: 10.5,
        },
        {
          teamId: null,
          name: null,
          spend: 0.1,
          sharePct: 32.2581,
          models: [{ model: 'openai/quick', spend: 0.1 }],
          monthlyBudget: null,
          budgetUtilizationPct: null,
        },
        {
          teamId: green,
          name: 'Green',
          spend: 0,
          sharePct: 0,
          models: [],
          monthlyBudget: null,
          budgetUtilizationPct: null,
        },
      ],
    });
  });

  const spendOf = async (): Promise<Record<string, unknown>> => {
    const { teams } = (await reports.body('by-team', MARCH)) as { teams: Json[] };
    return Object.fromEntries(teams.map(({ teamId, spend }) => [String(teamId), spend]));
  };

  test('RPT-02 what was spent stays with the team it was spent in, wherever the member goes', async () => {
    await reports.call(ann, 'quick');
    await reports.move(ann, green);
    await reports.call(ann, 'penny');
    await reports.move(ann, null);
    await reports.call(ann, 'two-pennies');
    expect(await spendOf()).toEqual({ [blue]: 0.1, [green]: 0.01, null: 0.02 });
    // The breaker of a team counts in the same way.
    expect((await bed.read(reports.org, `/teams/${blue}`)).body.liveSpend).toEqual({
      minuteSpend: 0.1,
      hourSpend: 0.1,
    });
  });

  test('RPT-02 AMB-17 a team’s budget is used by what was spent in the team, not by who is in it now', async () => {
    await reports.call(bob, 'quick');
    await reports.move(bob, blue);
    await bed.doors.rows('update teams set monthly_budget_nano_usd = 110000000 where id = $1', [blue]);
    await reports.move(bob, blue);
    await reports.call(bob, 'quick');
    const refused = await bed.call(bob.key);
    expect([refused.status, (refused.body.error as Json).code]).toEqual([402, 'budget_cap_reached']);
    const { teams } = (await reports.body('by-team', MARCH)) as { teams: Json[] };
    expect(teams.find(({ teamId }) => teamId === blue)).toMatchObject({ spend: 0.1, budgetUtilizationPct: 90.9091 });
  });

  test('RPT-02 a team that was deleted keeps what was spent in it, without a name', async () => {
    await reports.call(ann, 'quick');
    await bed.doors.rows('delete from teams where id = $1', [blue]);
    const { teams } = (await reports.body('by-team', MARCH)) as { teams: Json[] };
    expect(teams[0]).toMatchObject({ teamId: blue, name: null, spend: 0.1, sharePct: 100 });
  });
});

describe('by model and by member', () => {
  test('RPT-03 spend, tokens and the average price of a million of them', async () => {
    await reports.call(ann, 'exact');
    await reports.call(bob, 'exact');
    await reports.call(bob, 'gratis');
    expect(await reports.body('by-model', MARCH)).toEqual({
      year: 2026,
      month: 3,
      models: [
        { model: 'openai/exact', spend: 0.0022, tokens: 2100, requests: 2, avgPricePer1M: 1.047619048 },
        { model: 'openai/gratis', spend: 0, tokens: 20, requests: 1, avgPricePer1M: 0 },
      ],
    });
  });

  test('RPT-04 every member with spend, requests and tokens, and whoever has left with what they spent', async () => {
    await reports.rename('users', ann.userId, 'Ann');
    await reports.call(ann, 'exact');
    await reports.call(bob, 'penny');
    await reports.call(bob, 'penny');
    await bed.doors.rows('delete from org_members where id = $1', [bob.memberId]);
    const { members } = (await reports.body('by-member', MARCH)) as { members: Json[] };
    expect(members.slice(0, 2)).toEqual([
      {
        memberId: null,
        userId: bob.userId,
        name: 'Test',
        email: expect.stringContaining('@example.test'),
        team: null,
        spend: 0.02,
        requests: 2,
        tokens: 40,
      },
      {
        memberId: ann.memberId,
        userId: ann.userId,
        name: 'Ann',
        email: expect.stringContaining('@example.test'),
        team: { id: blue, name: 'Blue' },
        spend: 0.0011,
        requests: 1,
        tokens: 1050,
      },
    ]);
    expect(members.slice(2).map(({ userId, spend }) => [userId, spend])).toEqual(
      expect.arrayContaining([
        [carl.userId, 0],
        [reports.org.admin.userId, 0],
      ]),
    );
    expect(members).toHaveLength(4);
  });
});

describe('where the figures come from', () => {
  test('RPT-01 RPT-02 RPT-03 RPT-04 all reports add up to the same, without the records of the calls', async () => {
    for (const person of [ann, ann, bob, carl]) await reports.call(person, 'exact');
    await reports.move(ann, green);
    await reports.call(ann, 'quick');
    const all = () =>
      Promise.all(['overview', 'by-team', 'by-model', 'by-member'].map((name) => reports.body(name, MARCH)));
    const before = await all();
    const [overview, byTeam, byModel, byMember] = before as [
      Json,
      { teams: Json[] },
      { models: Json[] },
      { members: Json[] },
    ];
    for (const list of [byTeam.teams, byModel.models, byMember.members]) {
      const sum = list.reduce((total, { spend }) => total + Math.round(Number(spend) * 1e9), 0);
      expect(sum).toBe(Math.round(Number(overview.totalSpend) * 1e9));
    }
    const rebuild = () =>
      bed.doors.first.operate('POST', '/admin/v1/usage/rebuild', { from: '2026-03-01', to: '2026-03-31' });
    expect(await rebuild()).toMatchObject({ correctedRows: 0 });
    await folded((text) => bed.doors.rows(text));
    await bed.doors.rows('update usage_daily set upstream_nano_usd = 7, team_id = $2 where account_id = $1', [
      reports.org.id,
      'team-wrong',
    ]);
    await rebuild();
    expect(await all()).toEqual(before);
    await bed.doors.rows('create table kept as select * from generations where account_id = $1', [reports.org.id]);
    await bed.doors.rows('delete from generations where account_id = $1', [reports.org.id]);
    expect(await all()).toEqual(before);
    await bed.doors.rows('insert into generations select * from kept');
    await bed.doors.rows('drop table kept');
  });
});

describe('what is refused', () => {
  const NAMES = ['overview', 'by-team', 'by-model', 'by-member', 'export'];
  const statusesOf = async (names: readonly string[], query: string, key?: string) => {
    const answers = await Promise.all(names.map((name) => reports.report(name, query, key)));
    return answers.map(({ status }) => status);
  };

  test.each([
    ['year=2026&month=0', 'month'],
    ['year=2026&month=13', 'month'],
    ['year=2026&month=-1', 'month'],
    ['year=2026&month=3.5', 'month'],
    ['year=2026&month=march', 'month'],
    ['year=2026&month=', 'month'],
    ['year=two&month=3', 'year'],
    ['year=&month=3', 'year'],
    ['year=1e3&month=3', 'year'],
    ['year=20260&month=3', 'year'],
    ['year=1999&month=3', 'year'],
  ])('RPT-07 %s is 400 on every report and names %s', async (query, field) => {
    for (const name of NAMES) {
      const answer = await reports.report(name, `?view=overview&${query}`);
      expect(answer.status).toBe(400);
      expect((answer.body.error as Json).message).toMatch(new RegExp(`^${field}: `));
    }
  });

  test('RPT-03 RPT-04 RPT-05 by-model, by-member and export need both year and month', async () => {
    const names = ['by-model', 'by-member', 'export'];
    for (const query of ['?view=overview', '?view=overview&year=2026', '?view=overview&month=3']) {
      expect(await statusesOf(names, query)).toEqual([400, 400, 400]);
      expect(await statusesOf(['overview', 'by-team'], query)).toEqual([200, 200]);
    }
  });

  test('RPT-08 a billing_viewer reads all but what members spent; team_admins and members read none', async () => {
    const viewer = await bed.member(reports.org, null, 'billing_viewer');
    const lead = await bed.member(reports.org, blue, 'team_admin');
    const query = `${MARCH}&view=overview`;
    expect(await statusesOf(NAMES, query)).toEqual([200, 200, 200, 200, 200]);
    expect(await statusesOf(NAMES, query, viewer.managementKey)).toEqual([200, 200, 200, 403, 200]);
    for (const view of ['by-team', 'by-model']) {
      expect(await statusesOf(['export'], `${MARCH}&view=${view}`, viewer.managementKey)).toEqual([200]);
    }
    expect(await statusesOf(['export'], `${MARCH}&view=by-member`, viewer.managementKey)).toEqual([403]);
    for (const { managementKey } of [lead, carl]) {
      expect(await statusesOf(NAMES, query, managementKey)).toEqual([403, 403, 403, 403, 403]);
    }
  });

  test('RPT-09 without a credential 401, with a standard key 403, of another organization 404', async () => {
    const query = `${MARCH}&view=overview`;
    const stranger = await bed.org();
    for (const name of NAMES) {
      const path = `/api/orgs/${reports.org.id}/reports/${name}${query}`;
      expect((await bed.doors.first.request('GET', path)).status).toBe(401);
      expect((await reports.report(name, query, reports.org.admin.key)).status).toBe(403);
      expect((await reports.report(name, query, stranger.admin.managementKey)).status).toBe(404);
    }
  });
});
