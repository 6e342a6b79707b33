// An account's entries as its statement shows them, newest first, each with the balance that it left behind. Everything
// that is read in one transaction is of one moment, and a charge that is not folded into the balance yet is taken off
// it here.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const beginStatement = sql('ledger_entries_begin', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');

/** The public name of an entry's kind. */
const KIND = `CASE
  WHEN e.kind = 'credit' AND e.reference LIKE 'ord-%' THEN 'top_up'
  WHEN e.kind = 'credit' AND e.reference LIKE 'pay-%' THEN 'payment'
  WHEN e.kind = 'credit' AND e.reference LIKE 'welcome:%' THEN 'welcome_credit'
  WHEN e.kind = 'credit' AND e.reference LIKE 'code:%' THEN 'code_credit'
  WHEN e.kind = 'reclaim' THEN 'reversal'
  WHEN e.kind = 'restore' THEN 'reversal_undone'
  ELSE e.kind END`;

const moment = (micros: string): string => `('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`;
const FROM = moment('$2');
const TO = moment('$3');
/** Only entries before this place are shown: the place of a cursor, or the end of the span. */
const PLACE = `(${moment('$4')}, $5::bigint)`;
const IN_SPAN = `e.created_at >= ${FROM} AND e.created_at < ${TO}`;

const COLUMNS = `e.id, e.created_at, ${KIND} AS kind, e.generation_id, e.reference, e.note, NULL::bigint AS calls`;
const NEWEST = 'ORDER BY e.created_at DESC, e.id DESC LIMIT $6::integer';

/** `others` excludes charges where they are shown by the day. */
const singleRows = (others: string): string =>
  `(SELECT ${COLUMNS}, -e.amount_nano_usd AS amount FROM journal_entries e
    WHERE e.debit_account_id = $1 AND ${IN_SPAN} AND (e.created_at, e.id) < ${PLACE} ${others} ${NEWEST})
   UNION ALL
   (SELECT ${COLUMNS}, e.amount_nano_usd FROM journal_entries e
    WHERE e.credit_account_id = $1 AND e.kind <> 'charge' AND ${IN_SPAN} AND (e.created_at, e.id) < ${PLACE}
    ${NEWEST})`;

const rowsByDay = `${singleRows("AND e.kind <> 'charge'")}
  UNION ALL
  (SELECT * FROM (
     SELECT max(e.id) AS id, max(e.created_at) AS created_at, 'charge' AS kind, NULL AS generation_id,
            NULL AS reference, NULL AS note, count(*) AS calls, -sum(e.amount_nano_usd)::bigint AS amount
     FROM journal_entries e WHERE e.debit_account_id = $1 AND e.kind = 'charge' AND ${IN_SPAN}
     GROUP BY date_trunc('day', e.created_at, 'UTC')
   ) e WHERE (e.created_at, e.id) < ${PLACE} ${NEWEST})`;

const SINCE = (side: string): string =>
  `coalesce((SELECT sum(e.amount_nano_usd) FROM journal_entries e WHERE ${side} AND e.created_at >= ${TO}), 0)`;

const BALANCE = `(SELECT a.balance_nano_usd - coalesce(
    (SELECT sum(u.amount_nano_usd) FROM unfolded_charges u WHERE u.account_id = $1), 0) AS amount
   FROM accounts a WHERE a.id = $1 AND a.kind <> 'system')`;

/** The balance at the end of the span. */
const CLOSING = `(SELECT b.amount + ${SINCE('e.debit_account_id = $1')}
   - ${SINCE("e.credit_account_id = $1 AND e.kind <> 'charge'")} AS amount FROM ${BALANCE} b)`;

// The record of a call carries the time at which it began, which says in which partitions to look.
const pageText = (rows: string): string =>
  `SELECT e.id, e.created_at AS "at", (extract(epoch FROM e.created_at) * 1000000)::bigint AS micros, e.kind,
          e.amount AS "amountNanoUsd", e.generation_id AS "generationId", e.reference, e.note, e.calls,
          CASE WHEN $7::bigint IS NULL THEN (SELECT c.amount FROM ${CLOSING} c)::bigint ELSE $7 END AS "startNanoUsd",
          (SELECT g.model_id FROM generations g
           WHERE g.id = e.generation_id AND g.created_at >= e.created_at - interval '31 days'
             AND g.created_at < e.created_at + interval '1 day') AS model
   FROM (${rows}) e ${NEWEST}`;

const entriesStatement = sql('ledger_entries_page', pageText(singleRows('')));
const daysStatement = sql('ledger_entries_page_by_day', pageText(rowsByDay));

// Over all time the charges need not be added up: their sum is what was spent plus what was refunded.
const sumsStatement = sql(
  'ledger_entries_sums',
  `SELECT sums.kind, sums.amount::bigint AS "amountNanoUsd", closing.amount::bigint AS "closingNanoUsd"
   FROM ${CLOSING} closing LEFT JOIN LATERAL (
     SELECT ${KIND} AS kind, sum(CASE WHEN e.credit_account_id = $1 THEN e.amount_nano_usd ELSE -e.amount_nano_usd END)
       AS amount
     FROM (
       SELECT * FROM journal_entries e WHERE e.debit_account_id = $1 AND e.kind <> 'charge' AND ${IN_SPAN}
       UNION ALL
       SELECT * FROM journal_entries e WHERE e.credit_account_id = $1 AND e.kind <> 'charge' AND ${IN_SPAN}
     ) e GROUP BY 1
     UNION ALL
     SELECT 'charge', -CASE WHEN $4::boolean THEN (
       SELECT a.total_spent_nano_usd
         + coalesce((SELECT sum(u.amount_nano_usd) FROM unfolded_charges u WHERE u.account_id = $1), 0)
         + coalesce((SELECT sum(r.amount_nano_usd) FROM journal_entries r
                     WHERE r.credit_account_id = $1 AND r.kind = 'refund'), 0)
       FROM accounts a WHERE a.id = $1
     ) ELSE (
       SELECT coalesce(sum(e.amount_nano_usd), 0) FROM journal_entries e
       WHERE e.debit_account_id = $1 AND e.kind = 'charge' AND ${IN_SPAN}
     ) END
   ) sums ON true
   ORDER BY sums.kind`,
);

export type EntryRow = Readonly<{
  id: bigint;
  at: Date;
  micros: bigint;
  kind: string;
  /** Negative when the entry lowered the balance. */
  amountNanoUsd: NanoUsd;
  generationId: string | null;
  reference: string | null;
  note: string | null;
  /** How many charges it stands for; null for a row that is one entry. */
  calls: bigint | null;
  /** The balance after the first row of the page. */
  startNanoUsd: NanoUsd;
  model: string | null;
}>;

export type EntrySpan = Readonly<{ accountId: string; fromMicros: bigint; toMicros: bigint }>;

type EntryPage = EntrySpan &
  Readonly<{
    before: Readonly<{ micros: bigint; id: bigint; balanceNanoUsd: NanoUsd }> | null;
    isByDay: boolean;
    limit: number;
  }>;

/** Must be the first statement of the transaction. */
export async function beginReading(transaction: Queryable): Promise<void> {
  await transaction.query(beginStatement);
}

export function listEntries(queryable: Queryable, page: EntryPage): Promise<EntryRow[]> {
  const { accountId, fromMicros, toMicros, before, limit } = page;
  const place = [before?.micros ?? toMicros, before?.id ?? 0n];
  const values = [accountId, fromMicros, toMicros, ...place, limit, before?.balanceNanoUsd ?? null];
  return queryable.query<EntryRow>(page.isByDay ? daysStatement : entriesStatement, values);
}

type EntrySumRow = Readonly<{ kind: string; amountNanoUsd: NanoUsd; closingNanoUsd: NanoUsd }>;

/** By kind. No row when there is no such account. `isWhole` says that the span has no beginning and no end. */
export const sumEntries = (queryable: Queryable, span: EntrySpan, isWhole: boolean): Promise<EntrySumRow[]> =>
  queryable.query<EntrySumRow>(sumsStatement, [span.accountId, span.fromMicros, span.toMicros, isWhole]);

// What came in and went back in a span of days, of all accounts together, and what is left on them: the other side of
// what calls were charged.

const movementsStatement = sql(
  'ledger_movements',
  `SELECT ${KIND} AS kind, (e.created_at AT TIME ZONE 'UTC')::date::text AS day, count(*) AS entries,
     sum(CASE WHEN e.debit_account_id LIKE 'system-%' THEN e.amount_nano_usd ELSE -e.amount_nano_usd END)::bigint
       AS "amountNanoUsd"
   FROM journal_entries e
   WHERE e.kind <> 'charge' AND e.created_at >= $1::timestamp AT TIME ZONE 'UTC'
     AND e.created_at < ($2::timestamp + interval '1 day') AT TIME ZONE 'UTC'
   GROUP BY 1, 2
   ORDER BY 1, 2`,
);

export type MovementRow = Readonly<{ kind: string; day: string; entries: bigint; amountNanoUsd: NanoUsd }>;

/** By kind and day (UTC); both days count. What customers got is above zero. */
export const readMovements = (queryable: Queryable, firstDay: string, lastDay: string): Promise<MovementRow[]> =>
  queryable.query<MovementRow>(movementsStatement, [firstDay, lastDay]);

const balancesStatement = sql(
  'ledger_all_balances',
  `SELECT coalesce(sum(greatest(b.balance, 0)), 0)::bigint AS "prepaidNanoUsd",
     coalesce(sum(least(b.balance, 0)), 0)::bigint AS "owedNanoUsd"
   FROM (
     SELECT a.balance_nano_usd - coalesce(u.amount, 0) AS balance
     FROM accounts a LEFT JOIN (
       SELECT account_id, sum(amount_nano_usd) AS amount FROM unfolded_charges GROUP BY account_id
     ) u ON u.account_id = a.id
     WHERE a.kind <> 'system'
   ) b`,
);

export type BalancesRow = Readonly<{ prepaidNanoUsd: NanoUsd; owedNanoUsd: NanoUsd }>;

/** What customers have paid and not used, and what they owe (below zero). */
export async function readBalances(queryable: Queryable): Promise<BalancesRow> {
  const [row] = await queryable.query<BalancesRow>(balancesStatement);
  return row ?? { prepaidNanoUsd: 0n, owedNanoUsd: 0n };
}
