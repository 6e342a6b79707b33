// Checks entries by themselves, a stretch of ids in each statement: both sides are known accounts and the right ones, a
// refund gives back its charge, nothing is entered twice. Also checks charges against the records of calls, in both
// directions. What looks wrong is checked again alone, at one moment, before it is reported as a discrepancy.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import type { NanoUsd } from '../../../../platform/money.ts';
import { type JournalSpan, usdText } from './span.ts';

const stretchStatement = sql(
  'ledger_audit_stretch',
  `SELECT max(s.id) AS "lastId", count(*) < $3 AS "isLast", count(*) FILTER (WHERE s.is_within) AS entries,
          min(s.created_at) FILTER (WHERE s.is_within)::text AS "from",
          max(s.created_at) FILTER (WHERE s.is_within)::text AS "to"
   FROM (
     SELECT id, created_at, created_at >= $4::timestamptz AND created_at < $5::timestamptz AS is_within
     FROM journal_entries WHERE id > $1 AND ($2::bigint IS NULL OR id <= $2) ORDER BY id LIMIT $3
   ) s`,
);

/** A stretch of ids, with how many entries of the span it has and their times. */
export type Stretch = Readonly<{
  afterId: bigint;
  lastId: bigint;
  /** No entry comes after it. */
  isLast: boolean;
  entries: bigint;
  from: string | null;
  to: string | null;
}>;

/** The next so many entries after an id; null when there are none. */
export async function nextStretch(
  session: Queryable,
  span: JournalSpan,
  { afterId, limit }: Readonly<{ afterId: bigint; limit: number }>,
): Promise<Stretch | null> {
  const values = [afterId, span.lastId, limit, span.since, span.until];
  const [row] = await session.query<Omit<Stretch, 'afterId' | 'lastId'> & { lastId: bigint | null }>(
    stretchStatement,
    values,
  );
  return row === undefined || row.lastId === null ? null : { ...row, afterId, lastId: row.lastId };
}

const WITHIN = 'e.id > $1 AND e.id <= $2 AND e.created_at >= $3::timestamptz AND e.created_at < $4::timestamptz';
const within = (stretch: Stretch, span: JournalSpan): unknown[] => [
  stretch.afterId,
  stretch.lastId,
  span.since,
  span.until,
];

// Nearly all entries are ordinary charges, for which no text is built.
const ORDINARY = `e.kind = 'charge' AND e.amount_nano_usd >= 0 AND e.credit_account_id = 'system-revenue'
     AND debit.id IS NOT NULL AND credit.id IS NOT NULL`;

const wordsStatement = sql(
  'ledger_audit_entries',
  `SELECT 'entry ' || e.id || ': ' || found.words AS discrepancy
   FROM journal_entries e
   LEFT JOIN accounts debit ON debit.id = e.debit_account_id
   LEFT JOIN accounts credit ON credit.id = e.credit_account_id
   CROSS JOIN LATERAL (VALUES
     ('amount is ' || ${usdText('e.amount_nano_usd')}, e.amount_nano_usd < 0),
     ('debits an unknown account ' || e.debit_account_id, debit.id IS NULL),
     ('credits an unknown account ' || e.credit_account_id, credit.id IS NULL),
     ('is a charge that does not go to revenue', e.kind = 'charge' AND e.credit_account_id <> 'system-revenue'),
     ('is a credit that does not come from funding',
      e.kind IN ('credit', 'restore') AND e.debit_account_id <> 'system-funding'),
     ('takes credit back to elsewhere than funding', e.kind = 'reclaim' AND e.credit_account_id <> 'system-funding'),
     ('is an adjustment without funding on one side',
      e.kind = 'adjustment' AND 'system-funding' NOT IN (e.debit_account_id, e.credit_account_id)),
     ('is a refund that does not give back its charge',
      e.kind = 'refund' AND NOT is_archived_call(e.generation_id) AND NOT EXISTS (
        SELECT FROM charge_of(e.generation_id) c
        WHERE c.debit_account_id = e.credit_account_id AND c.credit_account_id = e.debit_account_id
          AND c.amount_nano_usd = e.amount_nano_usd))
   ) found (words, is_wrong)
   WHERE ${WITHIN} AND NOT (${ORDINARY}) AND found.is_wrong
   ORDER BY e.id LIMIT 100`,
);

export async function checkEntries(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const rows = await session.query<{ discrepancy: string }>(wordsStatement, within(stretch, span));
  return rows.map(({ discrepancy }) => discrepancy);
}

// Calls that end together began at about the same time, and ids are in the order of time: the records of nearly all
// charges of a stretch lie between two ids, and reading those costs a fraction of looking for each. The few that began
// much earlier or later are looked for one by one, first where the time in the id says; a call of a batch has its id
// from when the batch was sent, and old ids have no time.
const recordOf = (when: string): string =>
  `(SELECT true FROM generations g
    WHERE g.id = p.generation_id AND ${when} AND g.cost_nano_usd = p.amount_nano_usd
      AND g.account_id = p.debit_account_id LIMIT 1)`;
const ABOUT_THEN =
  "g.created_at >= $5::timestamptz - interval '31 days' AND g.created_at < $6::timestamptz + interval '1 day'";
const unrecordedStatement = sql(
  'ledger_audit_unrecorded',
  `WITH part AS MATERIALIZED (
     SELECT e.generation_id, e.amount_nano_usd, e.debit_account_id FROM journal_entries e
     WHERE ${WITHIN} AND e.kind = 'charge'
   ), bounds AS MATERIALIZED (
     SELECT percentile_disc(ARRAY[0.01, 0.99]) WITHIN GROUP (ORDER BY generation_id) AS ids FROM part
     WHERE length(generation_id) = 40
   ), near AS MATERIALIZED (
     SELECT g.id, g.cost_nano_usd, g.account_id FROM bounds CROSS JOIN LATERAL (
       SELECT * FROM generations g WHERE g.id >= ids[1] AND g.id <= ids[2] AND ${ABOUT_THEN} OFFSET 0
     ) g
   ), far AS MATERIALIZED (
     SELECT p.* FROM part p
     LEFT JOIN near n ON n.id = p.generation_id AND n.cost_nano_usd = p.amount_nano_usd
       AND n.account_id = p.debit_account_id
     WHERE n.id IS NULL
   )
   SELECT p.generation_id AS id FROM far p
   WHERE coalesce(
     ${recordOf(`g.created_at >= call_time(p.generation_id) - interval '5 minutes'
      AND g.created_at < call_time(p.generation_id) + interval '5 minutes'`)},
     ${recordOf(ABOUT_THEN)}
   ) IS NULL`,
);

/** Charges of the stretch whose record is not where it should be, or says something else. */
export async function findUnrecorded(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const values = [...within(stretch, span), stretch.from, stretch.to];
  return (await session.query<{ id: string }>(unrecordedStatement, values)).map(({ id }) => id);
}

const monthsStatement = sql(
  'ledger_audit_record_months',
  `SELECT greatest(p.starts, $1::timestamptz)::text AS since, least(p.ends, $2::timestamptz)::text AS until, p.name
   FROM (
     SELECT c.relname AS name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC' AS starts,
            (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' AS ends
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'generations'::regclass AND c.relname ~ '^generations_\\d{4}_\\d{2}$'
   ) p
   WHERE p.starts < $2::timestamptz AND p.ends > $1::timestamptz
   ORDER BY p.starts`,
);

type RecordSpan = Readonly<{ since: string; until: string }>;

/** The span cut into the months that have records. */
export const listRecordSpans = (session: Queryable, { since, until }: JournalSpan): Promise<RecordSpan[]> =>
  session.query<RecordSpan>(monthsStatement, [since, until]);

const firstCallStatement = sql(
  'ledger_audit_first_call',
  `SELECT 'gen-' || lpad(to_hex((extract(epoch FROM $1::timestamptz - interval '1 day') * 1000)::bigint), 12, '0') AS id`,
);

/**
 * An id below that of every call that began since then. One day less, because calls of batches have their ids from when
 * the batch was sent.
 */
export async function firstCallSince(session: Queryable, since: string): Promise<string> {
  const [row] = await session.query<{ id: string }>(firstCallStatement, [since]);
  return row?.id ?? '';
}

// A charge is looked up by a subquery with a limit, which is one index probe for each record: a join is planned as a
// scan of all charges. What it costs is compared where the charges are read.
const recordsText = (from: string): string =>
  `WITH slice AS MATERIALIZED (
     SELECT id, created_at, cost_nano_usd FROM ${from}
     WHERE created_at >= $1::timestamptz AND created_at < $2::timestamptz AND id > $3 ORDER BY id LIMIT $4
   )
   SELECT CASE WHEN count(*) = $4 THEN max(s.id) END AS "lastId", array_agg(s.id) FILTER (WHERE s.cost_nano_usd > 0
     AND s.created_at >= archived_until() + interval '1 day' AND (
     SELECT true FROM charge_of(s.id) LIMIT 1) IS NULL) AS uncharged
   FROM slice s`;

const recordsStatement = sql('ledger_audit_records', recordsText('generations'));
// Records that lie in no month's partition; their times may be any.
const strayRecordsStatement = sql('ledger_audit_stray_records', recordsText('generations_default'));

type CheckedRecords = Readonly<{ lastId: string | null; uncharged: readonly string[] | null }>;

/** Records of a cost without a charge, among so many after an id. */
export async function findUncharged(
  session: Queryable,
  span: RecordSpan,
  batch: Readonly<{ afterId: string; limit: number; isStray: boolean }>,
): Promise<CheckedRecords> {
  const statement = batch.isStray ? strayRecordsStatement : recordsStatement;
  const [row] = await session.query<CheckedRecords>(statement, [span.since, span.until, batch.afterId, batch.limit]);
  return row ?? { lastId: null, uncharged: null };
}

const exactStatement = sql(
  'ledger_audit_charges',
  `SELECT coalesce(e.debit_account_id, g.account_id) AS "accountId", g.id IS NOT NULL AS "isRecorded",
          coalesce(e.amount_nano_usd, 0)::bigint AS "amountNanoUsd",
          EXISTS (SELECT FROM dropped_months d WHERE d.account_id = e.debit_account_id) AS "isDropped",
          'generation ' || coalesce(g.id, e.generation_id) || ': cost is '
            || coalesce(${usdText('g.cost_nano_usd')}, 'unrecorded') || ' on ' || coalesce(g.account_id, 'no account')
            || ', its charge is ' || coalesce(${usdText('e.amount_nano_usd')}, 'missing') || ' on '
            || coalesce(e.debit_account_id, 'no account') AS discrepancy
   FROM (SELECT c.* FROM unnest($1::text[]) AS t (id) CROSS JOIN LATERAL charge_of(t.id) c) e
   FULL JOIN (SELECT * FROM generations WHERE id = ANY ($1::text[])) g ON g.id = e.generation_id
   WHERE g.id IS NULL OR g.cost_nano_usd <> coalesce(e.amount_nano_usd, 0)
      OR g.account_id <> coalesce(e.debit_account_id, g.account_id)`,
);

type DifferingCharge = Readonly<{
  accountId: string;
  isRecorded: boolean;
  amountNanoUsd: NanoUsd;
  /** Records of old months are dropped, and then charges stand alone. */
  isDropped: boolean;
  discrepancy: string;
}>;

/** Those of these calls whose charge and record differ, read at one moment. */
export const findExactly = (session: Queryable, ids: readonly string[]): Promise<DifferingCharge[]> =>
  session.query<DifferingCharge>(exactStatement, [ids]);

// Where no month is sealed, charges without a record equal what dropped months had cost; later they are a part of it.
const droppedStatement = sql(
  'ledger_audit_dropped',
  `SELECT 'account ' || account_id || ': charges without a record are ' || ${usdText('coalesce(u.amount, 0)')}
          || ', dropped months say ' || ${usdText('dropped.amount')} AS discrepancy
   FROM (
     SELECT account_id, sum(cost_nano_usd) AS amount FROM dropped_months
     WHERE NOT $3::boolean OR account_id = ANY ($1::text[]) GROUP BY account_id
   ) dropped
   LEFT JOIN unnest($1::text[], $2::bigint[]) AS u (account_id, amount) USING (account_id)
   WHERE CASE WHEN $3::boolean THEN coalesce(u.amount, 0) > dropped.amount ELSE coalesce(u.amount, 0) <> dropped.amount END
   ORDER BY account_id LIMIT 100`,
);

export async function checkDropped(
  session: Queryable,
  unrecorded: ReadonlyMap<string, NanoUsd>,
  isPart: boolean,
): Promise<string[]> {
  const values = [[...unrecorded.keys()], [...unrecorded.values()], isPart];
  return (await session.query<{ discrepancy: string }>(droppedStatement, values)).map((row) => row.discrepancy);
}

// Unique indexes keep entries from being entered twice. While all of them exist, only neighbours are compared, in case
// an index is damaged.
const duplicatesText = (where: string): string =>
  `(SELECT 'generation ' || e.generation_id || ': charged ' || count(*) || ' times' AS discrepancy
    FROM journal_entries e WHERE ${where} AND e.kind = 'charge' GROUP BY e.generation_id HAVING count(*) > 1 LIMIT 100)
   UNION ALL
   (SELECT 'reference ' || e.reference || ': entered ' || count(*) || ' times as ' || e.kind
    FROM journal_entries e WHERE ${where} AND e.kind <> 'charge' GROUP BY e.kind, e.reference HAVING count(*) > 1
    LIMIT 100)`;

const duplicatesStatement = sql('ledger_audit_duplicates', duplicatesText(WITHIN));
const allDuplicatesStatement = sql('ledger_audit_all_duplicates', duplicatesText('true'));
const indexesStatement = sql(
  'ledger_audit_indexes',
  `WITH standing AS (
     SELECT i.indrelid, a.attname, i.indexrelid FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE i.indisunique AND i.indisvalid AND i.indisready
   )
   SELECT EXISTS (SELECT FROM standing WHERE indexrelid = to_regclass('ledger_entries_one_credit')) AND NOT EXISTS (
     SELECT FROM pg_partition_tree('journal_entries') p WHERE p.isleaf AND NOT EXISTS (
       SELECT FROM standing s WHERE s.indrelid = p.relid AND s.attname = 'generation_id')) AS "isUnique"`,
);

export async function checkDuplicates(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const rows = await session.query<{ discrepancy: string }>(duplicatesStatement, within(stretch, span));
  return rows.map(({ discrepancy }) => discrepancy);
}

/** Compares the whole journal at once, where a unique index is missing. */
export async function checkAllDuplicates(session: Queryable): Promise<string[]> {
  const [indexes] = await session.query<{ isUnique: boolean }>(indexesStatement);
  if (indexes?.isUnique === true) return [];
  const rows = await session.query<{ discrepancy: string }>(allDuplicatesStatement);
  return rows.map(({ discrepancy }) => discrepancy);
}
