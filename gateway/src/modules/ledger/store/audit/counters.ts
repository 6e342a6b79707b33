// Counters of caps against the entries that name them, and reservations against their charges. No index finds the
// entries of a counter: they are added up stretch by stretch while entries are read, and compared at the end, together
// with what earlier checks have kept and whatever has come since, at one moment.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { type JournalSpan, usdText } from './span.ts';
import type { Counted } from './sums.ts';

const compareStatement = sql(
  'ledger_audit_counters',
  `WITH batch AS MATERIALIZED (
     SELECT * FROM spend_counters WHERE id > $1 AND id <= $2
   ), counted AS (
     SELECT counter_id, sum(amount) AS amount FROM (
       SELECT * FROM unnest($3::bigint[], $4::bigint[]) AS given (counter_id, amount)
       UNION ALL
       SELECT k.counter_id, k.counted_nano_usd FROM counter_checkpoints k
       WHERE k.month <= $5::date AND k.counter_id IN (SELECT id FROM batch)
       UNION ALL
       SELECT k.counter_id, k.counted_nano_usd FROM checked_counters k WHERE k.counter_id > $1 AND k.counter_id <= $2
       UNION ALL
       SELECT t.counter_id, e.amount_nano_usd
       FROM journal_entries e CROSS JOIN LATERAL unnest(e.counter_ids) AS t (counter_id)
       WHERE e.id > $6::bigint AND e.created_at >= $7::timestamptz AND e.counter_ids IS NOT NULL
       UNION ALL
       SELECT counter_id, -amount_nano_usd FROM unfolded_counts
     ) counts GROUP BY counter_id
   )
   SELECT 'counter ' || c.name || ': ' || found.words AS discrepancy
   FROM batch c LEFT JOIN counted ON counted.counter_id = c.id
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(s.amount_nano_usd), 0) AS amount FROM counter_slices s WHERE s.counter_id = c.id
   ) sliced
   LEFT JOIN (
     SELECT t.counter_id, sum(t.part) AS amount
     FROM reservations r CROSS JOIN LATERAL unnest(r.counter_ids, r.counter_parts) AS t (counter_id, part)
     WHERE r.state = 'held' GROUP BY t.counter_id
   ) held ON held.counter_id = c.id
   CROSS JOIN LATERAL (VALUES
     ('spent is ' || ${usdText('c.spent_nano_usd')} || ', its entries say '
      || ${usdText('c.seeded_nano_usd + coalesce(counted.amount, 0)')},
      c.spent_nano_usd <> c.seeded_nano_usd + coalesce(counted.amount, 0)),
     ('leased is ' || ${usdText('c.leased_nano_usd')} || ', its slices say ' || ${usdText('sliced.amount')},
      c.leased_nano_usd <> sliced.amount),
     ('held is ' || ${usdText('c.held_nano_usd')} || ', its reservations say ' || ${usdText('coalesce(held.amount, 0)')},
      c.held_nano_usd <> coalesce(held.amount, 0))
   ) found (words, is_wrong)
   WHERE found.is_wrong
   ORDER BY c.id`,
);

const batchStatement = sql(
  'ledger_audit_counter_batch',
  `SELECT max(id) AS "lastId", count(*) < $2 AS "isLast"
   FROM (SELECT id FROM spend_counters WHERE id > $1 ORDER BY id LIMIT $2) batch`,
);

/** `counted` and the stored sums include the entries of the span up to this id. */
type CountedUpTo = Readonly<{ counted: Counted; countedId: bigint }>;

/** Compares every counter, in bounded statements that each read one moment. */
export async function compareCounters(
  session: Queryable,
  { counted, countedId }: CountedUpTo,
  { span, limit }: Readonly<{ span: JournalSpan; limit: number }>,
): Promise<readonly string[]> {
  const sums = [...counted].map(([id, amount]) => ({ id: BigInt(id), amount })).sort((a, b) => (a.id < b.id ? -1 : 1));
  const found: string[] = [];
  let afterId = 0n;
  let place = 0;
  for (;;) {
    const [batch] = await session.query<{ lastId: bigint | null; isLast: boolean }>(batchStatement, [afterId, limit]);
    const lastId = batch?.lastId ?? null;
    if (lastId === null) return found;
    const begin = place;
    while (place < sums.length && (sums[place]?.id ?? 0n) <= lastId) place += 1;
    const given = sums.slice(begin, place);
    const values = [
      afterId,
      lastId,
      given.map(({ id }) => id),
      given.map(({ amount }) => amount),
      ...[span.baseMonth, countedId, span.since],
    ];
    for (const row of await session.query<{ discrepancy: string }>(compareStatement, values))
      found.push(row.discrepancy);
    if (batch?.isLast === true) return found;
    afterId = lastId;
  }
}

const monthStatement = sql(
  'ledger_audit_month_counters',
  `SELECT 'counter ' || c.name || ': its checkpoint counts ' || ${usdText('coalesce(k.counted_nano_usd, 0)')}
          || ', the entries of the month say ' || ${usdText('coalesce(given.amount, 0)')} AS discrepancy
   FROM (SELECT * FROM counter_checkpoints WHERE month = $1::date) k
   FULL JOIN unnest($2::bigint[], $3::bigint[]) AS given (counter_id, amount) USING (counter_id)
   JOIN spend_counters c ON c.id = counter_id
   WHERE coalesce(k.counted_nano_usd, 0) <> coalesce(given.amount, 0)
   ORDER BY c.id LIMIT 100`,
);

/** The counters' checkpoints of a closed month. */
export async function checkMonthCounters(session: Queryable, firstDay: string, counted: Counted): Promise<string[]> {
  const values = [firstDay, [...counted.keys()], [...counted.values()]];
  return (await session.query<{ discrepancy: string }>(monthStatement, values)).map((row) => row.discrepancy);
}

// A durable reservation ends in the transaction that enters its charge, so both lie in the same month.
const reservationsStatement = sql(
  'ledger_audit_reservations',
  `WITH batch AS MATERIALIZED (
     SELECT * FROM reservations WHERE id > $1 ORDER BY id LIMIT $2
   )
   SELECT (SELECT CASE WHEN count(*) = $2 THEN max(id) END FROM batch) AS "lastId", ARRAY(
     SELECT 'reservation ' || r.id || ': ' || r.state || ' with ' || ${usdText('coalesce(r.charged_nano_usd, 0)')} || ' of '
            || ${usdText('r.amount_nano_usd')} || ', its charge is ' || ${usdText('coalesce(e.amount_nano_usd, 0)')} || ' on '
            || coalesce(e.debit_account_id, 'no account')
     FROM batch r LEFT JOIN LATERAL (
       SELECT * FROM charge_of(r.id) LIMIT 1
     ) e ON true
     WHERE coalesce(r.ended_at, 'infinity') >= $3::timestamptz
       AND (coalesce(r.charged_nano_usd, 0) <> coalesce(e.amount_nano_usd, 0)
            OR coalesce(e.debit_account_id, r.account_id) <> r.account_id)
   ) AS discrepancies`,
);

type CheckedReservations = Readonly<{ lastId: string | null; discrepancies: readonly string[] }>;

export async function checkReservations(
  session: Queryable,
  since: string,
  batch: Readonly<{ afterId: string; limit: number }>,
): Promise<CheckedReservations> {
  const values = [batch.afterId, batch.limit, since];
  const [row] = await session.query<CheckedReservations>(reservationsStatement, values);
  return row ?? { lastId: null, discrepancies: [] };
}

const heldStatement = sql(
  'ledger_audit_counts',
  `SELECT (SELECT count(*) FROM reservations WHERE state = 'held') AS "heldReservations",
          (SELECT coalesce(sum(entries), 0) FROM ledger_months WHERE month <= $1::date)::bigint AS "sealedEntries"`,
);

type AuditCounts = Readonly<{ heldReservations: bigint; sealedEntries: bigint }>;

export async function readCounts(session: Queryable, { baseMonth }: JournalSpan): Promise<AuditCounts> {
  const [row] = await session.query<AuditCounts>(heldStatement, [baseMonth]);
  return row as AuditCounts;
}
