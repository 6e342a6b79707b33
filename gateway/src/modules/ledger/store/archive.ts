// Archiving a closed month: its entries as lines of text, always the same for the same entries, and the removal of its
// charges from the database. Entries that are not charges stay, because their references keep a payment from being
// credited twice.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { JournalSpan } from './audit/span.ts';

const monthsStatement = sql(
  'ledger_months_list',
  `SELECT to_char(month, 'YYYY-MM') AS month, entries, sealed_at AS "sealedAt", archive_sha256 AS "archiveSha256",
          archived_at AS "archivedAt"
   FROM ledger_months
   WHERE sealed_at IS NOT NULL
   ORDER BY month`,
);

export type SealedMonth = Readonly<{
  month: string;
  entries: bigint;
  sealedAt: Date;
  /** The digest of the lines of its file; null while it is not archived. */
  archiveSha256: string | null;
  /** When the last of its charges was removed. */
  archivedAt: Date | null;
}>;

export const listMonths = (queryable: Queryable): Promise<SealedMonth[]> =>
  queryable.query<SealedMonth>(monthsStatement);

const linesStatement = sql(
  'ledger_archive_lines',
  `SELECT e.id, json_build_object(
     'id', e.id::text, 'at', to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
     'kind', e.kind, 'debit', e.debit_account_id, 'credit', e.credit_account_id,
     'amountNanoUsd', e.amount_nano_usd::text, 'generationId', e.generation_id, 'reference', e.reference,
     'note', e.note, 'priceListId', e.price_list_id, 'counterIds', e.counter_ids::text[])::text AS line
   FROM journal_entries e
   WHERE e.id > $1 AND e.id <= $2 AND e.created_at >= $3::timestamptz AND e.created_at < $4::timestamptz
   ORDER BY e.id LIMIT $5`,
);

type EntryLine = Readonly<{ id: bigint; line: string }>;

/** The next so many entries of a closed month. */
export const listLines = (
  queryable: Queryable,
  span: JournalSpan,
  { afterId, limit }: Readonly<{ afterId: bigint; limit: number }>,
): Promise<EntryLine[]> =>
  queryable.query<EntryLine>(linesStatement, [afterId, span.lastId, span.since, span.until, limit]);

const checkpointsStatement = sql(
  'ledger_archive_checkpoints',
  `SELECT account_id AS "accountId", entries::text, credited_nano_usd::text AS "creditedNanoUsd",
          spent_nano_usd::text AS "spentNanoUsd", taken_nano_usd::text AS "takenNanoUsd"
   FROM ledger_checkpoints
   WHERE month = $1::date AND account_id > $2
   ORDER BY account_id LIMIT $3`,
);

/** What an account moved in the month; decimal text. */
export type Checkpoint = Readonly<{
  accountId: string;
  entries: string;
  creditedNanoUsd: string;
  spentNanoUsd: string;
  takenNanoUsd: string;
}>;

export const listCheckpoints = (
  queryable: Queryable,
  firstDay: string,
  { afterId, limit }: Readonly<{ afterId: string; limit: number }>,
): Promise<Checkpoint[]> => queryable.query<Checkpoint>(checkpointsStatement, [firstDay, afterId, limit]);

const stateStatement = sql(
  'ledger_archive_state',
  `SELECT m.archive_sha256 AS sha256, m.sealed_at IS NOT NULL AS "isSealed",
          NOT EXISTS (
            SELECT FROM ledger_months b WHERE b.month < m.month AND b.archived_at IS NULL
          ) AS "isNext",
          (m.month + interval '1 month') AT TIME ZONE 'UTC' + $3::bigint * interval '1 millisecond'
            <= least(now(), $2::timestamptz) AS "isOld"
   FROM ledger_months m
   WHERE m.month = $1::date`,
);

type ArchiveState = Readonly<{
  sha256: string | null;
  isSealed: boolean;
  /** All months before it are archived. */
  isNext: boolean;
  isOld: boolean;
}>;

/** Null when the month is not closed. */
export async function readArchiveState(
  session: Queryable,
  firstDay: string,
  { nowMs, ageMs }: Readonly<{ nowMs: number; ageMs: number }>,
): Promise<ArchiveState | null> {
  const [state] = await session.query<ArchiveState>(stateStatement, [firstDay, new Date(nowMs), ageMs]);
  return state ?? null;
}

const markStatement = sql(
  'ledger_archive_mark',
  'UPDATE ledger_months SET archive_sha256 = $2 WHERE month = $1::date AND sealed_at IS NOT NULL AND archive_sha256 IS NULL',
);

/** Marks the month as archived; from then on its charges may be removed. */
export async function markArchived(session: Queryable, firstDay: string, sha256: string): Promise<void> {
  await session.query(markStatement, [firstDay, sha256]);
}

const removeStatement = sql(
  'ledger_archive_remove',
  `WITH due AS (
     SELECT e.id FROM journal_entries e
     WHERE e.id > $1 AND e.id <= $2 AND e.created_at >= $3::timestamptz AND e.created_at < $4::timestamptz
       AND e.kind = 'charge'
     ORDER BY e.id LIMIT $5
   ), gone AS (
     DELETE FROM journal_entries e USING due WHERE e.id = due.id RETURNING e.id
   )
   SELECT count(*) AS removed, max(id) AS "lastId" FROM gone`,
);

export type Removed = Readonly<{ removed: bigint; lastId: bigint | null }>;

/** Removes the next so many charges of an archived month. */
export async function removeCharges(
  session: Queryable,
  span: JournalSpan,
  { afterId, limit }: Readonly<{ afterId: bigint; limit: number }>,
): Promise<Removed> {
  const values = [afterId, span.lastId, span.since, span.until, limit];
  const [row] = await session.query<Removed>(removeStatement, values);
  return row ?? { removed: 0n, lastId: null };
}

const finishStatement = sql(
  'ledger_archive_finish',
  'UPDATE ledger_months SET archived_at = coalesce(archived_at, now()) WHERE month = $1::date',
);

export async function finishArchive(session: Queryable, firstDay: string): Promise<void> {
  await session.query(finishStatement, [firstDay]);
}

const untilStatement = sql(
  'ledger_archived_until',
  `SELECT (extract(epoch FROM nullif(archived_until(), '-infinity')) * 1000)::float8 AS "untilMs"`,
);

/** The first moment whose entries are all here; null when nothing was ever archived. */
export async function readArchivedUntil(queryable: Queryable): Promise<number | null> {
  const [row] = await queryable.query<{ untilMs: number | null }>(untilStatement);
  return row?.untilMs ?? null;
}

const isArchivedStatement = sql('ledger_is_archived_call', 'SELECT is_archived_call($1) AS "isArchived"');

export async function isArchivedCall(queryable: Queryable, generationId: string): Promise<boolean> {
  const [row] = await queryable.query<{ isArchived: boolean }>(isArchivedStatement, [generationId]);
  return row?.isArchived === true;
}
