// Folds what was only added: charges are taken out of balances, slices and counters and added to the sums. A
// database function does it in one round trip and in an order that cannot deadlock. A batch is folded once, because its
// row is removed with it.

import { errorCode } from '../../../platform/db/connection-failure.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

/** Bounds one transaction, in case many batches have gathered. */
const BATCHES_MAX = 1_000;

const foldStatement = sql(
  'ledger_fold',
  `SELECT batches, account_ids AS "accountIds", spendables FROM fold_batches($1, $2::bigint, ${BATCHES_MAX})`,
);

// No call waits for this fold, and it must make none wait: it gives up where a row stays locked.
const foldSoonStatement = sql(
  'ledger_fold_soon',
  'SELECT batches, account_ids AS "accountIds", spendables FROM fold_soon($1, $2::integer)',
);

const listStatement = sql(
  'ledger_list_unfolded',
  `SELECT batch_no AS "batchNo" FROM unfolded_batches WHERE process_id = $1 ORDER BY batch_no LIMIT ${BATCHES_MAX}`,
);

/** By account: the balance and the credit line after the fold. */
type Spendables = ReadonlyMap<string, NanoUsd>;

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

/** Folds everything that a process has added before now. */
export async function foldAll(queryable: Queryable, processId: string): Promise<void> {
  while ((await foldOnce(queryable, processId, null)).batches === BATCHES_MAX);
}

/** A statement took longer than statements may. */
const CANCELED = '57014';
const FEWER = 10;

/** The same, but fails when a row that it needs stays locked. Where it takes too long it folds fewer batches at once. */
export async function foldSoon(queryable: Queryable, processId: string): Promise<Spendables> {
  const spendables = new Map<string, NanoUsd>();
  for (let atOnce = BATCHES_MAX; ; ) {
    try {
      const [row] = await queryable.query<FoldRow>(foldSoonStatement, [processId, atOnce]);
      if (row !== undefined) keep(spendables, row);
      if (row === undefined || row.batches < atOnce) return spendables;
    } catch (error) {
      if (errorCode(error) !== CANCELED || atOnce === 1) throw error;
      atOnce = Math.ceil(atOnce / FEWER);
    }
  }
}

/** Folds one batch at a time, for when one of them cannot be folded. Answers those that were left, with the reason. */
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
