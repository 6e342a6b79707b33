// The processes that serve calls, and the return of what the dead ones had leased. The advisory lock tells a dead
// process at once (the server frees it with the connection); the renewal time tells one that hangs.

import { isConnectionFailure } from '../../../platform/db/connection-failure.ts';
import { type Database, type Queryable, sql } from '../../../platform/db/database.ts';
import { dropAllCounterSlices } from './counters.ts';
import { foldAll, foldSoon } from './fold.ts';
import { dropAllSlices } from './slices.ts';

// The wait for the lock ends when a sweep that is under way ends; the renewal after it tells whether this process was
// swept.
const lockStatement = sql('ledger_lock_process_id', `SELECT pg_advisory_lock(hashtextextended('process ' || $1, 0))`);

const registerStatement = sql('ledger_register_process', 'INSERT INTO processes (id, knows_months) VALUES ($1, true)');

const renewStatement = sql(
  'ledger_renew_process',
  `UPDATE processes SET renewed_at = clock_timestamp()
   WHERE id = $1
   RETURNING (SELECT count(*)::integer FROM processes) AS "processCount"`,
);

const listStatement = sql('ledger_list_processes', 'SELECT id FROM processes');

// A server that has just started holds no locks yet, so for a while a free lock does not prove that its process is
// dead. A gateway that starts together with the server need not wait for that, because what it finds is usually its own
// past.
const DEAD = `(renewed_at < clock_timestamp() - interval '30 seconds'
               OR (pg_postmaster_start_time() < clock_timestamp() - $2 * interval '1 millisecond'
                   AND pg_try_advisory_xact_lock(hashtextextended('process ' || id, 0))))`;

const findDeadStatement = sql('ledger_find_dead_processes', `SELECT id FROM processes WHERE id <> $1 AND ${DEAD}`);

const lockDeadStatement = sql(
  'ledger_lock_dead_process',
  `SELECT id FROM processes WHERE id = $1 AND ${DEAD} FOR UPDATE`,
);

const lockOwnStatement = sql('ledger_lock_own_process', 'SELECT id FROM processes WHERE id = $1 FOR UPDATE');

const removeStatement = sql('ledger_remove_process', 'DELETE FROM processes WHERE id = $1');

// A process that lives renews every few seconds, and a reservation that has expired is given back at the next sweep.
const oldestUnsweptStatement = sql(
  'ledger_oldest_unswept',
  `SELECT min(due_at) AS "dueSince" FROM (
     SELECT min(renewed_at) + interval '30 seconds' AS due_at FROM processes
     UNION ALL
     SELECT min(expires_at) FROM reservations WHERE state = 'held'
   ) waiting
   WHERE due_at < clock_timestamp()`,
);

/** Since when slices of a dead process, or an expired reservation, have waited to be given back. */
export async function oldestUnswept(queryable: Queryable): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestUnsweptStatement);
  return row?.dueSince ?? null;
}

/** Must run on the session that keeps the lock. The lock comes first, because a row without it would be swept. */
export async function registerProcess(session: Queryable, processId: string): Promise<void> {
  await session.query(lockStatement, [processId]);
  await session.query(registerStatement, [processId]);
}

/** Takes the lock of an id again on a new session; false when the process was swept meanwhile. */
export async function reattachProcess(session: Queryable, processId: string): Promise<boolean> {
  await session.query(lockStatement, [processId]);
  return (await renewProcess(session, processId)) > 0;
}

/** How many processes there are; 0 when this one was swept meanwhile. */
export async function renewProcess(session: Queryable, processId: string): Promise<number> {
  const [row] = await session.query<{ processCount: number }>(renewStatement, [processId]);
  return row?.processCount ?? 0;
}

export async function listProcesses(queryable: Queryable): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(listStatement);
  return new Set(rows.map(({ id }) => id));
}

async function removeProcess(transaction: Queryable, processId: string): Promise<void> {
  // Separate statements see every charge and slice that was committed before the process's row was locked, and none can
  // be added while it is. Charges are taken out of the slices before the rest goes back.
  await foldAll(transaction, processId);
  await dropAllSlices(transaction, processId);
  await dropAllCounterSlices(transaction, processId);
  await transaction.query(removeStatement, [processId]);
}

type Sweep = Readonly<{
  ownProcessId: string;
  /** How long after the server's start its locks are not yet trusted. */
  serverGraceMs: number;
}>;

/** The ids of the processes that this sweep has swept, and why others could not be. */
type Swept = Readonly<{ swept: readonly string[]; failures: readonly unknown[] }>;

/** Returns the slices of every dead process. One that cannot be swept holds up no other. */
export async function sweepDeadProcesses(database: Database, sweep: Sweep): Promise<Swept> {
  const { ownProcessId, serverGraceMs } = sweep;
  const swept: string[] = [];
  const failures: unknown[] = [];
  for (const { id } of await database.query<{ id: string }>(findDeadStatement, [ownProcessId, serverGraceMs])) {
    try {
      if (await sweepOne(database, id, serverGraceMs)) swept.push(id);
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      failures.push(error);
    }
  }
  return { swept, failures };
}

async function sweepOne(database: Database, processId: string, serverGraceMs: number): Promise<boolean> {
  // Much that is not folded would take too long with the rest. What cannot be folded now is tried again there.
  await foldSoon(database, processId).catch(() => {});
  return database.transaction(async (transaction) => {
    const rows = await transaction.query(lockDeadStatement, [processId, serverGraceMs]);
    if (rows.length === 0) return false;
    await removeProcess(transaction, processId);
    return true;
  });
}

/** An orderly end: returns this process's own slices and forgets it. */
export async function deregisterProcess(database: Database, processId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const rows = await transaction.query(lockOwnStatement, [processId]);
    if (rows.length === 1) await removeProcess(transaction, processId);
  });
}
