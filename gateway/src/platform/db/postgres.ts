// The database on `pg`: a pool, named prepared statements, and recovery without anyone's help when the server comes
// back. A statement that fails keeps its connection (and its prepared plans); only a broken connection is dropped.

import { Client, Pool, type PoolClient } from 'pg';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { connectionConfig, endClient } from './connection.ts';
import { errorCode, isConnectionFailure } from './connection-failure.ts';
import type { Database, Queryable, Statement } from './database.ts';
import { type Reachability, watchReachability } from './reachability.ts';

const STATEMENT_TIMEOUT_MS = 8_000;
/** Longer than the server's own limit: it only strikes when the server itself is silent. */
const SILENCE_TIMEOUT_MS = 12_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_MS = 2_000;
const POOL_CONNECTIONS_MAX = 10;
const POOL_CONNECTIONS_MIN = 2;
const IDLE_CONNECTION_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** A prepared plan that a schema change or a pooler has invalidated: a new connection prepares it again. */
const STALE_PLAN_STATES: ReadonlySet<string> = new Set(['0A000', '26000']);

const isConnectionSpent = (error: unknown): boolean =>
  isConnectionFailure(error) || STALE_PLAN_STATES.has(errorCode(error) ?? '');

function openPool(url: string, onIdleFailure: (error: Error) => void): Pool {
  const pool = new Pool({
    ...connectionConfig(url),
    max: POOL_CONNECTIONS_MAX,
    min: POOL_CONNECTIONS_MIN,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  });
  pool.on('error', onIdleFailure);
  // A client in use reports its loss as an event too, which would end the process if nobody listened; its statement
  // is rejected with the same error.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function probe(url: string): Promise<void> {
  const client = new Client({ ...connectionConfig(url), query_timeout: PROBE_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await endClient(client);
  }
}

async function run<Row extends object>(
  client: PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await client.query<Row>({ name: statement.name, text: statement.text, values: values as unknown[] });
  return result.rows;
}

async function runTransaction<Result>(
  client: PoolClient,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  let isOpen = true;
  await client.query('begin');
  try {
    const result = await work({
      query: async (statement, values = []) => {
        assert(isOpen, 'a transaction is not used after it has ended');
        return run(client, statement, values);
      },
    });
    isOpen = false;
    const committed = await client.query('commit');
    // A commit after a failed statement answers ROLLBACK without an error: the failure was swallowed in `work`.
    assert(committed.command === 'COMMIT', 'a transaction with a failed statement was committed');
    return result;
  } catch (error) {
    isOpen = false;
    // The cause is what the caller must see. If the rollback fails too, the connection is discarded on its return.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Borrows a connection for `work` and decides, from how it ended, whether the pool gets it back. */
async function withClient<Result>(
  pool: Pool,
  reachability: Reachability,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  try {
    client = await pool.connect();
    const result = await work(client);
    reachability.succeeded();
    client.release();
    return result;
  } catch (error) {
    if (client === undefined || isConnectionFailure(error)) reachability.failed(error);
    client?.release(isConnectionSpent(error) || client.getTransactionStatus() !== 'I');
    throw error;
  }
}

async function closePool(pool: Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  await Promise.race([pool.end(), givenUp]);
  clearTimeout(timer);
}

/** Connects on first use. `url` is a `postgres://` URL; for a Unix socket `postgres:///name?host=/folder`. */
export function openDatabase(url: string, logger: Logger): Database {
  const reachability = watchReachability({ probe: () => probe(url), clock: systemClock, logger });
  const pool = openPool(url, (error) => {
    logger.warn({ error }, 'an idle database connection was lost');
    reachability.doubt();
  });
  return {
    query: (statement, values = []) => withClient(pool, reachability, (client) => run(client, statement, values)),
    transaction: (work) => withClient(pool, reachability, (client) => runTransaction(client, work)),
    isReachable: reachability.isReachable,
    async close() {
      reachability.close();
      await closePool(pool);
    },
  };
}
