// Folding: what was only added is taken out of balances, slices and counters and added to the sums, by a function of the
// database, so that one round trip does it in an order that cannot deadlock. A batch is folded once: its row goes with it.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

/** Bounds one transaction, should much have gathered. */
const BATCHES_MAX = 1_000;

const foldStatement = sql(
  'ledger_fold',
  `select batches, account_ids as "accountIds", spendables from fold_batches($1, $2::bigint, ${BATCHES_MAX})`,
);

// Nobody waits for it, and nobody is to wait for it: it gives up where a row stays locked.
const foldSoonStatement = sql(
  'ledger_fold_soon',
  `select batches, account_ids as "accountIds", spendables from fold_soon($1, ${BATCHES_MAX})`,
);

const listStatement = sql(
  'ledger_list_unfolded',
  `select batch_no as "batchNo" from unfolded_batches where process_id = $1 order by batch_no limit ${BATCHES_MAX}`,
);

/** By account: the balance and the credit line after the fold. */
export type Spendables = ReadonlyMap<string, NanoUsd>;

type FoldRow = Readonly<{
  batches: number;
  accountIds: readonly string[] | null;
  spendables: readonly NanoUsd[] | null;
}>;

async function foldOnce(queryable: Queryable, processId: string, batchNo: bigint | null): Promise<FoldRow> {
  const [row] = await queryable.query<FoldRow>(foldStatement, [processId, batchNo]);
  return row as FoldRow;
}

function keep(spendables: Map<string, NanoUsd>, { accountIds, spendables: figures }: FoldRow): void {
  accountIds?.forEach((accountId, index) => {
    spendables.set(accountId, figures?.[index] ?? 0n);
  });
}

/** One batch, in the transaction that has added it. */
export async function foldBatch(transaction: Queryable, processId: string, batchNo: bigint): Promise<void> {
  await foldOnce(transaction, processId, batchNo);
}

/** Everything that a process has added before now. */
export async function foldAll(queryable: Queryable, processId: string): Promise<void> {
  while ((await foldOnce(queryable, processId, null)).batches === BATCHES_MAX);
}

/** The same, unless a row that it needs stays locked: then nothing, and an error. */
export async function foldSoon(queryable: Queryable, processId: string): Promise<Spendables> {
  const spendables = new Map<string, NanoUsd>();
  for (;;) {
    const [row] = await queryable.query<FoldRow>(foldSoonStatement, [processId]);
    if (row === undefined) return spendables;
    keep(spendables, row);
    if (row.batches < BATCHES_MAX) return spendables;
  }
}

/** One batch at a time, for when one of them cannot be folded. Answers what was left, with the reason. */
export async function foldEach(queryable: Queryable, processId: string): Promise<ReadonlyMap<bigint, unknown>> {
  const failures = new Map<bigint, unknown>();
  for (const { batchNo } of await queryable.query<{ batchNo: bigint }>(listStatement, [processId])) {
    try {
      await foldOnce(queryable, processId, batchNo);
    } catch (error) {
      failures.set(batchNo, error);
    }
  }
  return failures;
}
