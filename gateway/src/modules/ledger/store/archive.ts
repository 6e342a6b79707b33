// Archiving a closed month: its entries as lines of text, always the same for the same entries, and the end of its charges
// in the database. What is no charge stays, because its reference keeps a payment from being credited twice.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { JournalSpan } from './audit/span.ts';

const monthsStatement = sql(
  'ledger_months_list',
  `select to_char(month, 'YYYY-MM') as month, entries, sealed_at as "sealedAt", archive_sha256 as "archiveSha256",
          archived_at as "archivedAt"
   from ledger_months where sealed_at is not null order by month`,
);

export type SealedMonth = Readonly<{
  month: string;
  entries: bigint;
  sealedAt: Date;
  /** Of the lines of its file; null while it is not archived. */
  archiveSha256: string | null;
  /** When the last of its charges was gone. */
  archivedAt: Date | null;
}>;

export const listMonths = (queryable: Queryable): Promise<SealedMonth[]> =>
  queryable.query<SealedMonth>(monthsStatement);

const linesStatement = sql(
  'ledger_archive_lines',
  `select e.id, json_build_object(
     'id', e.id::text, 'at', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
     'kind', e.kind, 'debit', e.debit_account_id, 'credit', e.credit_account_id,
     'amountNanoUsd', e.amount_nano_usd::text, 'generationId', e.generation_id, 'reference', e.reference,
     'note', e.note, 'priceListId', e.price_list_id, 'counterIds', e.counter_ids::text[])::text as line
   from journal_entries e
   where e.id > $1 and e.id <= $2 and e.created_at >= $3::timestamptz and e.created_at < $4::timestamptz
   order by e.id limit $5`,
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
  `select account_id as "accountId", entries::text, credited_nano_usd::text as "creditedNanoUsd",
          spent_nano_usd::text as "spentNanoUsd", taken_nano_usd::text as "takenNanoUsd"
   from ledger_checkpoints where month = $1::date and account_id > $2 order by account_id limit $3`,
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
  `select m.archive_sha256 as sha256, m.sealed_at is not null as "isSealed",
          not exists (
            select from ledger_months b where b.month < m.month and b.archived_at is null
          ) as "isNext",
          (m.month + interval '1 month') at time zone 'UTC' + $3::bigint * interval '1 millisecond'
            <= least(now(), $2::timestamptz) as "isOld"
   from ledger_months m where m.month = $1::date`,
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
  'update ledger_months set archive_sha256 = $2 where month = $1::date and sealed_at is not null and archive_sha256 is null',
);

/** From now on its charges may go. */
export async function markArchived(session: Queryable, firstDay: string, sha256: string): Promise<void> {
  await session.query(markStatement, [firstDay, sha256]);
}

const removeStatement = sql(
  'ledger_archive_remove',
  `with due as (
     select e.id from journal_entries e
     where e.id > $1 and e.id <= $2 and e.created_at >= $3::timestamptz and e.created_at < $4::timestamptz
       and e.kind = 'charge'
     order by e.id limit $5
   ), gone as (
     delete from journal_entries e using due where e.id = due.id returning e.id
   )
   select count(*) as removed, max(id) as "lastId" from gone`,
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
  'update ledger_months set archived_at = coalesce(archived_at, now()) where month = $1::date',
);

export async function finishArchive(session: Queryable, firstDay: string): Promise<void> {
  await session.query(finishStatement, [firstDay]);
}

const untilStatement = sql(
  'ledger_archived_until',
  `select (extract(epoch from nullif(archived_until(), '-infinity')) * 1000)::float8 as "untilMs"`,
);

/** The first moment whose entries are all here; null when nothing was ever archived. */
export async function readArchivedUntil(queryable: Queryable): Promise<number | null> {
  const [row] = await queryable.query<{ untilMs: number | null }>(untilStatement);
  return row?.untilMs ?? null;
}

const isArchivedStatement = sql('ledger_is_archived_call', 'select is_archived_call($1) as "isArchived"');

export async function isArchivedCall(queryable: Queryable, generationId: string): Promise<boolean> {
  const [row] = await queryable.query<{ isArchived: boolean }>(isArchivedStatement, [generationId]);
  return row?.isArchived === true;
}
