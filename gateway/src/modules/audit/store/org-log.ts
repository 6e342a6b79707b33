// The statements on the log. It is read by position, newest first, so that a page costs the same however long it is.

import type { JsonObject } from '../../../canonical/json.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';

type ActorKind = 'user' | 'key' | 'operator' | 'system';

export type NewEntryRow = Readonly<{
  id: string;
  orgId: string;
  action: string;
  actorKind: ActorKind;
  actorUserId: string | null;
  actorKeyId: string | null;
  targetType: string;
  targetId: string;
  before: JsonObject | null;
  after: JsonObject | null;
  createdAt: Date;
}>;

export type EntryRow = Omit<NewEntryRow, 'orgId'> & Readonly<{ actorName: string | null; actorEmail: string | null }>;

const COLUMNS = `id, org_id, action, actor_kind, actor_user_id, actor_key_id, target_type, target_id, before, after,
  created_at`;

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

const findPositionStatement = sql(
  'audit_find_position',
  'SELECT position FROM org_audit_log WHERE org_id = $1 AND id = $2',
);

const listStatement = sql(
  'audit_list',
  `SELECT l.id, l.action, l.actor_kind AS "actorKind", l.actor_user_id AS "actorUserId",
     l.actor_key_id AS "actorKeyId", l.target_type AS "targetType", l.target_id AS "targetId", l.before, l.after,
     l.created_at AS "createdAt", u.name AS "actorName", u.email AS "actorEmail"
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
  return (await queryable.query(insertOnceStatement, values)).length === 1;
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
export function listEntries(queryable: Queryable, filter: EntryFilter, before: bigint | null): Promise<EntryRow[]> {
  const moment = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));
  return queryable.query<EntryRow>(listStatement, [
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
