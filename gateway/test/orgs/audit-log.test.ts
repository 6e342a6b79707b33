// The log of an organization: one entry for every change, in the transaction of the change, kept for ever.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudit } from '../../src/modules/audit/audit.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { createPinoLogger } from '../../src/platform/pino-logger.ts';
import { codeOf, messageOf, type OrgBed, startOrgBed } from './org-bed.ts';

let bed: OrgBed;
let client: Client;

beforeAll(async () => {
  bed = await startOrgBed();
  client = new Client({ connectionString: bed.harness.databaseUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await bed.harness.close();
});

const SYSTEM = { userId: null, keyId: null, kind: 'system' } as const;

describe('entries', () => {
  test('ALOG-03 ALOG-04 every change is there, with who did it, on what, and what was before and after', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core', monthlyBudget: 5 });
    await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}/teams/${teamId}`, { monthlyBudget: 6 });
    const member = await bed.member(org, { teamId });
    const memberPath = `/v1/orgs/${org.id}/members/${member.memberId}`;
    await bed.call(org.admin, 'PATCH', memberPath, { role: 'team_admin', monthlyBudget: 1.5 });
    await bed.call(org.admin, 'PATCH', `/api/orgs/${org.id}/allowed-models`, { allowedModels: ['openai/*'] });
    await bed.call(org.admin, 'PATCH', `/api/orgs/${org.id}/teams/${teamId}/allowed-models`, {
      allowedModels: ['a/b'],
    });
    const listPath = `/api/orgs/${org.id}/members/${member.memberId}/allowed-models`;
    await bed.call(org.admin, 'PATCH', listPath, { allowedModels: ['a/c'] });
    await bed.call(org.admin, 'DELETE', memberPath);
    await bed.call(org.admin, 'DELETE', `/v1/orgs/${org.id}/teams/${teamId}`);
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, {
      billingPlan: 'monthly',
      creditLineUsd: 5,
      seats: 9,
    });

    const entries = (await bed.log(org)).reverse();
    expect(entries.map(({ action, targetType, targetId }) => [action, targetType, targetId])).toEqual([
      ['org.create', 'org', org.id],
      ['team.create', 'team', teamId],
      ['team.update', 'team', teamId],
      ['org_member.add', 'org_member', member.memberId],
      ['org_member.update', 'org_member', member.memberId],
      ['org.allowed_models.update', 'org', org.id],
      ['team.allowed_models.update', 'team', teamId],
      ['org_member.allowed_models.update', 'org_member', member.memberId],
      ['org_member.remove', 'org_member', member.memberId],
      ['team.delete', 'team', teamId],
      ['org.billing.update', 'org', org.id],
      ['org.settings.update', 'org', org.id],
    ]);
    expect(entries[2]).toMatchObject({ before: { monthlyBudget: 5 }, after: { monthlyBudget: 6 } });
    expect(entries[4]).toMatchObject({
      before: { role: 'member', monthlyBudget: null },
      after: { role: 'team_admin', monthlyBudget: 1.5 },
    });
    expect(entries[5]).toMatchObject({ before: { allowedModels: [] }, after: { allowedModels: ['openai/*'] } });
    expect(entries[10]).toMatchObject({ before: { billingPlan: 'prepaid' }, after: { billingPlan: 'monthly' } });
    expect(entries[11]).toMatchObject({ before: { seats: 1000 }, after: { seats: 9 } });
    const ofKey = { kind: 'key', userId: org.admin.userId, keyId: expect.stringMatching(/^key-/), name: 'Person' };
    expect(entries[1]?.actor).toEqual({ ...ofKey, email: org.admin.email });
    expect(entries[10]?.actor).toMatchObject({ kind: 'operator', userId: null, keyId: null });
    expect(Object.keys(entries[1] ?? {}).sort()).toEqual(
      ['id', 'action', 'actor', 'targetType', 'targetId', 'before', 'after', 'createdAt'].sort(),
    );
    expect(entries[1]?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test('ALOG-04 a change that is refused leaves none', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core' });
    const before = (await bed.log(org)).length;
    await bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/teams`, { name: 'Core' });
    await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}/teams/${teamId}`, { name: 'Core' });
    await bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, { email: org.admin.email });
    const self = await bed.memberIdOf(org, org.admin.userId);
    await bed.call(org.admin, 'DELETE', `/v1/orgs/${org.id}/members/${self}`);
    await bed.call(org.admin, 'PATCH', `/api/orgs/${org.id}/allowed-models`, { allowedModels: [] });
    expect(await bed.log(org)).toHaveLength(before);
  });

  test('ALOG-05 hold no secrets: not of the key that was made, nor of one that was used or pasted', async () => {
    const org = await bed.organization();
    const made = await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/keys`, {
      name: 'ci',
      userId: org.admin.userId,
    });
    expect(made.status).toBe(201);
    await bed.team(org, { name: `Pasted ${String(made.body.key)}`, costCenterCode: 'CC-1' });
    const text = JSON.stringify(await bed.log(org));
    expect(text).toContain('org.key.create');
    expect(text).toContain('Pasted [hidden]');
    for (const secret of [String(made.body.key), org.admin.key]) expect(text).not.toContain(secret.slice(0, 20));
  });

  test('ALOG-04 can be neither changed nor removed, by anybody', async () => {
    const org = await bed.organization();
    for (const statement of [
      `update org_audit_log set action = 'x' where org_id = '${org.id}'`,
      `delete from org_audit_log where org_id = '${org.id}'`,
      'truncate org_audit_log',
    ]) {
      await expect(client.query(statement)).rejects.toThrow(/only ever added/);
    }
    expect(await bed.log(org)).toHaveLength(1);
  });
});

describe('reading', () => {
  test('ALOG-04 in pages that neither repeat nor leave out, while entries are added', async () => {
    const org = await bed.organization();
    for (let index = 0; index < 6; index += 1) await bed.team(org, { name: `Team ${index}` });
    const path = `/api/orgs/${org.id}/audit-log`;
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 5; page += 1) {
      const { body } = await bed.call(org.admin, 'GET', `${path}?limit=3${cursor}`);
      seen.push(...(body.entries as { id: string }[]).map(({ id }) => id));
      if (page === 0) await bed.team(org, { name: 'Late' });
      if (body.nextCursor === null) break;
      cursor = `&cursor=${String(body.nextCursor)}`;
    }
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
    expect((await bed.log(org)).slice(1).map(({ id }) => id)).toEqual(seen);
  });

  test('ALOG-04 by action, actor, target and time', async () => {
    const org = await bed.organization();
    const second = await bed.member(org, { role: 'org_admin' });
    const teamId = await bed.team(org);
    await bed.call(second, 'PATCH', `/v1/orgs/${org.id}/teams/${teamId}`, { monthlyBudget: 3 });
    const actions = async (query: string): Promise<string[]> => (await bed.log(org, query)).map(({ action }) => action);
    expect(await actions('?action=team.create')).toEqual(['team.create']);
    expect(await actions(`?actor=${second.userId}`)).toEqual(['team.update']);
    expect(await actions(`?target=${teamId}`)).toEqual(['team.update', 'team.create']);
    expect(await actions(`?target=${teamId}&actor=${org.admin.userId}`)).toEqual(['team.create']);
    const [newest] = await bed.log(org);
    const key = String(newest?.actor.keyId);
    expect(await actions(`?actor=${key}`)).toEqual(['team.update']);
    const past = new Date(Date.now() - 3_600_000).toISOString();
    const future = new Date(Date.now() + 3_600_000).toISOString();
    expect(await actions(`?from=${past}&to=${future}`)).toHaveLength(4);
    expect(await actions(`?from=${future}`)).toEqual([]);
    expect(await actions(`?to=${past}`)).toEqual([]);
    expect(await actions('?to=2020-01-01')).toEqual([]);
  });

  test('ALOG-04 a query that is not understood is refused by name', async () => {
    const org = await bed.organization();
    const other = await bed.organization();
    const foreign = (await bed.log(other))[0]?.id;
    for (const [query, word] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=many', 'limit'],
      ['from=yesterday', 'from'],
      ['to=2026-13-01', 'to'],
      ['cursor=nonsense', 'cursor'],
      [`cursor=${foreign}`, 'cursor'],
      ['action=%00', 'action'],
    ]) {
      const answer = await bed.call(org.admin, 'GET', `/api/orgs/${org.id}/audit-log?${query}`);
      expect(answer.status, query).toBe(400);
      expect(messageOf(answer)).toContain(word);
    }
  });

  test('ORG-04 ALOG-04 nobody reads the log of another organization', async () => {
    const [org, other] = [await bed.organization(), await bed.organization()];
    const answer = await bed.call(other.admin, 'GET', `/api/orgs/${org.id}/audit-log`);
    expect([answer.status, codeOf(answer)]).toEqual([404, 404]);
    const ids = (await bed.log(other)).map(({ targetId }) => targetId);
    expect(ids).not.toContain(org.id);
  });
});

test('ALOG-01 what happens often is written once in its time, by however many processes at once', async () => {
  const org = await bed.organization();
  let nowMs = Date.now();
  const clock = { ...systemClock, nowMs: () => nowMs };
  const databases = [1, 2].map(() => openDatabase(bed.harness.databaseUrl, createPinoLogger('silent')));
  const audits = databases.map((database) => createAudit({ database, clock }));
  const hour = 3_600_000;
  const entry = { orgId: org.id, action: 'org.cb.tripped', actor: SYSTEM, targetType: 'org', targetId: org.id };
  const tryAll = async (subject: string): Promise<boolean[]> =>
    Promise.all(audits.flatMap((audit) => [1, 2, 3].map(() => audit.recordOnce(entry, { subject, perMs: hour }))));
  try {
    const count = async (subject: string): Promise<number> => (await tryAll(subject)).filter(Boolean).length;
    expect([await count('org minute'), await count('org minute'), await count('org hour')]).toEqual([1, 0, 1]);
    nowMs += hour - 1;
    expect(await count('org minute')).toBe(0);
    nowMs += 1;
    expect(await count('org minute')).toBe(1);
    expect(await bed.log(org, '?action=org.cb.tripped')).toHaveLength(3);
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
});
