// Bounds what one owner may have: an account, or a person. It is counted before more is added, and requests that count
// at the same moment would all find room, so those of one owner take turns: across processes by a lock in the database,
// and within a process here, so that none waits for that lock with a connection that others need.

import { type Database, type Queryable, sql } from './database.ts';

const lockStatement = sql('db_lock_room', `SELECT pg_advisory_xact_lock(hashtextextended('room ' || $1, 0))`);

/** The last request of each owner that has any here. */
const lastOf = new Map<string, Promise<unknown>>();

/** Runs in a transaction, in which nothing else is counted or added for this owner. */
export function withRoom<Result>(
  database: Database,
  ownerId: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const run = (): Promise<Result> =>
    database.transaction(async (transaction) => {
      await transaction.query(lockStatement, [ownerId]);
      return work(transaction);
    });
  const before = lastOf.get(ownerId);
  const turn = before === undefined ? run() : before.then(run, run);
  lastOf.set(ownerId, turn);
  const leave = (): void => {
    if (lastOf.get(ownerId) === turn) lastOf.delete(ownerId);
  };
  turn.then(leave, leave);
  return turn;
}
