// Accounts against the journal, a part of them in each statement. A statement sees one moment of an account, of its
// entries and of what is not folded yet, so calls may go on meanwhile; between two statements nothing is remembered.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { type JournalSpan, usdText } from './span.ts';
import { ACCOUNT_SUMS, type Moved } from './sums.ts';

const IN_SPAN = 'e.created_at >= $3::timestamptz AND e.created_at < $4::timestamptz';

// What an account moved in a span. The sum of all debits is read from an index that has the amounts, and what is not a
// charge from indexes that have nothing else: most entries are charges, and their rows need not be looked at.
const MOVED = `
  CROSS JOIN LATERAL (
    SELECT count(*) AS entries, coalesce(sum(e.amount_nano_usd), 0) AS amount FROM journal_entries e
    WHERE a.kind <> 'system' AND e.debit_account_id = a.id AND ${IN_SPAN}
  ) debits
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.amount_nano_usd), 0) AS amount FROM journal_entries e
    WHERE a.kind <> 'system' AND e.debit_account_id = a.id AND e.kind <> 'charge'
      AND e.kind IN ('reclaim', 'adjustment') AND ${IN_SPAN}
  ) taken
  CROSS JOIN LATERAL (
    SELECT count(*) AS entries, coalesce(sum(e.amount_nano_usd) FILTER (WHERE e.kind <> 'refund'), 0) AS given,
           coalesce(sum(e.amount_nano_usd) FILTER (WHERE e.kind = 'refund'), 0) AS refunded
    FROM journal_entries e
    WHERE a.kind <> 'system' AND e.credit_account_id = a.id AND e.kind <> 'charge' AND ${IN_SPAN}
  ) credits`;
const CREDITED = '(credits.given - taken.amount)';
const SPENT = '(debits.amount - taken.amount - credits.refunded)';

const BATCH = 'SELECT * FROM accounts WHERE id > $1 ORDER BY id LIMIT $2';

const answer = (said: string): string =>
  `SELECT (SELECT CASE WHEN count(*) = $2 THEN max(id) END FROM batch) AS "lastId", (SELECT count(*) FROM batch WHERE kind <> 'system') AS accounts,
          ARRAY(SELECT 'account ' || said.id || ': ' || found.words FROM ${said} ORDER BY said.id) AS discrepancies`;

/** `joins` bring what an account has moved since the checkpoint. */
const openText = (
  joins: string,
  moved: Readonly<Record<'credited' | 'spent' | 'taken', string>>,
  before = '',
): string =>
  `WITH batch AS MATERIALIZED (${BATCH}), ${before} unfolded AS MATERIALIZED (
     SELECT account_id, sum(amount_nano_usd) AS amount FROM unfolded_charges GROUP BY account_id
   ), said AS MATERIALIZED (
     SELECT a.*, coalesce(k.total_credited_nano_usd, 0) + ${moved.credited} AS credited,
            coalesce(k.total_spent_nano_usd, 0) + ${moved.spent} - coalesce(u.amount, 0) AS spent,
            coalesce(k.total_taken_nano_usd, 0) + ${moved.taken} AS taken,
            coalesce((SELECT sum(s.amount_nano_usd) FROM account_slices s WHERE s.account_id = a.id), 0) AS sliced,
            coalesce((SELECT sum(r.amount_nano_usd) FROM reservations r
                      WHERE r.account_id = a.id AND r.state = 'held'), 0) AS reserved
     FROM batch a
     LEFT JOIN LATERAL (
       SELECT * FROM ledger_checkpoints k WHERE k.account_id = a.id AND k.month <= $5::date
       ORDER BY k.month DESC LIMIT 1
     ) k ON true
     LEFT JOIN unfolded u ON u.account_id = a.id
     ${joins}
   )
   ${answer(`said CROSS JOIN LATERAL (VALUES
       ('balance is ' || ${usdText('said.balance_nano_usd')} || ', its entries say '
        || ${usdText('said.credited - said.spent')},
        said.kind <> 'system' AND said.balance_nano_usd <> said.credited - said.spent),
       ('total credited is ' || ${usdText('said.total_credited_nano_usd')} || ', its entries say '
        || ${usdText('said.credited')},
        said.kind <> 'system' AND said.total_credited_nano_usd <> said.credited),
       ('total spent is ' || ${usdText('said.total_spent_nano_usd')} || ', its entries say ' || ${usdText('said.spent')},
        said.kind <> 'system' AND said.total_spent_nano_usd <> said.spent),
       ('leased is ' || ${usdText('said.leased_nano_usd')} || ', its slices say ' || ${usdText('said.sliced')},
        said.leased_nano_usd <> said.sliced),
       ('held is ' || ${usdText('said.held_nano_usd')} || ', its reservations say ' || ${usdText('said.reserved')},
        said.held_nano_usd <> said.reserved),
       ('available is below zero',
        said.kind <> 'system' AND said.balance_nano_usd + said.credit_line_nano_usd + said.owed_nano_usd
          - said.leased_nano_usd - said.held_nano_usd < 0),
       ('owed is ' || ${usdText('said.owed_nano_usd')} || ', taken back was ' || ${usdText('said.taken')},
        said.kind <> 'system' AND said.owed_nano_usd > said.taken)
     ) found (words, is_wrong) WHERE found.is_wrong`)}`;

const openStatement = sql(
  'ledger_audit_accounts',
  openText(MOVED, { credited: CREDITED, spent: SPENT, taken: 'taken.amount' }),
);

const KEPT = `LEFT JOIN checked_accounts kept ON kept.account_id = a.id
     LEFT JOIN newest ON newest.account_id = a.id
     LEFT JOIN unnest($6::text[], $7::bigint[], $8::bigint[], $9::bigint[]) AS given (account_id, credited, spent, taken)
       ON given.account_id = a.id`;
const known = (figure: string): string =>
  `(coalesce(kept.${figure}_nano_usd, 0) + coalesce(newest.${figure}, 0) + coalesce(given.${figure}, 0))`;

// The sums that were added up in the order of entry, with what has been entered since.
const addedUpStatement = sql(
  'ledger_audit_added_up_accounts',
  openText(
    KEPT,
    { credited: known('credited'), spent: known('spent'), taken: known('taken') },
    `part AS MATERIALIZED (
       SELECT * FROM journal_entries WHERE id > $4::bigint AND created_at >= $3::timestamptz
     ), newest AS MATERIALIZED (${ACCOUNT_SUMS}),`,
  ),
);

// A month that is being sealed is checked in the same way, with the sums just computed.
const monthStatement = sql(
  'ledger_audit_month_accounts',
  `WITH batch AS MATERIALIZED (${BATCH}), said AS MATERIALIZED (
     SELECT a.id, coalesce(k.entries, 0) AS kept_entries, debits.entries + credits.entries AS entries,
            coalesce(k.credited_nano_usd, 0) AS kept_credited, ${CREDITED} AS credited,
            coalesce(k.spent_nano_usd, 0) AS kept_spent, ${SPENT} AS spent,
            coalesce(k.taken_nano_usd, 0) AS kept_taken, taken.amount AS taken,
            k.account_id IS NOT NULL AND (k.total_credited_nano_usd, k.total_spent_nano_usd, k.total_taken_nano_usd) <> (
              coalesce(b.total_credited_nano_usd, 0) + k.credited_nano_usd,
              coalesce(b.total_spent_nano_usd, 0) + k.spent_nano_usd,
              coalesce(b.total_taken_nano_usd, 0) + k.taken_nano_usd) AS is_broken
     FROM batch a
     LEFT JOIN ledger_checkpoints k ON k.account_id = a.id AND k.month = $5::date
     LEFT JOIN LATERAL (
       SELECT * FROM ledger_checkpoints b WHERE b.account_id = a.id AND b.month < $5::date
       ORDER BY b.month DESC LIMIT 1
     ) b ON true
     ${MOVED}
     WHERE a.kind <> 'system'
   )
   ${answer(`said CROSS JOIN LATERAL (VALUES
       ('its checkpoint has ' || said.kept_entries || ' entries, the journal ' || said.entries,
        said.kept_entries <> said.entries),
       ('its checkpoint credits ' || ${usdText('said.kept_credited')} || ', the entries of the month say '
        || ${usdText('said.credited')},
        said.kept_credited <> said.credited),
       ('its checkpoint spends ' || ${usdText('said.kept_spent')} || ', the entries of the month say '
        || ${usdText('said.spent')},
        said.kept_spent <> said.spent),
       ('its checkpoint takes back ' || ${usdText('said.kept_taken')} || ', the entries of the month say '
        || ${usdText('said.taken')},
        said.kept_taken <> said.taken),
       ('its checkpoint does not go on where the one before it ended', said.is_broken)
     ) found (words, is_wrong) WHERE found.is_wrong`)}`,
);

// Null gives a setting back to the server. Compilation is off too: a scan that cannot be avoided now seems so dear that
// the server would compile the statement first, for longer than it runs.
const indexesStatement = sql(
  'ledger_audit_by_indexes',
  "SELECT set_config('enable_seqscan', $1, false), set_config('jit', $1, false)",
);

/**
 * Where one account has nearly all entries, the server takes every account for such a one, and would look through the
 * whole journal for each of them.
 */
export async function readByIndexes<Result>(session: Queryable, read: () => Promise<Result>): Promise<Result> {
  await session.query(indexesStatement, ['off']);
  const result = await read();
  await session.query(indexesStatement, [null]);
  return result;
}

export type CheckedAccounts = Readonly<{
  /** Null when there were fewer rows than asked for, so none is left. */
  lastId: string | null;
  accounts: bigint;
  discrepancies: readonly string[];
}>;

type Batch = Readonly<{ afterId: string; limit: number }>;

async function checkBatch(
  session: Queryable,
  statement: typeof openStatement,
  values: readonly unknown[],
): Promise<CheckedAccounts> {
  const [row] = await session.query<CheckedAccounts>(statement, values);
  return row as CheckedAccounts;
}

/** Everything that an account's row says, from the last checkpoint on, by the account's own indexes. */
export const checkAccounts = (session: Queryable, span: JournalSpan, { afterId, limit }: Batch) =>
  checkBatch(session, openStatement, [afterId, limit, span.since, span.until, span.baseMonth]);

/** These sums together with the stored ones, up to this id. */
type AddedUp = Readonly<{ moved: ReadonlyMap<string, Moved>; countedId: bigint }>;

/** Everything that an account's row says, from what was added up in the order of entry. */
export const checkAddedUp = (session: Queryable, span: JournalSpan, { moved, countedId }: AddedUp, batch: Batch) => {
  const sums = [...moved.values()];
  return checkBatch(session, addedUpStatement, [
    ...[batch.afterId, batch.limit, span.since, countedId, span.baseMonth, [...moved.keys()]],
    ...[sums.map(({ credited }) => credited), sums.map(({ spent }) => spent), sums.map(({ taken }) => taken)],
  ]);
};

/** The checkpoints of a closed month. */
export const checkMonthAccounts = (session: Queryable, span: JournalSpan, firstDay: string, batch: Batch) =>
  checkBatch(session, monthStatement, [batch.afterId, batch.limit, span.since, span.until, firstDay]);
