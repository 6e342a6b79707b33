// The audit: everything that is cached is computed again from the rows it is a cache of, without those that are not folded
// yet. Each statement answers the differences only, so that a healthy ledger of any size answers nothing.

import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';

// All statements of the audit see one moment of the ledger, however busy it is.
const beginStatement = sql('ledger_check_begin', 'begin isolation level repeatable read read only');

const endStatement = sql('ledger_check_end', 'commit');

const countsStatement = sql(
  'ledger_check_counts',
  `select (select count(*) from accounts where kind <> 'system') as "accounts",
          (select count(*) from ledger_entries) as "entries",
          (select count(*) from reservations where state = 'held') as "heldReservations"`,
);

/** Of an account's debits: those that lower what was credited, and are nothing that was spent. */
const IS_TAKEN_BACK = "kind in ('reclaim', 'adjustment')";

const discrepancyStatements: readonly Statement[] = [
  sql(
    'ledger_check_balances',
    `with moved as (
       select account_id, sum(credited) as credited, sum(debited) as debited from (
         select credit_account_id as account_id, case when kind = 'refund' then 0 else amount_nano_usd end as credited,
                case when kind = 'refund' then -amount_nano_usd else 0 end as debited
         from ledger_entries
         union all
         select debit_account_id, case when ${IS_TAKEN_BACK} then -amount_nano_usd else 0 end,
                case when ${IS_TAKEN_BACK} then 0 else amount_nano_usd end
         from ledger_entries
       ) sides group by account_id
     )
     select 'account ' || a.id || ': ' || found.words as discrepancy
     from (select id, kind, total_credited_nano_usd as credited, total_spent_nano_usd as spent,
                  balance_nano_usd as balance from accounts) a
     left join moved m on m.account_id = a.id
     left join (
       select account_id, sum(amount_nano_usd) as amount from unfolded_charges group by account_id
     ) u on u.account_id = a.id
     cross join lateral (
       select coalesce(m.credited, 0) as credited, coalesce(m.debited, 0) - coalesce(u.amount, 0) as spent
     ) said
     cross join lateral (values
       ('balance is ' || a.balance || ', its entries say ' || said.credited - said.spent,
        a.balance <> said.credited - said.spent),
       ('total credited is ' || a.credited || ', its entries say ' || said.credited, a.credited <> said.credited),
       ('total spent is ' || a.spent || ', its entries say ' || said.spent, a.spent <> said.spent)
     ) found (words, is_wrong)
     where a.kind <> 'system' and found.is_wrong
     order by a.id limit 100`,
  ),
  sql(
    'ledger_check_leases',
    `with sliced as (
       select account_id, sum(amount_nano_usd) as amount from account_slices group by account_id
     ), held as (
       select account_id, sum(amount_nano_usd) as amount from reservations where state = 'held' group by account_id
     ), reclaimed as (
       select debit_account_id as account_id, sum(amount_nano_usd) as amount
       from ledger_entries where ${IS_TAKEN_BACK} group by debit_account_id
     )
     select 'account ' || a.id || ': ' || found.words as discrepancy
     from accounts a left join sliced on sliced.account_id = a.id left join held on held.account_id = a.id
     left join reclaimed on reclaimed.account_id = a.id
     cross join lateral (values
       ('leased is ' || a.leased_nano_usd || ', its slices say ' || coalesce(sliced.amount, 0),
        a.leased_nano_usd <> coalesce(sliced.amount, 0)),
       ('held is ' || a.held_nano_usd || ', its reservations say ' || coalesce(held.amount, 0),
        a.held_nano_usd <> coalesce(held.amount, 0)),
       ('available is below zero',
        a.kind <> 'system'
        and a.balance_nano_usd + a.credit_line_nano_usd + a.owed_nano_usd - a.leased_nano_usd - a.held_nano_usd < 0),
       ('owed is ' || a.owed_nano_usd || ', taken back was ' || coalesce(reclaimed.amount, 0),
        a.owed_nano_usd > coalesce(reclaimed.amount, 0))
     ) found (words, is_wrong)
     where found.is_wrong
     order by a.id limit 100`,
  ),
  sql(
    'ledger_check_counters',
    `with counted as (
       select counter_id, sum(amount) as amount from (
         select t.counter_id, e.amount_nano_usd as amount
         from ledger_entries e cross join lateral unnest(e.counter_ids) as t (counter_id)
         where e.counter_ids is not null
         union all
         select counter_id, -amount_nano_usd from unfolded_counts
       ) counts group by counter_id
     ), sliced as (
       select counter_id, sum(amount_nano_usd) as amount from counter_slices group by counter_id
     ), held as (
       select t.counter_id, sum(t.part) as amount
       from reservations r cross join lateral unnest(r.counter_ids, r.counter_parts) as t (counter_id, part)
       where r.state = 'held' group by t.counter_id
     )
     select 'counter ' || c.name || ': ' || found.words as discrepancy
     from spend_counters c
     left join counted on counted.counter_id = c.id left join sliced on sliced.counter_id = c.id
     left join held on held.counter_id = c.id
     cross join lateral (values
       ('spent is ' || c.spent_nano_usd || ', its entries say ' || c.seeded_nano_usd + coalesce(counted.amount, 0),
        c.spent_nano_usd <> c.seeded_nano_usd + coalesce(counted.amount, 0)),
       ('leased is ' || c.leased_nano_usd || ', its slices say ' || coalesce(sliced.amount, 0),
        c.leased_nano_usd <> coalesce(sliced.amount, 0)),
       ('held is ' || c.held_nano_usd || ', its reservations say ' || coalesce(held.amount, 0),
        c.held_nano_usd <> coalesce(held.amount, 0))
     ) found (words, is_wrong)
     where found.is_wrong
     order by c.id limit 100`,
  ),
  sql(
    'ledger_check_reservations',
    `select 'reservation ' || r.id || ': ' || r.state || ' with ' || coalesce(r.charged_nano_usd, 0) || ' of '
            || r.amount_nano_usd || ', its charge is ' || coalesce(e.amount_nano_usd, 0) || ' on '
            || coalesce(e.debit_account_id, 'no account') as discrepancy
     from reservations r left join ledger_entries e on e.kind = 'charge' and e.generation_id = r.id
     where coalesce(r.charged_nano_usd, 0) <> coalesce(e.amount_nano_usd, 0)
        or coalesce(e.debit_account_id, r.account_id) <> r.account_id
     limit 100`,
  ),
  sql(
    'ledger_check_charges',
    // Records of old months are dropped, and then charges stand alone. Together they are what those months had cost.
    `with differing as (
       select g.id, g.account_id, g.cost_nano_usd, e.generation_id, e.debit_account_id, e.amount_nano_usd
       from (select * from ledger_entries where kind = 'charge') e
       full join generations g on g.id = e.generation_id
       where g.id is null
          or g.cost_nano_usd <> coalesce(e.amount_nano_usd, 0)
          or g.account_id <> coalesce(e.debit_account_id, g.account_id)
     ), unrecorded as (
       select debit_account_id as account_id, sum(amount_nano_usd) as amount from differing where id is null group by 1
     ), dropped as (
       select account_id, sum(cost_nano_usd) as amount from dropped_months group by account_id
     )
     (select 'generation ' || coalesce(d.id, d.generation_id) || ': cost is '
             || coalesce(d.cost_nano_usd::text, 'unrecorded') || ' on ' || coalesce(d.account_id, 'no account')
             || ', its charge is ' || coalesce(d.amount_nano_usd::text, 'missing') || ' on '
             || coalesce(d.debit_account_id, 'no account') as discrepancy
      from differing d where d.id is not null or d.debit_account_id not in (select account_id from dropped)
      limit 100)
     union all
     (select 'account ' || account_id || ': charges without a record are ' || coalesce(unrecorded.amount, 0)
             || ', dropped months say ' || dropped.amount
      from dropped left join unrecorded using (account_id)
      where dropped.amount <> coalesce(unrecorded.amount, 0)
      order by account_id limit 100)`,
  ),
  sql(
    'ledger_check_entries',
    `select 'entry ' || e.id || ': ' || found.words as discrepancy
     from ledger_entries e
     left join accounts debit on debit.id = e.debit_account_id
     left join accounts credit on credit.id = e.credit_account_id
     cross join lateral (values
       ('amount is ' || e.amount_nano_usd, e.amount_nano_usd < 0),
       ('debits an unknown account ' || e.debit_account_id, debit.id is null),
       ('credits an unknown account ' || e.credit_account_id, credit.id is null),
       ('is a charge that does not go to revenue', e.kind = 'charge' and e.credit_account_id <> 'system-revenue'),
       ('is a credit that does not come from funding',
        e.kind in ('credit', 'restore') and e.debit_account_id <> 'system-funding'),
       ('takes credit back to elsewhere than funding',
        e.kind = 'reclaim' and e.credit_account_id <> 'system-funding'),
       ('is an adjustment without funding on one side',
        e.kind = 'adjustment' and 'system-funding' not in (e.debit_account_id, e.credit_account_id)),
       ('is a refund that does not give back its charge',
        e.kind = 'refund' and not exists (
          select from ledger_entries c where c.kind = 'charge' and c.generation_id = e.generation_id
            and c.debit_account_id = e.credit_account_id and c.credit_account_id = e.debit_account_id
            and c.amount_nano_usd = e.amount_nano_usd))
     ) found (words, is_wrong)
     where found.is_wrong
     order by e.id limit 100`,
  ),
  sql(
    'ledger_check_duplicates',
    `select 'generation ' || generation_id || ': charged ' || count(*) || ' times' as discrepancy
     from ledger_entries where kind = 'charge' group by generation_id having count(*) > 1
     union all
     select 'reference ' || reference || ': entered ' || count(*) || ' times as ' || kind
     from ledger_entries where kind <> 'charge' group by kind, reference having count(*) > 1
     limit 100`,
  ),
];

export type Audit = Readonly<{
  accounts: number;
  entries: number;
  heldReservations: number;
  discrepancies: readonly string[];
}>;

/** On a connection of its own, because a ledger with history takes longer to read than a call may wait. */
export async function auditLedger(session: Queryable): Promise<Audit> {
  await session.query(beginStatement);
  const counts = await session.query<{ accounts: bigint; entries: bigint; heldReservations: bigint }>(countsStatement);
  const discrepancies: string[] = [];
  for (const statement of discrepancyStatements) {
    const rows = await session.query<{ discrepancy: string }>(statement);
    discrepancies.push(...rows.map((row) => row.discrepancy));
  }
  await session.query(endStatement);
  return {
    accounts: Number(counts[0]?.accounts ?? 0n),
    entries: Number(counts[0]?.entries ?? 0n),
    heldReservations: Number(counts[0]?.heldReservations ?? 0n),
    discrepancies,
  };
}
