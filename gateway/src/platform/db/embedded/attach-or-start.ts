// Attaches to a server that runs on this cluster because it outlived a killed gateway, or starts a new one. The
// processes of a killed server take a moment to end; PostgreSQL refuses to start beside them, so it is tried again.

import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { connectionConfig, endClient } from '../connection.ts';
import { isConnectionFailure } from '../connection-failure.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { embeddedUrl } from './embedded-url.ts';
import { boundLog, logSizeBytes, openLog, readLogFrom } from './log-file.ts';
import { findPostmaster, type Postmaster, removeMistakenLocks } from './postmaster.ts';
import { type RunAs, spawnAs } from './run-as.ts';
import { serverParameters } from './settings.ts';
import { prepareSocketFolder, removeSocketFolder } from './socket-folder.ts';

/** Long enough for crash recovery of all the log that the settings let accumulate. */
const READY_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 20;
const RELAUNCH_DELAY_MS = 200;
const PATIENCE_LOG_MS = 5_000;

/** PostgreSQL's messages while another server, or the rest of one, still has the folder or the socket. */
const PASSING_OBSTACLE = /lock file "|pre-existing shared memory block|shared memory segment|Address already in use/;
/** No waiting helps against these, whichever file they are about. */
const LASTING_OBSTACLE = /No space left on device|Disk quota exceeded|Read-only file system|Permission denied/;

export type Site = Readonly<{
  cluster: string;
  socketFolder: string;
  logPath: string;
  binaries: Binaries;
  runAs: RunAs;
  logger: Logger;
}>;

/** The server's last log lines once it has exited; null while it runs. */
type Launched = Readonly<{ lastWords(): Promise<string> | null }>;

async function launch(site: Site): Promise<Launched> {
  await prepareSocketFolder(site.socketFolder, site.runAs);
  await removeMistakenLocks(site.cluster, site.socketFolder);
  await boundLog(site.logPath);
  const logStart = await logSizeBytes(site.logPath);
  const log = await openLog(site.logPath);
  let lastWords: Promise<string> | null = null;
  try {
    const child = spawnAs(site.runAs, {
      program: site.binaries.postgres,
      parameters: serverParameters(site.cluster, site.socketFolder),
      environment: site.binaries.environment,
      output: log.fd,
    });
    child.unref();
    child.on('exit', () => {
      lastWords = readLogFrom(site.logPath, logStart);
    });
    child.on('error', (error) => {
      lastWords = Promise.resolve(error.message);
    });
  } finally {
    await log.close();
  }
  return { lastWords: () => lastWords };
}

/** Null when the server answers, else the reason why not. */
async function whyNotReady({ socketFolder }: Postmaster): Promise<Error | null> {
  if (socketFolder === '') return new Error('it has not opened its socket yet');
  const client = new Client(connectionConfig(embeddedUrl(socketFolder, 'postgres')));
  client.on('error', () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    if (error instanceof Error && isConnectionFailure(error)) return error;
    throw error;
  } finally {
    await endClient(client);
  }
}

function didNotStart(site: Site, words: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL did not start on ${site.cluster}: ${words}\nIts log is ${site.logPath}.`,
  );
}

function doesNotAnswer(site: Site, postmaster: Postmaster | null, reason: Error | null): EmbeddedDatabaseError {
  if (postmaster === null) return didNotStart(site, reason?.message ?? 'it was given up after two minutes');
  return new EmbeddedDatabaseError(
    `PostgreSQL (process ${postmaster.pid}) runs on ${site.cluster} but does not answer: ${reason?.message}. ` +
      `Stop it (kill -INT ${postmaster.pid}) and start again.`,
    { cause: reason },
  );
}

export async function attachOrStart(site: Site, signal: AbortSignal): Promise<Postmaster> {
  const startedMs = systemClock.monotonicMs();
  let loggedMs = startedMs;
  let launched: Launched | null = null;
  let obstacle: Error | null = null;
  for (;;) {
    signal.throwIfAborted();
    const postmaster = await findPostmaster(site.cluster);
    const reason = postmaster === null ? null : await whyNotReady(postmaster);
    if (postmaster !== null && reason === null) return postmaster;

    const words: string | null = (await launched?.lastWords()) ?? null;
    if (words !== null) {
      if (LASTING_OBSTACLE.test(words) || !PASSING_OBSTACLE.test(words)) {
        await removeSocketFolder(site.socketFolder);
        throw didNotStart(site, words);
      }
      obstacle = new Error(words);
      launched = null;
      await systemClock.sleep(RELAUNCH_DELAY_MS);
    } else if (postmaster === null && launched === null) {
      launched = await launch(site);
    }

    const nowMs = systemClock.monotonicMs();
    if (nowMs - startedMs > READY_TIMEOUT_MS) throw doesNotAnswer(site, postmaster, reason ?? obstacle);
    if (nowMs - loggedMs > PATIENCE_LOG_MS) {
      site.logger.info(
        { reason: reason?.message ?? words ?? 'it has only just been launched' },
        'waiting for the embedded database',
      );
      loggedMs = nowMs;
    }
    await systemClock.sleep(POLL_INTERVAL_MS);
  }
}
