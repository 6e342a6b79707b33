// The statements by which processes lease slices and give them back, the same for accounts and for the counters of caps,
// and the slices of accounts themselves. Each statement locks the fund's row first and takes every figure from the locked
// row: what another process has just leased is then in it, whatever the statement's snapshot says.

import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { AVAILABLE, LOCKED_COLUMNS, SPENDABLE, setFigures } from './locked-rows.ts';

/** What differs between accounts and the counters of caps. */
type FundTable = Readonly<{
  /** In the names of statements. */
  noun: string;
  /** The table with its alias, which the other parts refer to. */
  from: string;
  alias: string;
  slices: string;
  /** The column of a slice that names its fund, and its type. */
  fundId: string;
  idType: string;
  /** What a `locked` CTE selects, the id included. */
  lockedColumns: string;
  /** Which funds can be leased from. */
  isLeasable: string;
  /** Of a `locked` row: what nobody has leased or holds. A limit that the fund does not know itself is $5. */
  available: string;
  /** What a lease tells beside its figures. */
  answers: string;
  /** The assignments of an update: every figure as it was locked, the leased one with the term added. */
  setLeased(term: string): string;
}>;

type SliceStatements = Readonly<{ lease: Statement; lower: Statement; drop: Statement; dropAll: Statement }>;

// The process's own row is share-locked before the fund, in the order in which the sweep of a dead process takes them.
// A swept process finds no row and is granted nothing.
const leaseText = (fund: FundTable): string =>
  `with me as materialized (
     select id from processes where id = $2 for key share
   ), locked as materialized (
     select ${fund.lockedColumns} from me cross join ${fund.from}
     where ${fund.alias}.id = $1::${fund.idType} and ${fund.isLeasable} for update of ${fund.alias}
   ), lease as materialized (
     select locked.id, free.available,
            case when free.available < $4::bigint then 0
                 else least(free.available, greatest($3::bigint, (free.available + 1) / 2)) end as amount
     from locked cross join lateral (select ${fund.available} as available) free
   ), sliced as (
     insert into ${fund.slices} as s (${fund.fundId}, process_id, amount_nano_usd)
     select lease.id, me.id, lease.amount from lease cross join me where lease.amount > 0
     on conflict (${fund.fundId}, process_id) do update
     set amount_nano_usd = s.amount_nano_usd + excluded.amount_nano_usd
   ), raised as (
     update ${fund.from} set ${fund.setLeased('+ lease.amount')}
     from lease join locked on locked.id = lease.id
     where ${fund.alias}.id = locked.id and lease.amount > 0
   )
   select me.id is not null as "isRegistered",
          lease.amount as "grantedNanoUsd",
          lease.available - lease.amount as "remainingNanoUsd",
          locked.leased_nano_usd as "leasedBeforeNanoUsd",
          (select count(*)::int from ${fund.slices} s
           where s.${fund.fundId} = locked.id and s.process_id <> me.id and s.amount_nano_usd > 0) as "sharers",
          ${fund.answers}
   from (values (1)) one (n)
   left join me on true left join locked on true left join lease on true`;

const lowerText = (fund: FundTable): string =>
  `with returned as materialized (
     select fund_id, amount from json_to_recordset($2::json) as t (fund_id ${fund.idType}, amount bigint)
   ), locked as materialized (
     select ${fund.lockedColumns} from ${fund.from}
     where ${fund.alias}.id = any (array (select fund_id from returned)) order by ${fund.alias}.id for update
   ), own as materialized (
     select s.${fund.fundId} as fund_id, s.amount_nano_usd - r.amount as left_over, r.amount
     from locked join ${fund.slices} s on s.${fund.fundId} = locked.id join returned r on r.fund_id = locked.id
     where s.process_id = $1 for update of s
   ), lowered as (
     update ${fund.slices} s set amount_nano_usd = own.left_over
     from own where s.${fund.fundId} = own.fund_id and s.process_id = $1
   )
   update ${fund.from} set ${fund.setLeased('- own.amount')}
   from own join locked on locked.id = own.fund_id
   where ${fund.alias}.id = locked.id`;

const dropText = (fund: FundTable, funds: string): string =>
  `with locked as materialized (
     select ${fund.lockedColumns} from ${fund.from}
     where ${fund.alias}.id = any (${funds}) order by ${fund.alias}.id for update
   ), dropped as (
     delete from ${fund.slices} s using locked
     where s.${fund.fundId} = locked.id and s.process_id = $1
     returning s.${fund.fundId} as fund_id, s.amount_nano_usd
   )
   update ${fund.from} set ${fund.setLeased('- dropped.amount_nano_usd')}
   from dropped join locked on locked.id = dropped.fund_id
   where ${fund.alias}.id = locked.id`;

export function sliceStatements(fund: FundTable): SliceStatements {
  const ownFunds = `array (select ${fund.fundId} from ${fund.slices} where process_id = $1)`;
  return {
    lease: sql(`ledger_lease_${fund.noun}_slice`, leaseText(fund)),
    lower: sql(`ledger_lower_${fund.noun}_slices`, lowerText(fund)),
    drop: sql(`ledger_drop_${fund.noun}_slices`, dropText(fund, `$2::${fund.idType}[]`)),
    dropAll: sql(`ledger_drop_all_${fund.noun}_slices`, dropText(fund, ownFunds)),
  };
}

/** A part of a slice that goes back. */
export type SliceReturn = Readonly<{ fundId: string; amountNanoUsd: NanoUsd }>;

export const returnsJson = (returns: readonly SliceReturn[]): string =>
  JSON.stringify(returns.map(({ fundId, amountNanoUsd }) => ({ fund_id: fundId, amount: amountNanoUsd.toString() })));

/** Money of a balance or a credit line that a process may spend from memory. */
const statements = sliceStatements({
  noun: 'account',
  from: 'accounts a',
  alias: 'a',
  slices: 'account_slices',
  fundId: 'account_id',
  idType: 'text',
  lockedColumns: LOCKED_COLUMNS,
  isLeasable: "a.kind <> 'system'",
  available: AVAILABLE,
  answers: `locked.kind, ${SPENDABLE} - unfolded_nano_usd(locked.id) as "spendableNanoUsd"`,
  setLeased: (term) => setFigures({ leased_nano_usd: term }),
});

export type AccountKind = 'prepaid' | 'monthly';

type LeaseRow = Readonly<{
  /** False when this process has been swept: it must register again before anything else. */
  isRegistered: boolean;
  /** Null, like the figures, when there is no such account. */
  kind: AccountKind | null;
  grantedNanoUsd: NanoUsd | null;
  /** What nobody has leased, after this lease. */
  remainingNanoUsd: NanoUsd | null;
  leasedBeforeNanoUsd: NanoUsd | null;
  sharers: number | null;
  spendableNanoUsd: NanoUsd | null;
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
  const rows = await queryable.query<LeaseRow>(statements.lease, values);
  return rows[0] as LeaseRow;
}

export async function lowerSlices(
  queryable: Queryable,
  processId: string,
  returns: readonly SliceReturn[],
): Promise<void> {
  await queryable.query(statements.lower, [processId, returnsJson(returns)]);
}

/** Removes whole slices, whatever they hold; only for accounts on which this process has nothing held or settling. */
export async function dropSlices(
  queryable: Queryable,
  processId: string,
  accountIds: readonly string[],
): Promise<void> {
  await queryable.query(statements.drop, [processId, accountIds]);
}

export async function dropAllSlices(queryable: Queryable, processId: string): Promise<void> {
  await queryable.query(statements.dropAll, [processId]);
}
