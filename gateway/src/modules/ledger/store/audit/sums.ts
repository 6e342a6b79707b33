// What entries add up to for accounts and counters, a stretch of ids in each statement, in the order of entry. Sealing
// a month uses these sums; the self-check compares them with sums that are read by account, through other indexes.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import type { NanoUsd } from '../../../../platform/money.ts';
import type { JournalSpan } from './span.ts';

/** What each side of the entries in `part` has credited, spent and taken back. */
const SIDES = `
  SELECT e.credit_account_id AS account_id, CASE WHEN e.kind = 'refund' THEN 0 ELSE e.amount_nano_usd END AS credited,
         CASE WHEN e.kind = 'refund' THEN -e.amount_nano_usd ELSE 0 END AS spent, 0::bigint AS taken
  FROM part e
  WHERE e.kind <> 'charge'
  UNION ALL
  SELECT e.debit_account_id, CASE WHEN e.kind IN ('reclaim', 'adjustment') THEN -e.amount_nano_usd ELSE 0 END,
         CASE WHEN e.kind IN ('reclaim', 'adjustment') THEN 0 ELSE e.amount_nano_usd END,
         CASE WHEN e.kind IN ('reclaim', 'adjustment') THEN e.amount_nano_usd ELSE 0 END
  FROM part e`;

/** By account, of the entries in `part`. */
export const ACCOUNT_SUMS = `
  SELECT s.account_id, count(*) AS entries, sum(s.credited)::bigint AS credited, sum(s.spent)::bigint AS spent,
         sum(s.taken)::bigint AS taken
  FROM (${SIDES}) s JOIN accounts a ON a.id = s.account_id AND a.kind <> 'system'
  GROUP BY s.account_id`;

/** By counter, of those that are still there. */
export const COUNTER_SUMS = `
  SELECT t.counter_id, sum(e.amount_nano_usd)::bigint AS amount
  FROM part e CROSS JOIN LATERAL unnest(e.counter_ids) AS t (counter_id)
  WHERE e.counter_ids IS NOT NULL AND EXISTS (SELECT FROM spend_counters c WHERE c.id = t.counter_id)
  GROUP BY t.counter_id`;

const PART = `part AS MATERIALIZED (
  SELECT e.* FROM journal_entries e
  WHERE e.id > $1 AND e.id <= $2 AND e.created_at >= $3::timestamptz AND e.created_at < $4::timestamptz)`;

const accountsStatement = sql(
  'ledger_audit_sum_accounts',
  `WITH ${PART} SELECT account_id AS "accountId", credited, spent, taken FROM (${ACCOUNT_SUMS}) sums`,
);
const countersStatement = sql(
  'ledger_audit_sum_counters',
  `WITH ${PART} SELECT counter_id::text AS "counterId", amount AS "amountNanoUsd" FROM (${COUNTER_SUMS}) sums`,
);

/** By counter. */
export type Counted = Map<string, NanoUsd>;

export type Moved = Readonly<{ credited: NanoUsd; spent: NanoUsd; taken: NanoUsd }>;

type Ids = Readonly<{ afterId: bigint; lastId: bigint }>;

const within = ({ afterId, lastId }: Ids, { since, until }: JournalSpan): unknown[] => [afterId, lastId, since, until];

export async function addCounts(session: Queryable, counted: Counted, ids: Ids, span: JournalSpan): Promise<void> {
  const rows = await session.query<{ counterId: string; amountNanoUsd: NanoUsd }>(countersStatement, within(ids, span));
  for (const { counterId, amountNanoUsd } of rows) {
    counted.set(counterId, (counted.get(counterId) ?? 0n) + amountNanoUsd);
  }
}

export async function addMoved(
  session: Queryable,
  moved: Map<string, Moved>,
  ids: Ids,
  span: JournalSpan,
): Promise<void> {
  const rows = await session.query<Moved & { accountId: string }>(accountsStatement, within(ids, span));
  for (const { accountId, credited, spent, taken } of rows) {
    const known = moved.get(accountId) ?? { credited: 0n, spent: 0n, taken: 0n };
    moved.set(accountId, {
      ...{ credited: known.credited + credited, spent: known.spent + spent, taken: known.taken + taken },
    });
  }
}
