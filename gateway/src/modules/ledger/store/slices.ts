// The statements by which processes lease slices and give them back, the same for accounts and for counters of caps,
// and the slices of accounts themselves. Each statement locks the fund's row first and takes every figure from the
// locked row, because the statement's snapshot may lack what another process has just leased.

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
  /** What is neither leased nor held of a `locked` row. A limit that the fund's row does not have is $5. */
  available: string;
  /** What a lease answers besides its figures. */
  answers: string;
  /** The assignments of an update: every figure as it was locked, the leased one with the term added. */
  setLeased(term: string): string;
}>;

type SliceStatements = Readonly<{ lease: Statement; lower: Statement; drop: Statement; dropAll: Statement }>;

// The process's own row is share-locked before the fund, in the order in which the sweep of a dead process takes them.
// A swept process finds no row and is granted nothing.
const leaseText = (fund: FundTable): string =>
  `WITH me AS MATERIALIZED (
     SELECT id FROM processes WHERE id = $2 FOR KEY SHARE
   ), locked AS MATERIALIZED (
     SELECT ${fund.lockedColumns} FROM me CROSS JOIN ${fund.from}
     WHERE ${fund.alias}.id = $1::${fund.idType} AND ${fund.isLeasable} FOR UPDATE OF ${fund.alias}
   ), lease AS MATERIALIZED (
     SELECT locked.id, free.available,
            CASE WHEN free.available < $4::bigint THEN 0
                 ELSE least(free.available, greatest($3::bigint, (free.available + 1) / 2)) END AS amount
     FROM locked CROSS JOIN LATERAL (SELECT ${fund.available} AS available) free
   ), sliced AS (
     INSERT INTO ${fund.slices} AS s (${fund.fundId}, process_id, amount_nano_usd)
     SELECT lease.id, me.id, lease.amount FROM lease CROSS JOIN me WHERE lease.amount > 0
     ON CONFLICT (${fund.fundId}, process_id) DO UPDATE
     SET amount_nano_usd = s.amount_nano_usd + excluded.amount_nano_usd
   ), raised AS (
     UPDATE ${fund.from} SET ${fund.setLeased('+ lease.amount')}
     FROM lease JOIN locked ON locked.id = lease.id
     WHERE ${fund.alias}.id = locked.id AND lease.amount > 0
   )
   SELECT me.id IS NOT NULL AS "isRegistered",
          lease.amount AS "grantedNanoUsd",
          lease.available - lease.amount AS "remainingNanoUsd",
          locked.leased_nano_usd AS "leasedBeforeNanoUsd",
          (SELECT count(*)::int FROM ${fund.slices} s
           WHERE s.${fund.fundId} = locked.id AND s.process_id <> me.id AND s.amount_nano_usd > 0) AS "sharers",
          ${fund.answers}
   FROM (VALUES (1)) one (n)
   LEFT JOIN me ON true LEFT JOIN locked ON true LEFT JOIN lease ON true`;

const lowerText = (fund: FundTable): string =>
  `WITH returned AS MATERIALIZED (
     SELECT fund_id, amount FROM json_to_recordset($2::json) AS t (fund_id ${fund.idType}, amount bigint)
   ), locked AS MATERIALIZED (
     SELECT ${fund.lockedColumns} FROM ${fund.from}
     WHERE ${fund.alias}.id = ANY (ARRAY(SELECT fund_id FROM returned)) ORDER BY ${fund.alias}.id FOR UPDATE
   ), own AS MATERIALIZED (
     SELECT s.${fund.fundId} AS fund_id, s.amount_nano_usd - r.amount AS left_over, r.amount
     FROM locked JOIN ${fund.slices} s ON s.${fund.fundId} = locked.id JOIN returned r ON r.fund_id = locked.id
     WHERE s.process_id = $1 FOR UPDATE OF s
   ), lowered AS (
     UPDATE ${fund.slices} s SET amount_nano_usd = own.left_over
     FROM own WHERE s.${fund.fundId} = own.fund_id AND s.process_id = $1
   )
   UPDATE ${fund.from} SET ${fund.setLeased('- own.amount')}
   FROM own JOIN locked ON locked.id = own.fund_id
   WHERE ${fund.alias}.id = locked.id`;

const dropText = (fund: FundTable, funds: string): string =>
  `WITH locked AS MATERIALIZED (
     SELECT ${fund.lockedColumns} FROM ${fund.from}
     WHERE ${fund.alias}.id = ANY (${funds}) ORDER BY ${fund.alias}.id FOR UPDATE
   ), dropped AS (
     DELETE FROM ${fund.slices} s USING locked
     WHERE s.${fund.fundId} = locked.id AND s.process_id = $1
     RETURNING s.${fund.fundId} AS fund_id, s.amount_nano_usd
   )
   UPDATE ${fund.from} SET ${fund.setLeased('- dropped.amount_nano_usd')}
   FROM dropped JOIN locked ON locked.id = dropped.fund_id
   WHERE ${fund.alias}.id = locked.id`;

export function sliceStatements(fund: FundTable): SliceStatements {
  const ownFunds = `ARRAY(SELECT ${fund.fundId} FROM ${fund.slices} WHERE process_id = $1)`;
  return {
    lease: sql(`ledger_lease_${fund.noun}_slice`, leaseText(fund)),
    lower: sql(`ledger_lower_${fund.noun}_slices`, lowerText(fund)),
    drop: sql(`ledger_drop_${fund.noun}_slices`, dropText(fund, `$2::${fund.idType}[]`)),
    dropAll: sql(`ledger_drop_all_${fund.noun}_slices`, dropText(fund, ownFunds)),
  };
}

/** A part of a slice that is given back. */
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
  answers: `locked.kind, ${SPENDABLE} - unfolded_nano_usd(locked.id) AS "spendableNanoUsd"`,
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
  /** A smaller grant is of no use to the waiting calls, and is left for other processes. */
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
