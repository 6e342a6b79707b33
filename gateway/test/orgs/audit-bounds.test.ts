// What one person, or a directory, can add to the log of an organization in a day, and what is removed from it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditActor, AuditEntry } from '../../src/canonical/audit-entry.ts';
import { type Audit, createAudit } from '../../src/modules/audit/audit.ts';
import { type Database, sql } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { MovableClock } from '../identity/movable-clock.ts';
import { rows } from '../identity/rows.ts';

const DAY_MS = 86_400_000;
const BEFORE_CREDIT = 1_000;
const SYSTEM: AuditActor = { userId: null, keyId: null, kind: 'system' };

let fresh: FreshDatabase;
let database: Database;
let audit: Audit;
let orgs = 0;
const clock = new MovableClock(new Date().toISOString());

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
  audit = createAudit({ database, clock });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

async function organization(kind = 'prepaid'): Promise<string> {
  orgs += 1;
  const id = `org-${orgs}`;
  await rows(fresh.url, 'insert into accounts (id, kind) values ($1, $2)', [id, kind]);
  await rows(fresh.url, 'insert into organizations (id, name) values ($1, $1)', [id]);
  return id;
}

const by = (userId: string): AuditActor => ({ userId, keyId: null, kind: 'user' });

const change = (orgId: string, actor: AuditActor, changed: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ orgId, actor, action: 'team.update', targetType: 'team', targetId: 'team-1' },
  ...{ before: { name: 'a' }, after: { name: 'b' } },
  ...changed,
});

/** Has added this much, as if by changes. */
const added = (orgId: string, subject: string, entries: number) =>
  rows(fresh.url, 'insert into org_audit_marks (org_id, subject, recorded_at, entries) values ($1, $2, $3, $4)', [
    ...[orgId, subject, new Date(clock.nowMs()), entries],
  ]);

const logged = async (orgId: string): Promise<number> =>
  (await rows(fresh.url, 'select 1 from org_audit_log where org_id = $1', [orgId])).length;

const TOO_MUCH = { status: 429, isTerminal: true };

test('DOS-1 a person adds so much to the log in a day, and keeps nobody else from changes', async () => {
  const orgId = await organization();
  await added(orgId, 'changes/usr-loud', BEFORE_CREDIT - 1);
  await audit.record(database, change(orgId, by('usr-loud')));
  await expect(audit.record(database, change(orgId, by('usr-loud')))).rejects.toMatchObject(TOO_MUCH);
  await audit.record(database, change(orgId, by('usr-admin')));
  await audit.record(database, change(orgId, { userId: null, keyId: null, kind: 'operator' }));
  await audit.record(database, change(await organization(), by('usr-loud')));
  expect(await logged(orgId)).toBe(3);
  clock.move(DAY_MS);
  await audit.record(database, change(orgId, by('usr-loud')));
  expect(await logged(orgId)).toBe(4);
});

test('DOS-1 what takes something away is never refused, and a reading is no such thing', async () => {
  const orgId = await organization();
  await added(orgId, 'changes/usr-loud', BEFORE_CREDIT);
  await audit.record(database, change(orgId, by('usr-loud'), { action: 'org.key.revoke', after: null }));
  const reading = change(orgId, by('usr-loud'), { action: 'transcript.read', before: null, after: null });
  await expect(audit.record(database, reading)).rejects.toMatchObject(TOO_MUCH);
  expect(await logged(orgId)).toBe(1);
});

test('DOS-1 a large entry counts as several, and who is billed monthly has ten times the room', async () => {
  const [orgId, monthly] = [await organization(), await organization('monthly')];
  const large = { after: { name: 'x'.repeat(100 * 4_096) } };
  for (let index = 0; index < 9; index += 1) await audit.record(database, change(orgId, by('usr-loud'), large));
  await expect(audit.record(database, change(orgId, by('usr-loud'), large))).rejects.toMatchObject(TOO_MUCH);
  await added(monthly, 'changes/usr-loud', 10 * BEFORE_CREDIT - 1);
  await audit.record(database, change(monthly, by('usr-loud')));
  await expect(audit.record(database, change(monthly, by('usr-loud')))).rejects.toMatchObject(TOO_MUCH);
});

test('DOS-1 a refused change is undone, and so is its count', async () => {
  const orgId = await organization();
  await added(orgId, 'changes/usr-1', BEFORE_CREDIT - 2);
  const twice = database.transaction(async (transaction) => {
    for (let index = 0; index < 3; index += 1) await audit.record(transaction, change(orgId, by('usr-1')));
  });
  await expect(twice).rejects.toMatchObject(TOO_MUCH);
  expect(await logged(orgId)).toBe(0);
  await audit.record(database, change(orgId, by('usr-1')));
  expect(await logged(orgId)).toBe(1);
});

test('DOS-1 of hits of filters a person causes so many entries in a day, and a directory has its own bound', async () => {
  const orgId = await organization();
  await added(orgId, 'hits/usr-loud', BEFORE_CREDIT - 1);
  for (let index = 0; index < 3; index += 1) await audit.recordHit(change(orgId, by('usr-loud')));
  await audit.recordHit(change(orgId, by('usr-other')));
  await audit.record(database, change(orgId, by('usr-loud')));
  expect(await logged(orgId)).toBe(3);
  await added(orgId, 'changes/directory', 10 * BEFORE_CREDIT);
  await expect(audit.recordOfDirectory(database, change(orgId, SYSTEM))).rejects.toMatchObject(TOO_MUCH);
  await audit.recordOfDirectory(database, change(orgId, SYSTEM, { after: null }));
  await audit.record(database, change(orgId, SYSTEM));
  expect(await logged(orgId)).toBe(5);
});

test('changes of one person at the same moment wait for each other, whatever each has locked', async () => {
  const orgId = await organization();
  const lock = sql('test_lock_organization', 'SELECT id FROM organizations WHERE id = $1 FOR UPDATE');
  const underLock = () =>
    database.transaction(async (transaction) => {
      await transaction.query(lock, [orgId]);
      await audit.record(transaction, change(orgId, by('usr-1')));
    });
  const changes = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? audit.record(database, change(orgId, by('usr-1'))) : underLock(),
  );
  await Promise.all(changes);
  expect(await logged(orgId)).toBe(20);
});

test('ALOG-04 entries are kept for ever, or as long as the operator says, and lately made ones in any case', async () => {
  const orgId = await organization();
  const aged = (days: number) =>
    rows(
      fresh.url,
      `insert into org_audit_log (id, org_id, action, actor_kind, target_type, target_id, created_at)
       values ($1, $2, 'team.update', 'system', 'team', 'team-1', $3)`,
      [`aud-aged-${days}`, orgId, new Date(clock.nowMs() - days * DAY_MS)],
    );
  // In the order in which they would have been written; what other tests wrote came before them.
  await rows(fresh.url, 'alter table org_audit_log disable trigger all');
  await rows(fresh.url, 'delete from org_audit_log');
  await rows(fresh.url, 'alter table org_audit_log enable trigger all');
  for (const days of [500, 401, 399, 50, 1]) await aged(days);
  expect(await audit.forget(clock.nowMs(), 0)).toBe(0);
  expect(await logged(orgId)).toBe(5);
  expect(await audit.forget(clock.nowMs(), 400)).toBe(2);
  expect(await logged(orgId)).toBe(3);
  await expect(audit.forget(clock.nowMs(), 30)).rejects.toThrow(/only ever added/);
  expect(await logged(orgId)).toBe(3);
});
