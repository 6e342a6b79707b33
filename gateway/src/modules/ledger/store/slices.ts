// Slices in the database. Each statement locks the account's row first and takes every figure from the locked row: what
// another process has just leased is then in it, whatever the statement's snapshot says.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { AVAILABLE, LOCKED_COLUMNS, setFigures } from './locked-account.ts';

// The process's own row is share-locked before the account, in the order in which the sweep of a dead process takes
// them. A swept process finds no row and is granted nothing.
const leaseStatement = sql(
  'ledger_lease_slice',
  `with me as materialized (
     select id from processes where id = $2 for key share
   ), locked as materialized (
     select ${LOCKED_COLUMNS} from me cross join accounts a where a.id = $1 and a.kind <> 'system' for update of a
   ), lease as materialized (
     select locked.id, free.available,
            case when free.available < $4::bigint then 0
                 else least(free.available, greatest($3::bigint, (free.available + 1) / 2)) end as amount
     from locked cross join lateral (select ${AVAILABLE} as available) free
   ), sliced as (
     insert into account_slices as s (account_id, process_id, amount_nano_usd)
     select lease.id, me.id, lease.amount from lease cross join me where lease.amount > 0
     on conflict (account_id, process_id) do update
     set amount_nano_usd = s.amount_nano_usd + excluded.amount_nano_usd
   ), raised as (
     update accounts a set ${setFigures({ leased_nano_usd: '+ lease.amount' })}
     from lease join locked on locked.id = lease.id
     where a.id = locked.id and lease.amount > 0
   )
   select me.id is not null as "isRegistered",
          locked.kind,
          lease.amount as "grantedNanoUsd",
          lease.available - lease.amount as "remainingNanoUsd",
          locked.leased_nano_usd as "leasedBeforeNanoUsd",
          locked.balance_nano_usd as "balanceNanoUsd"
   from (values (1)) one (n)
   left join me on true left join locked on true left join lease on true`,
);

const lowerStatement = sql(
  'ledger_lower_slices',
  `with returned as materialized (
     select account_id, amount from json_to_recordset($2::json) as t (account_id text, amount bigint)
   ), locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a
     where a.id in (select account_id from returned) order by a.id for update
   ), own as materialized (
     select s.account_id, s.amount_nano_usd - r.amount as left_over, r.amount
     from locked join account_slices s on s.account_id = locked.id join returned r on r.account_id = locked.id
     where s.process_id = $1 for update of s
   ), lowered as (
     update account_slices s set amount_nano_usd = own.left_over
     from own where s.account_id = own.account_id and s.process_id = $1
   )
   update accounts a set ${setFigures({ leased_nano_usd: '- own.amount' })}
   from own join locked on locked.id = own.account_id
   where a.id = locked.id`,
);

const dropStatement = sql(
  'ledger_drop_slices',
  `with locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a where a.id = any ($2::text[]) order by a.id for update
   ), dropped as (
     delete from account_slices s using locked
     where s.account_id = locked.id and s.process_id = $1
     returning s.account_id, s.amount_nano_usd
   )
   update accounts a set ${setFigures({ leased_nano_usd: '- dropped.amount_nano_usd' })}
   from dropped join locked on locked.id = dropped.account_id
   where a.id = locked.id`,
);

export type AccountKind = 'prepaid' | 'monthly';

export type LeaseRow = Readonly<{
  /** False when this process has been swept: it must register again before anything else. */
  isRegistered: boolean;
  /** Null, like the figures, when there is no such account. */
  kind: AccountKind | null;
  grantedNanoUsd: NanoUsd | null;
  /** What nobody has leased, after this lease. */
  remainingNanoUsd: NanoUsd | null;
  leasedBeforeNanoUsd: NanoUsd | null;
  balanceNanoUsd: NanoUsd | null;
}>;

export type LeaseRequest = Readonly<{
  accountId: string;
  processId: string;
  missingNanoUsd: NanoUsd;
  /** Less than this is of no use here, and is better left for others. */
  leastNanoUsd: NanoUsd;
}>;

/** Grants what is missing if it is there, and up to half of what is available, so that several processes can share. */
export async function leaseSlice(queryable: Queryable, request: LeaseRequest): Promise<LeaseRow> {
  const { accountId, processId, missingNanoUsd, leastNanoUsd } = request;
  const values = [accountId, processId, missingNanoUsd, leastNanoUsd];
  const rows = await queryable.query<LeaseRow>(leaseStatement, values);
  return rows[0] as LeaseRow;
}

export type SliceReturn = Readonly<{ accountId: string; amountNanoUsd: NanoUsd }>;

export async function lowerSlices(
  queryable: Queryable,
  processId: string,
  returns: readonly SliceReturn[],
): Promise<void> {
  const batch = returns.map(({ accountId, amountNanoUsd }) => ({
    account_id: accountId,
    amount: amountNanoUsd.toString(),
  }));
  await queryable.query(lowerStatement, [processId, JSON.stringify(batch)]);
}

/** Removes whole slices, whatever they hold; only for accounts on which this process has nothing held or settling. */
export async function dropSlices(
  queryable: Queryable,
  processId: string,
  accountIds: readonly string[],
): Promise<void> {
  await queryable.query(dropStatement, [processId, accountIds]);
}
