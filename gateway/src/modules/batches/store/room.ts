// Bounds what one account may keep and have under way. It is counted before more is added, and requests that count at
// the same moment would all find room, so those of one account take turns: across processes by a lock in the database,
// and within a process here, so that none waits for that lock with a connection that others need.

import { type Database, type Queryable, sql } from '../../../platform/db/database.ts';

const lockStatement = sql('batches_lock_room', `SELECT pg_advisory_xact_lock(hashtextextended('room ' || $1, 0))`);

/** The last request of each account that has any here. */
const lastOf = new Map<string, Promise<unknown>>();

/** Runs in a transaction, in which nothing else is counted or added for this account. */
export function withRoom<Result>(
  database: Database,
  accountId: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const run = (): Promise<Result> =>
    database.transaction(async (transaction) => {
      await transaction.query(lockStatement, [accountId]);
      return work(transaction);
    });
  const before = lastOf.get(accountId);
  const turn = before === undefined ? run() : before.then(run, run);
  lastOf.set(accountId, turn);
  const leave = (): void => {
    if (lastOf.get(accountId) === turn) lastOf.delete(accountId);
  };
  turn.then(leave, leave);
  return turn;
}
