// Accounts against the journal, a part of them in each statement. A statement sees one moment of an account, of its
// entries and of what is not folded yet, so calls may go on meanwhile; between two statements nothing is remembered.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { type JournalSpan, usdText } from './span.ts';
import { accountSums, type Moved } from './sums.ts';

const inSpan = (since: string, until: string): string => `e.created_at >= ${since} and e.created_at < ${until}`;

// What an account moved in a span. The sum of all debits is read from an index that has the amounts, and what is not a
// charge from indexes that have nothing else: most entries are charges, and their rows need not be looked at.
const moved = (since: string, until: string): string => `
  cross join lateral (
    select count(*) as entries, coalesce(sum(e.amount_nano_usd), 0) as amount from journal_entries e
    where a.kind <> 'system' and e.debit_account_id = a.id and ${inSpan(since, until)}
  ) debits
  cross join lateral (
    select coalesce(sum(e.amount_nano_usd), 0) as amount from journal_entries e
    where a.kind <> 'system' and e.debit_account_id = a.id and e.kind <> 'charge'
      and e.kind in ('reclaim', 'adjustment') and ${inSpan(since, until)}
  ) taken
  cross join lateral (
    select count(*) as entries, coalesce(sum(e.amount_nano_usd) filter (where e.kind <> 'refund'), 0) as given,
           coalesce(sum(e.amount_nano_usd) filter (where e.kind = 'refund'), 0) as refunded
    from journal_entries e
    where a.kind <> 'system' and e.credit_account_id = a.id and e.kind <> 'charge' and ${inSpan(since, until)}
  ) credits`;
const CREDITED = '(credits.given - taken.amount)';
const SPENT = '(debits.amount - taken.amount - credits.refunded)';

const BATCH = 'select * from accounts where id > $1 order by id limit $2';

const answer = (said: string): string =>
  `select (select case when count(*) = $2 then max(id) end from batch) as "lastId", (select count(*) from batch where kind <> 'system') as accounts,
          array(select 'account ' || said.id || ': ' || found.words from ${said} order by said.id) as discrepancies`;

/** `joins` bring what an account has moved since the checkpoint. */
const openText = (
  joins: string,
  moved: Readonly<Record<'credited' | 'spent' | 'taken', string>>,
  before = '',
): string =>
  `with batch as materialized (${BATCH}), ${before} unfolded as materialized (
     select account_id, sum(amount_nano_usd) as amount from unfolded_charges group by account_id
   ), said as materialized (
     select a.*, coalesce(k.total_credited_nano_usd, 0) + ${moved.credited} as credited,
            coalesce(k.total_spent_nano_usd, 0) + ${moved.spent} - coalesce(u.amount, 0) as spent,
            coalesce(k.total_taken_nano_usd, 0) + ${moved.taken} as taken,
            coalesce((select sum(s.amount_nano_usd) from account_slices s where s.account_id = a.id), 0) as sliced,
            coalesce((select sum(r.amount_nano_usd) from reservations r
                      where r.account_id = a.id and r.state = 'held'), 0) as reserved
     from batch a
     left join lateral (
       select * from ledger_checkpoints k where k.account_id = a.id and k.month <= $5::date
       order by k.month desc limit 1
     ) k on true
     left join unfolded u on u.account_id = a.id
     ${joins}
   )
   ${answer(`said cross join lateral (values
       ('balance is ' || ${usdText('said.balance_nano_usd')} || ', its entries say '
        || ${usdText('said.credited - said.spent')},
        said.kind <> 'system' and said.balance_nano_usd <> said.credited - said.spent),
       ('total credited is ' || ${usdText('said.total_credited_nano_usd')} || ', its entries say '
        || ${usdText('said.credited')},
        said.kind <> 'system' and said.total_credited_nano_usd <> said.credited),
       ('total spent is ' || ${usdText('said.total_spent_nano_usd')} || ', its entries say ' || ${usdText('said.spent')},
        said.kind <> 'system' and said.total_spent_nano_usd <> said.spent),
       ('leased is ' || ${usdText('said.leased_nano_usd')} || ', its slices say ' || ${usdText('said.sliced')},
        said.leased_nano_usd <> said.sliced),
       ('held is ' || ${usdText('said.held_nano_usd')} || ', its reservations say ' || ${usdText('said.reserved')},
        said.held_nano_usd <> said.reserved),
       ('available is below zero',
        said.kind <> 'system' and said.balance_nano_usd + said.credit_line_nano_usd + said.owed_nano_usd
          - said.leased_nano_usd - said.held_nano_usd < 0),
       ('owed is ' || ${usdText('said.owed_nano_usd')} || ', taken back was ' || ${usdText('said.taken')},
        said.kind <> 'system' and said.owed_nano_usd > said.taken)
     ) found (words, is_wrong) where found.is_wrong`)}`;

const openStatement = sql(
  'ledger_audit_accounts',
  openText(moved('$3::timestamptz', '$4::timestamptz'), { credited: CREDITED, spent: SPENT, taken: 'taken.amount' }),
);

const KEPT = `left join checked_accounts kept on kept.account_id = a.id
     left join newest on newest.account_id = a.id
     left join unnest($6::text[], $7::bigint[], $8::bigint[], $9::bigint[]) as given (account_id, credited, spent, taken)
       on given.account_id = a.id`;
const known = (figure: string): string =>
  `(coalesce(kept.${figure}_nano_usd, 0) + coalesce(newest.${figure}, 0) + coalesce(given.${figure}, 0))`;

// What was added up in the order of entry, with whatever has been entered since.
const addedUpStatement = sql(
  'ledger_audit_added_up_accounts',
  openText(
    KEPT,
    { credited: known('credited'), spent: known('spent'), taken: known('taken') },
    `part as materialized (
       select * from journal_entries where id > $4::bigint and created_at >= $3::timestamptz
     ), newest as materialized (${accountSums('part')}),`,
  ),
);

// A month that is being sealed is looked at in the same way, with what was just added up.
const monthStatement = sql(
  'ledger_audit_month_accounts',
  `with batch as materialized (${BATCH}), said as materialized (
     select a.id, coalesce(k.entries, 0) as kept_entries, debits.entries + credits.entries as entries,
            coalesce(k.credited_nano_usd, 0) as kept_credited, ${CREDITED} as credited,
            coalesce(k.spent_nano_usd, 0) as kept_spent, ${SPENT} as spent,
            coalesce(k.taken_nano_usd, 0) as kept_taken, taken.amount as taken,
            k.account_id is not null and (k.total_credited_nano_usd, k.total_spent_nano_usd, k.total_taken_nano_usd) <> (
              coalesce(b.total_credited_nano_usd, 0) + k.credited_nano_usd,
              coalesce(b.total_spent_nano_usd, 0) + k.spent_nano_usd,
              coalesce(b.total_taken_nano_usd, 0) + k.taken_nano_usd) as is_broken
     from batch a
     left join ledger_checkpoints k on k.account_id = a.id and k.month = $5::date
     left join lateral (
       select * from ledger_checkpoints b where b.account_id = a.id and b.month < $5::date
       order by b.month desc limit 1
     ) b on true
     ${moved('$3::timestamptz', '$4::timestamptz')}
     where a.kind <> 'system'
   )
   ${answer(`said cross join lateral (values
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
     ) found (words, is_wrong) where found.is_wrong`)}`,
);

export type CheckedAccounts = Readonly<{
  /** Null when there were fewer than asked for, so none is left. */
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

/** Of these sums and of those that are kept, up to this id. */
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
