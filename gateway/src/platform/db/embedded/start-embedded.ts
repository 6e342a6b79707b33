// The embedded database: a real PostgreSQL server as a child process that this gateway owns. It may outlive a killed
// gateway (the next one attaches), and when it dies under a living gateway it is started again.

import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { connectionConfig, endClient } from '../connection.ts';
import { isConnectionFailure } from '../connection-failure.ts';
import { attachOrStart, type Site } from './attach-or-start.ts';
import { locateBinaries } from './binaries.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { embeddedUrl } from './embedded-url.ts';
import { initializeCluster } from './initialize.ts';
import { keepLogBounded } from './log-file.ts';
import { findPostmaster, isServerOf, type Postmaster } from './postmaster.ts';
import { chooseRunAs } from './run-as.ts';
import { removeSocketFolder, socketFolderFor } from './socket-folder.ts';

const DATABASE = 'tollgate';
const RECOVERY_DELAY_MS = 500;
/** How long a stop waits for a recovery under way. */
const RECOVERY_PATIENCE_MS = 5_000;
/** A fast shutdown writes everything out; after this time the server is killed, which costs only recovery time. */
const FAST_SHUTDOWN_MS = 15_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;
const SHUTDOWN_POLL_MS = 10;

export type EmbeddedServer = Readonly<{
  /** Usable wherever `DATABASE_URL` is. */
  url: string;
  /** Close every other connection first, because those still open are cut. */
  stop(): Promise<void>;
}>;

class OwnedServer {
  readonly #site: Site;
  readonly #giveUp = new AbortController();
  readonly #stopLogWatch: () => void;
  #postmaster: Postmaster | null = null;
  #lock: Client | null = null;
  #recovery: Promise<void> = Promise.resolve();
  #isStopping = false;
  #stopped: Promise<void> | null = null;

  constructor(site: Site) {
    this.#site = site;
    this.#stopLogWatch = keepLogBounded(site.logPath, systemClock, site.logger);
  }

  /** Attaches or starts, and becomes the only gateway of the folder. */
  async takeOver(): Promise<void> {
    for (;;) {
      const postmaster = await attachOrStart(this.#site, this.#giveUp.signal);
      // Another gateway started it between our look at the folder and now, with another temporary folder.
      if (postmaster.socketFolder !== this.#site.socketFolder) throw alreadyInUse(this.#site.cluster);
      try {
        await this.#own(postmaster);
        return;
      } catch (error) {
        // The server that we attached to was stopping.
        if (!isConnectionFailure(error)) throw error;
        await systemClock.sleep(RECOVERY_DELAY_MS);
      }
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #own(postmaster: Postmaster): Promise<void> {
    const lock = await takeGatewayLock(embeddedUrl(postmaster.socketFolder, 'postgres'), this.#giveUp.signal);
    if (lock === null) throw alreadyInUse(this.#site.cluster);
    this.#postmaster = postmaster;
    try {
      await createDatabase(lock);
    } catch (error) {
      await endClient(lock);
      throw error;
    }
    this.#lock = lock;
    lock.once('end', () => this.#onLockLost(lock));
  }

  #onLockLost(lock: Client): void {
    if (this.#lock !== lock || this.#isStopping) return;
    this.#lock = null;
    this.#site.logger.error({ cluster: this.#site.cluster }, 'the embedded database is gone; it is started again');
    this.#recovery = this.#recover();
  }

  async #recover(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.takeOver();
        this.#site.logger.info({}, 'the embedded database is back');
        return;
      } catch (error) {
        if (this.#isStopping) return;
        this.#site.logger.error({ error: error as Error }, 'the embedded database could not be started again yet');
        await systemClock.sleep(RECOVERY_DELAY_MS);
      }
    }
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopLogWatch();
    const timer = setTimeout(() => this.#giveUp.abort(), RECOVERY_PATIENCE_MS);
    await this.#recovery;
    clearTimeout(timer);
    if (this.#postmaster === null) return;
    // A recovery that was given up has started a server that nothing is connected to yet.
    const { pid } = (this.#giveUp.signal.aborted ? await findPostmaster(this.#site.cluster) : null) ?? this.#postmaster;
    await shutDown(this.#site.cluster, pid);
    if (this.#lock !== null) await endClient(this.#lock);
    await removeSocketFolder(this.#site.socketFolder);
  }
}

function alreadyInUse(cluster: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `Another gateway is already running on ${cluster}. Stop it, give this one a TOLLGATE_DATA_DIR of its own, or set ` +
      'DATABASE_URL in both to share one PostgreSQL server.',
  );
}

/** Only the holder of the lock gets here, so nobody else creates it at the same time. */
async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await client.query(`create database ${DATABASE}`);
}

async function isGoneWithin(durationMs: number, cluster: string, pid: number): Promise<boolean> {
  const deadlineMs = systemClock.monotonicMs() + durationMs;
  while (await isServerOf(cluster, pid)) {
    if (systemClock.monotonicMs() > deadlineMs) return false;
    await systemClock.sleep(SHUTDOWN_POLL_MS);
  }
  return true;
}

async function shutDown(cluster: string, pid: number): Promise<void> {
  if (!(await isServerOf(cluster, pid))) return;
  process.kill(pid, 'SIGINT');
  if (await isGoneWithin(FAST_SHUTDOWN_MS, cluster, pid)) return;
  process.kill(pid, 'SIGQUIT');
  await isGoneWithin(IMMEDIATE_SHUTDOWN_MS, cluster, pid);
}

async function prepareSite(dataFolder: string, logger: Logger): Promise<Site> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const root = await realpath(dataFolder);
  const cluster = join(root, 'postgres');
  const binaries = await locateBinaries(root);
  const runAs = await chooseRunAs({ dataFolder: root, cluster, environment: binaries.environment });
  await initializeCluster({ cluster, binaries, runAs, logger });
  // A server that outlived its gateway keeps its socket, even if the temporary folder is now another one.
  const running = await findPostmaster(cluster);
  const socketFolder = running?.socketFolder || socketFolderFor(cluster);
  return { cluster, socketFolder, logPath: join(root, 'postgres.log'), binaries, runAs, logger };
}

export async function startEmbedded(
  options: Readonly<{ dataFolder: string; logger: Logger }>,
): Promise<EmbeddedServer> {
  const site = await prepareSite(options.dataFolder, options.logger);
  const server = new OwnedServer(site);
  try {
    await server.takeOver();
  } catch (error) {
    // Stops what this gateway owns; a server of another gateway is left alone.
    await server.stop();
    throw error;
  }
  return { url: embeddedUrl(site.socketFolder, DATABASE), stop: () => server.stop() };
}

// One gateway per data folder: a session lock in the server itself, held on a connection of its own. The lock ends with
// the process that holds it, however that ends, and its connection also tells when the server is gone.

const LOCK_KEY = '7083250115';
/** The session of a killed gateway ends within milliseconds; a gateway that is stopping may need a little longer. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 50;

/** The connection that holds the lock, or null when another gateway has it. */
async function takeGatewayLock(url: string, signal: AbortSignal): Promise<Client | null> {
  const client = new Client({ ...connectionConfig(url), application_name: 'tollgate gateway lock' });
  client.on('error', () => {});
  try {
    await client.connect();
    const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK_KEY]);
      if (rows[0]?.taken === true) return client;
      if (systemClock.monotonicMs() > deadlineMs) break;
      await systemClock.sleep(RETRY_MS);
    }
  } catch (error) {
    await endClient(client);
    throw error;
  }
  await endClient(client);
  return null;
}
