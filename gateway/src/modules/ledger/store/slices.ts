// Slices of accounts in the database: the money of a balance or a credit line that a process may spend from memory.

import type { Queryable } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { AVAILABLE, LOCKED_COLUMNS, SPENDABLE, setFigures } from './locked-account.ts';
import { returnsJson, type SliceReturn, sliceStatements } from './slice-statements.ts';

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

export type LeaseRow = Readonly<{
  /** False when this process has been swept: it must register again before anything else. */
  isRegistered: boolean;
  /** Null, like the figures, when there is no such account. */
  kind: AccountKind | null;
  grantedNanoUsd: NanoUsd | null;
  /** What nobody has leased, after this lease. */
  remainingNanoUsd: NanoUsd | null;
  leasedBeforeNanoUsd: NanoUsd | null;
  holders: number | null;
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
