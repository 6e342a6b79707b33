// Lists of teams and members say what each has spent in the month, to those who set the budgets and to nobody else.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { DOLLAR_MODEL, type OrgBed, startOrgBed } from './org-bed.ts';

let bed: OrgBed;

beforeAll(async () => {
  bed = await startOrgBed({ models: { 'openai/dollar': DOLLAR_MODEL } });
});

afterAll(() => bed.harness.close());

test('ORG-05 ORG-18 teams and members are listed with their spend; a team_admin sees the own team alone', async () => {
  const org = await bed.organization();
  await bed.credit(org.id, 10);
  const [red, blue] = [await bed.team(org, { name: 'Red' }), await bed.team(org, { name: 'Blue' })];
  const lead = await bed.member(org, { role: 'team_admin', teamId: red });
  const other = await bed.member(org, { teamId: blue });
  const calls = [await bed.orgKey(org.id, lead.userId), await bed.orgKey(org.id, other.userId)];
  for (const key of [...calls, calls[1] ?? '']) {
    expect((await bed.harness.chat(key, { model: 'openai/dollar' })).status).toBe(200);
  }
  const list = async (person: { key: string }, what: 'teams' | 'members') => {
    const { body } = await bed.call(person, 'GET', `/v1/orgs/${org.id}/${what}`);
    return (body[what] as { id: string; monthSpend: number }[]).map(({ id, monthSpend }) => ({ id, monthSpend }));
  };
  // Daily sums are written in batches, shortly after the calls.
  await vi.waitFor(
    async () =>
      expect(await list(org.admin, 'teams')).toEqual([
        { id: blue, monthSpend: 2 },
        { id: red, monthSpend: 1 },
      ]),
    PATIENCE_MS,
  );
  expect(await list(org.admin, 'members')).toMatchObject([
    { monthSpend: 0 },
    { id: lead.memberId, monthSpend: 1 },
    { id: other.memberId, monthSpend: 2 },
  ]);
  expect(await list(lead, 'teams')).toEqual([{ id: red, monthSpend: 1 }]);
  expect(await list(lead, 'members')).toEqual([{ id: lead.memberId, monthSpend: 1 }]);
});
