// Runs once before all tests: builds what the tests start as programs, and brings up the one database server that
// they share. With DATABASE_URL set that server is used, else an embedded one in a temporary folder.

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { findPostmaster, isProcessAlive } from '../src/platform/db/embedded/postmaster.ts';
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../src/platform/logger.ts';
import type {} from './database.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER_PREFIX = 'tollgate-tests-';

let stopServer: () => Promise<void> = async () => {};

function build(): void {
  if (process.env.TOLLGATE_TEST_BUILD === 'off') return;
  const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [compiler, '-b', 'gateway'], { cwd: repository, encoding: 'utf8' });
  if (result.status === 0) return;
  throw new Error(
    `The build failed:\n${result.stdout}${result.stderr}\nTo test without building, set TOLLGATE_TEST_BUILD=off.`,
  );
}

/** A run that was killed leaves its server behind; the next run clears it away. */
async function removeAbandonedServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    if (isProcessAlive(Number(name.slice(FOLDER_PREFIX.length).split('-')[0]))) continue;
    const folder = join(tmpdir(), name);
    const postmaster = await findPostmaster(join(folder, 'postgres'));
    if (postmaster !== null) process.kill(postmaster.pid, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function startServer(): Promise<string> {
  await removeAbandonedServers();
  const dataFolder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const server = await startEmbedded({ dataFolder, logger: silentLogger });
  stopServer = async () => {
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return server.url;
}

export async function setup(project: TestProject): Promise<void> {
  build();
  project.provide('databaseServer', process.env.DATABASE_URL ?? (await startServer()));
}

export async function teardown(): Promise<void> {
  await stopServer();
}
