// Creates the database cluster completely or not at all: initdb works in a sibling folder that is renamed when it is
// complete and on disk. A cluster folder without its control file therefore never contains data.

import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../../logger.ts';
import { errorCode } from '../connection-failure.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import { isProcessAlive } from './postmaster.ts';
import { type RunAs, spawnAs } from './run-as.ts';

export const SUPERUSER = 'tollgate';
/** PostgreSQL numbers what users create from here on. */
const FIRST_USER_OBJECT = 16_384;
const OUTPUT_CHARACTERS_MAX = 4_000;
/** What initdb and a server put into a cluster folder. */
const CLUSTER_ENTRY =
  /^(?:base|global|pg_\w+(?:\.conf)?|PG_VERSION|postgresql(?:\.auto)?\.conf|postmaster\.(?:pid|opts))$/;

/** A leftover folder may have this process's number: in a container every start gets the same one. */
const inProgress = new Set<string>();

type Cluster = Readonly<{ cluster: string; binaries: Binaries; runAs: RunAs; logger: Logger }>;

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function isComplete(cluster: string): Promise<boolean> {
  try {
    await access(join(cluster, 'global', 'pg_control'));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeIncomplete(cluster: string, logger: Logger): Promise<void> {
  const entries = await listFolder(cluster);
  if (entries.length === 0) return;
  const foreign = entries.find((name) => !CLUSTER_ENTRY.test(name));
  if (foreign !== undefined) {
    throw new EmbeddedDatabaseError(
      `${cluster} is needed for the embedded database, but it holds something else (${foreign}). Give the gateway a ` +
        'TOLLGATE_DATA_DIR of its own, or set DATABASE_URL.',
    );
  }
  const databases = await listFolder(join(cluster, 'base'));
  if (databases.some((name) => Number(name) >= FIRST_USER_OBJECT)) {
    throw new EmbeddedDatabaseError(
      `${cluster} holds data but its control file (global/pg_control) is missing. Restore the folder from a backup.`,
    );
  }
  logger.warn({ cluster }, 'a half-initialized database folder is made again');
  await rm(cluster, { recursive: true, force: true });
}

/** Removes folders of initializations that died; those of a gateway that is initializing now stay. */
async function removeLeftovers(cluster: string): Promise<void> {
  const prefix = `${basename(cluster)}.initializing-`;
  for (const name of await listFolder(dirname(cluster))) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(dirname(cluster), name);
    const owner = Number(name.slice(prefix.length).split('-')[0]);
    if (owner === process.pid ? inProgress.has(folder) : isProcessAlive(owner)) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

function runInitdb(folder: string, { binaries, runAs }: Cluster): Promise<void> {
  const parameters = [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    // A user who can enter the socket's folder could also read the files, so a password would add nothing.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawnAs(runAs, {
      program: binaries.initdb,
      parameters,
      environment: binaries.environment,
      output: 'pipe',
    });
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => reject(cannotRun(binaries.initdb, error.message, error)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(cannotRun(binaries.initdb, output.trim()));
    });
  });
}

function cannotRun(program: string, reason: string, cause?: Error): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL could not be initialized (${program}): ${reason}\n` +
      'If this machine cannot run it, set DATABASE_URL to a PostgreSQL server, version 15 or newer.',
    { cause },
  );
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function initializeCluster(input: Cluster): Promise<void> {
  const { cluster, runAs, logger } = input;
  await removeLeftovers(cluster);
  if (await isComplete(cluster)) return;
  await removeIncomplete(cluster, logger);

  const folder = `${cluster}.initializing-${process.pid}-${randomBytes(4).toString('hex')}`;
  inProgress.add(folder);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (runAs.user !== null) await chown(folder, runAs.user.uid, runAs.user.gid);
    await runInitdb(folder, input);
    await rename(folder, cluster);
    await syncFolder(dirname(cluster));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // A gateway that started at the same moment was faster; its cluster is used.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    inProgress.delete(folder);
  }
}
