// The database on `pg`: a pool, named prepared statements, and automatic recovery when the server comes back. A
// statement that fails keeps its connection (and its prepared plans); only a broken connection is dropped.

import { type ClientConfig, Pool, type PoolClient, Query } from 'pg';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { errorCode, isConnectionFailure } from './connection-failure.ts';
import type { Database, Queryable, Statement } from './database.ts';
import { awayError, type Reachability, watchReachability } from './reachability.ts';
import { asServers, type FoundServer, type Servers, type SessionSettings } from './servers.ts';

const STATEMENT_TIMEOUT_MS = 8_000;
/** Longer than the server's own limit: it applies only when the server does not answer at all. */
const SILENCE_TIMEOUT_MS = 12_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 2_000;
const PROBE_TIMEOUT_MS = 2_000;
const LOOK_MS = 3_000;
const PROBE_STEP_MS = 50;
const POOL_CONNECTIONS_MAX = 10;
const POOL_CONNECTIONS_MIN = 2;
const IDLE_CONNECTION_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** A prepared plan that a schema change or a pooler has invalidated: a new connection prepares it again. */
const STALE_PLAN_STATES: ReadonlySet<string> = new Set(['0A000', '26000']);

const isConnectionSpent = (error: unknown): boolean =>
  isConnectionFailure(error) || STALE_PLAN_STATES.has(errorCode(error) ?? '');

const SESSION: SessionSettings = {
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  idleTransactionTimeoutMs: IDLE_TRANSACTION_TIMEOUT_MS,
};

/** The pool with its connections until their sockets are closed, which the pool itself does not wait for. */
type OpenPool = Readonly<{ pool: Pool; connections: ReadonlySet<PoolClient> }>;

function openPool(servers: Servers, config: ClientConfig, onIdleFailure: (error: Error) => void): OpenPool {
  const pool = new Pool({
    ...config,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: POOL_CONNECTIONS_MAX,
    min: POOL_CONNECTIONS_MIN,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    onConnect: (client) => servers.check(client, SESSION),
  });
  pool.on('error', onIdleFailure);
  // A client in use also reports its loss as an event, which would end the process without a listener; its statement is
  // rejected with the same error.
  const connections = new Set<PoolClient>();
  pool.on('connect', (client) => {
    connections.add(client);
    client.on('error', () => {});
  });
  pool.on('remove', (client) => void connections.delete(client));
  return { pool, connections };
}

/** The pool of the current server. It is given up when that server is found to be away, or another is found. */
class CurrentPool {
  readonly servers: Servers;
  readonly #onIdleFailure: (error: Error) => void;
  #open: OpenPool | null = null;
  #url = '';
  #finding: Promise<void> | null = null;

  constructor(servers: Servers, onIdleFailure: (error: Error) => void) {
    this.servers = servers;
    this.#onIdleFailure = onIdleFailure;
  }

  connect(): Promise<PoolClient> {
    return this.#open?.pool.connect() ?? this.#findAndConnect();
  }

  /** Finds the current server and connects to it; rejects when none answers in time. */
  async find(): Promise<void> {
    let isOver = false;
    const abortion = new AbortController();
    try {
      this.#use(await Promise.race([this.servers.find(abortion.signal), runOut(PROBE_TIMEOUT_MS, () => isOver)]));
    } finally {
      isOver = true;
      abortion.abort();
    }
  }

  discard(): void {
    const open = this.#open;
    this.#open = null;
    void open?.pool.end();
  }

  async close(): Promise<void> {
    if (this.#open !== null) await closePool(this.#open);
  }

  async #findAndConnect(): Promise<PoolClient> {
    this.#finding ??= this.find().finally(() => {
      this.#finding = null;
    });
    await this.#finding;
    if (this.#open === null) throw awayError();
    return this.#open.pool.connect();
  }

  #use({ server, config }: FoundServer): void {
    if (this.#open !== null && this.#url === server.url) return;
    this.discard();
    this.#url = server.url;
    this.#open = openPool(this.servers, config, this.#onIdleFailure);
  }
}

/**
 * Waits in short steps, so that it lasts longer where this process itself gets no time: a late answer then proves
 * nothing.
 */
async function runOut(durationMs: number, isOver: () => boolean): Promise<never> {
  for (let leftMs = durationMs; leftMs > 0 && !isOver(); leftMs -= PROBE_STEP_MS)
    await systemClock.sleep(PROBE_STEP_MS);
  throw new Error('timeout expired');
}

/**
 * Without its name where a pooler might run it in a session that has not prepared it, or has another statement of that
 * name. The name is added afterwards, because the driver copies whatever is described by an object property by
 * property, which takes it as long as sending the statement.
 */
function run<Row extends object>(
  { client, isNamed }: Session,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new Query<Row>(text, values as unknown[], (error, result) => {
      if (error) reject(error);
      else resolve(result.rows);
    });
    client.query(isNamed ? Object.assign(query, { name }) : query);
  });
}

type Session = Readonly<{ client: PoolClient; isNamed: boolean }>;

async function runTransaction<Result>(
  session: Session,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const { client } = session;
  let isOpen = true;
  await client.query('begin');
  try {
    const result = await work({
      query: async (statement, values = []) => {
        assert(isOpen, 'a transaction is not used after it has ended');
        return run(session, statement, values);
      },
    });
    isOpen = false;
    const committed = await client.query('commit');
    // A commit after a failed statement answers ROLLBACK without an error: `work` has swallowed the failure.
    assert(committed.command === 'COMMIT', 'a transaction with a failed statement was committed');
    return result;
  } catch (error) {
    isOpen = false;
    // The caller must get the original error. If the rollback fails too, the connection is discarded on its return.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * A borrowed connection. It is returned once: when its work ends, or before that when the server is found to be away.
 */
class Loan {
  readonly #pool: CurrentPool;
  readonly #reachability: Reachability;
  #client: PoolClient | null = null;
  #isOver = false;

  constructor(pool: CurrentPool, reachability: Reachability) {
    this.#pool = pool;
    this.#reachability = reachability;
  }

  async run<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      // The driver's own timeout has no code: the server may be away, or only so busy that no connection was free.
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
      // A single lost connection need not be the server's fault; the probe tells.
      if (isConnectionFailure(error) && !this.#isOver) this.#reachability.doubt();
      this.#giveBack(isConnectionSpent(error) || client.getTransactionStatus() !== 'I');
      throw error;
    }
  }

  /** The caller has been told that the work failed. */
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

/**
 * Borrows a connection for `work`. While the server is away no call waits for it: the probe finds out when it is back.
 */
function withClient<Result>(
  pool: CurrentPool,
  reachability: Reachability,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  if (!reachability.isReachable()) return Promise.reject(awayError());
  const loan = new Loan(pool, reachability);
  return new Promise((resolve, reject) => {
    const end = reachability.begin((error) => {
      loan.abandon();
      reject(error);
    });
    const succeed = (result: Result): void => {
      end();
      resolve(result);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    loan.run(work).then(succeed, fail);
  });
}

/** After this nothing may be connected, because a server that is stopped then would report a loss to each. */
async function endPool({ pool, connections }: OpenPool): Promise<void> {
  const isEmptied = new Promise<void>((resolve) => {
    const look = (): void => void (connections.size === 0 && resolve());
    pool.on('remove', look);
    look();
  });
  await pool.end();
  await isEmptied;
}

async function closePool(open: OpenPool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  await Promise.race([endPool(open), givenUp]);
  clearTimeout(timer);
}

/**
 * Connects on first use. An address is a `postgres://` URL; for a Unix socket `postgres:///name?host=/folder`.
 * `onStatement` is called for every statement that is sent, those around a transaction included.
 */
export function openDatabase(
  address: string | Servers,
  logger: Logger,
  onStatement: () => void = () => {},
): Database & Readonly<{ onAway(handler: () => void): void }> {
  const servers = asServers(address);
  const isNamed = servers.pooling.keepsStatements;
  const awayHandlers = [(): void => pool.discard()];
  const reachability = watchReachability({
    probe: () => pool.find(),
    clock: systemClock,
    logger,
    onAway: () => {
      for (const handler of awayHandlers) handler();
    },
  });
  const pool = new CurrentPool(servers, (error) => {
    logger.warn({ error }, 'an idle database connection was lost');
    reachability.doubt();
  });
  // Statements that succeed do not show that a second server has taken over without this one knowing.
  const stopLooking = servers.isOnlyOne
    ? () => {}
    : systemClock.every(LOOK_MS, () => void (reachability.isReachable() && pool.find().catch(() => {})));
  // Work that is under way on the old server may be committed there and nowhere else: its callers get an error.
  servers.timelines.onAdvance(({ number }) => {
    logger.warn({ timeline: number }, 'another database server has taken over');
    reachability.failed(new Error('another database server has taken over'));
    reachability.doubt();
  });
  return {
    query(statement, values = []) {
      onStatement();
      return withClient(pool, reachability, (client) => run({ client, isNamed }, statement, values));
    },
    transaction(work) {
      // A transaction begins and ends with a statement of its own.
      onStatement();
      onStatement();
      const counted = (transaction: Queryable): Queryable => ({
        query(statement, values) {
          onStatement();
          return transaction.query(statement, values);
        },
      });
      return withClient(pool, reachability, (client) =>
        runTransaction({ client, isNamed }, (transaction) => work(counted(transaction))),
      );
    },
    isReachable: reachability.isReachable,
    /** Connections to a server that is away may look alive, so code with its own connection should check it too. */
    onAway: (handler) => void awayHandlers.push(handler),
    async close() {
      reachability.close();
      stopLooking();
      await pool.close();
    },
  };
}
