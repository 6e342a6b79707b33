// The statements on the log. It is read by position, newest first, so that a page costs the same however long it is.

import type { AuditActor } from '../../../canonical/audit-entry.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type NewEntryRow = Readonly<{
  id: string;
  orgId: string;
  action: string;
  actorKind: AuditActor['kind'];
  actorUserId: string | null;
  actorKeyId: string | null;
  targetType: string;
  targetId: string;
  before: JsonObject | null;
  after: JsonObject | null;
  createdAt: Date;
}>;

export type RecordedEntry = Omit<NewEntryRow, 'orgId' | 'actorKind' | 'actorUserId' | 'actorKeyId'> &
  Readonly<{
    /** Name and email are the current ones; null for an actor that is not a user. */
    actor: AuditActor & Readonly<{ name: string | null; email: string | null }>;
  }>;

const COLUMNS = `id, org_id, action, actor_kind, actor_user_id, actor_key_id, target_type, target_id, before, after,
  created_at`;

const IS_ANOTHER_DAY = "m.recorded_at <= excluded.recorded_at - interval '1 day'";

const insertStatement = sql(
  'audit_insert',
  `INSERT INTO org_audit_log (${COLUMNS})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11::timestamptz)`,
);

// The mark is claimed and the entry written in one statement. A second writer waits for the mark's row and then finds
// it fresh.
const insertOnceStatement = sql(
  'audit_insert_once',
  `WITH claim AS (
     INSERT INTO org_audit_marks AS m (org_id, subject, recorded_at) VALUES ($2, $12, $11::timestamptz)
     ON CONFLICT (org_id, subject) DO UPDATE SET recorded_at = excluded.recorded_at
       WHERE m.recorded_at <= excluded.recorded_at - make_interval(secs => $13::double precision / 1000)
     RETURNING org_id
   )
   INSERT INTO org_audit_log (${COLUMNS})
   SELECT $1, claim.org_id, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11::timestamptz FROM claim
   RETURNING id`,
);

// A day begins with its first entry. The organization is locked before the count, in the order of every other change,
// and an account that never had credit, which cost nobody anything to make, has less.
const insertCountedStatement = sql(
  'audit_insert_counted',
  `WITH org AS MATERIALIZED (
     SELECT id FROM organizations WHERE id = $2 FOR KEY SHARE
   ),
   counted AS (
     INSERT INTO org_audit_marks AS m (org_id, subject, recorded_at, entries)
     SELECT id, $12, $11::timestamptz, $13 FROM org
     ON CONFLICT (org_id, subject) DO UPDATE SET
       recorded_at = CASE WHEN ${IS_ANOTHER_DAY} THEN excluded.recorded_at ELSE m.recorded_at END,
       entries = CASE WHEN ${IS_ANOTHER_DAY} THEN 0 ELSE m.entries END + excluded.entries
       WHERE ${IS_ANOTHER_DAY} OR m.entries + excluded.entries <= (
         SELECT CASE WHEN a.kind = 'monthly' OR a.total_credited_nano_usd > 0 THEN $15::integer ELSE $14::integer END
         FROM accounts a
         WHERE a.id = m.org_id)
     RETURNING org_id
   )
   INSERT INTO org_audit_log (${COLUMNS})
   SELECT $1, counted.org_id, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11::timestamptz FROM counted
   RETURNING id`,
);

// Looks at the oldest alone, so that it costs little where none is old enough.
const forgetStatement = sql(
  'audit_forget',
  `DELETE FROM org_audit_log
   WHERE position IN (
     SELECT position FROM (SELECT position, created_at FROM org_audit_log ORDER BY position LIMIT $2) oldest
     WHERE created_at < $1)
   RETURNING position`,
);

const forgetMarksStatement = sql('audit_forget_marks', 'DELETE FROM org_audit_marks WHERE recorded_at < $1');

const findPositionStatement = sql(
  'audit_find_position',
  'SELECT position FROM org_audit_log WHERE org_id = $1 AND id = $2',
);

const listStatement = sql(
  'audit_list',
  `SELECT l.id, l.action, l.target_type AS "targetType", l.target_id AS "targetId", l.before, l.after,
     l.created_at AS "createdAt", json_build_object('kind', l.actor_kind, 'userId', l.actor_user_id,
       'keyId', l.actor_key_id, 'name', u.name, 'email', u.email) AS actor
   FROM org_audit_log l LEFT JOIN users u ON u.id = l.actor_user_id
   WHERE l.org_id = $1
     AND ($2::bigint IS NULL OR l.position < $2)
     AND ($3::text IS NULL OR l.action = $3)
     AND ($4::text IS NULL OR l.actor_user_id = $4 OR l.actor_key_id = $4)
     AND ($5::text IS NULL OR l.target_id = $5)
     AND ($6::timestamptz IS NULL OR l.created_at >= $6)
     AND ($7::timestamptz IS NULL OR l.created_at < $7)
   ORDER BY l.position DESC LIMIT $8`,
);

const valuesOf = (row: NewEntryRow): unknown[] => [
  row.id,
  row.orgId,
  row.action,
  row.actorKind,
  row.actorUserId,
  row.actorKeyId,
  row.targetType,
  row.targetId,
  row.before === null ? null : JSON.stringify(row.before),
  row.after === null ? null : JSON.stringify(row.after),
  row.createdAt,
];

export async function insertEntry(queryable: Queryable, row: NewEntryRow): Promise<void> {
  await queryable.query(insertStatement, valuesOf(row));
}

/** False when an entry of the subject was written less than `perMs` ago. */
export async function insertEntryOnce(
  queryable: Queryable,
  row: NewEntryRow,
  once: Readonly<{ subject: string; perMs: number }>,
): Promise<boolean> {
  const values = [...valuesOf(row), once.subject, once.perMs];
  return hasRow(queryable, insertOnceStatement, values);
}

type Count = Readonly<{
  subject: string;
  entries: number;
  /** For a day. */
  max: Readonly<{ beforeCredit: number; afterCredit: number }>;
}>;

/** False when the subject has added as much as it may. */
export async function insertCounted(queryable: Queryable, row: NewEntryRow, count: Count): Promise<boolean> {
  const { subject, entries, max } = count;
  const values = [...valuesOf(row), subject, entries, max.beforeCredit, max.afterCredit];
  return hasRow(queryable, insertCountedStatement, values);
}

/** The oldest entries, at most so many; answers how many are gone. */
export async function forgetEntries(queryable: Queryable, before: Date, together: number): Promise<number> {
  return (await queryable.query(forgetStatement, [before, together])).length;
}

export async function forgetMarks(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query(forgetMarksStatement, [before]);
}

/** Null when the organization has no such entry. */
export async function findPosition(queryable: Queryable, orgId: string, id: string): Promise<bigint | null> {
  const [row] = await queryable.query<{ position: bigint }>(findPositionStatement, [orgId, id]);
  return row?.position ?? null;
}

export type EntryFilter = Readonly<{
  orgId: string;
  action?: string | undefined;
  /** The id of a user or of a key. */
  actor?: string | undefined;
  targetId?: string | undefined;
  /** From this moment on. */
  fromMs?: number | undefined;
  /** Up to this moment, which is not included. */
  toMs?: number | undefined;
  limit: number;
}>;

/** Reads one more than asked for, to tell whether there is another page. */
export function listEntries(
  queryable: Queryable,
  filter: EntryFilter,
  before: bigint | null,
): Promise<RecordedEntry[]> {
  const moment = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));
  return queryable.query<RecordedEntry>(listStatement, [
    filter.orgId,
    before,
    filter.action ?? null,
    filter.actor ?? null,
    filter.targetId ?? null,
    moment(filter.fromMs),
    moment(filter.toMs),
    filter.limit + 1,
  ]);
}
