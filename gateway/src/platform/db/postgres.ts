// The database on `pg`: a pool, named prepared statements, and recovery without anyone's help when the server comes
// back. A statement that fails keeps its connection (and its prepared plans); only a broken connection is dropped.

import { Client, Pool, type PoolClient } from 'pg';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { connectionConfig, endClient } from './connection.ts';
import { errorCode, isConnectionFailure } from './connection-failure.ts';
import type { Database, Queryable, Statement } from './database.ts';
import { awayError, type Reachability, watchReachability } from './reachability.ts';

const STATEMENT_TIMEOUT_MS = 8_000;
/** Longer than the server's own limit: it only strikes when the server itself is silent. */
const SILENCE_TIMEOUT_MS = 12_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_MS = 2_000;
const PROBE_STEP_MS = 50;
/** However little time this process gets. */
const PROBE_END_MS = 20_000;
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

/** In short steps, so that it lasts longer where this process itself gets no time: then a late answer proves nothing. */
async function runOut(durationMs: number, isOver: () => boolean): Promise<void> {
  for (let leftMs = durationMs; leftMs > 0 && !isOver(); leftMs -= PROBE_STEP_MS)
    await systemClock.sleep(PROBE_STEP_MS);
  if (!isOver()) throw new Error('timeout expired');
}

async function probe(url: string): Promise<void> {
  const client = new Client({ ...connectionConfig(url), connectionTimeoutMillis: PROBE_END_MS });
  client.on('error', () => {});
  let isOver = false;
  const ask = async (): Promise<void> => {
    await client.connect();
    await client.query('select 1');
  };
  try {
    await Promise.race([ask(), runOut(PROBE_TIMEOUT_MS, () => isOver)]);
  } finally {
    isOver = true;
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

/** A connection on loan. It goes back once: when its work ends, or before that when the server is found to be away. */
class Loan {
  readonly #pool: Pool;
  readonly #reachability: Reachability;
  #client: PoolClient | null = null;
  #isOver = false;

  constructor(pool: Pool, reachability: Reachability) {
    this.#pool = pool;
    this.#reachability = reachability;
  }

  async run<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      // The driver's own impatience has no code: the server may be away, or only so busy that no connection was free.
      if (errorCode(error) === null) this.#reachability.doubt();
      else this.#reachability.failed(error);
      throw error;
    }
    this.#client = client;
    try {
      if (this.#isOver) throw awayError();
      const result = await work(client);
      this.#reachability.succeeded();
      this.#giveBack(false);
      return result;
    } catch (error) {
      // A single lost connection may be its own fault; the probe tells.
      if (isConnectionFailure(error) && !this.#isOver) this.#reachability.doubt();
      this.#giveBack(isConnectionSpent(error) || client.getTransactionStatus() !== 'I');
      throw error;
    }
  }

  /** Whoever waits for the work has been told that it failed. */
  abandon(): void {
    if (this.#client !== null) this.#giveBack(true);
    this.#isOver = true;
  }

  #giveBack(isSpent: boolean): void {
    const client = this.#client;
    this.#client = null;
    client?.release(isSpent);
  }
}

/** Borrows a connection for `work`. While the server is away nobody waits for it: the probe finds out when it is back. */
async function withClient<Result>(
  pool: Pool,
  reachability: Reachability,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  if (!reachability.isReachable()) throw awayError();
  const loan = new Loan(pool, reachability);
  let end = (): void => {};
  const away = new Promise<never>((_, reject) => {
    end = reachability.begin((error) => {
      loan.abandon();
      reject(error);
    });
  });
  try {
    return await Promise.race([loan.run(work), away]);
  } finally {
    end();
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

/**
 * Connects on first use. `url` is a `postgres://` URL; for a Unix socket `postgres:///name?host=/folder`. Whoever counts
 * hears of every statement that is sent, those around a transaction included.
 */
export function openDatabase(url: string, logger: Logger, onStatement: () => void = () => {}): Database {
  const reachability = watchReachability({ probe: () => probe(url), clock: systemClock, logger });
  const pool = openPool(url, (error) => {
    logger.warn({ error }, 'an idle database connection was lost');
    reachability.doubt();
  });
  return {
    query(statement, values = []) {
      onStatement();
      return withClient(pool, reachability, (client) => run(client, statement, values));
    },
    transaction(work) {
      // It begins and ends with a statement of its own.
      onStatement();
      onStatement();
      const counted = (transaction: Queryable): Queryable => ({
        query(statement, values) {
          onStatement();
          return transaction.query(statement, values);
        },
      });
      return withClient(pool, reachability, (client) =>
        runTransaction(client, (transaction) => work(counted(transaction))),
      );
    },
    isReachable: reachability.isReachable,
    async close() {
      reachability.close();
      await closePool(pool);
    },
  };
}
