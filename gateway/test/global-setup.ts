// Runs once before all tests: builds the programs that tests start, and starts the one database server that they share,
// with a database that theirs are copies of. With DATABASE_URL that server is used, otherwise an embedded one in a
// temporary folder.

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { locateBinaries } from '../src/platform/db/embedded/binaries.ts';
import { initializeCluster } from '../src/platform/db/embedded/initialize.ts';
import { findPostmaster, isProcessAlive } from '../src/platform/db/embedded/postmaster.ts';
import { chooseRunAs, spawnAs } from '../src/platform/db/embedded/run-as.ts';
import { serverParameters } from '../src/platform/db/embedded/settings.ts';
import { prepareSocketFolder, socketFolderFor } from '../src/platform/db/embedded/socket-folder.ts';
import { startEmbedded } from '../src/platform/db/embedded/start-embedded.ts';
import { migrate, migrationsFolder } from '../src/platform/db/migrate.ts';
import { silentLogger } from '../src/platform/logger.ts';
import { onServer, withDatabase } from './database.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER_PREFIX = 'tollgate-tests-';

let dropTemplate: () => Promise<void> = async () => {};
let stopServer: () => Promise<void> = async () => {};

function runStep(script: string, ...parameters: string[]): void {
  const result = spawnSync(process.execPath, [script, ...parameters], { cwd: repository, encoding: 'utf8' });
  if (result.status === 0) return;
  throw new Error(
    `The build failed:\n${result.stdout}${result.stderr}\nTo test without compiling, set TOLLGATE_TEST_BUILD=off.`,
  );
}

/** Sources that were compiled by hand still have to be put into the one file that tests start. */
function build(): void {
  if (process.env.TOLLGATE_TEST_BUILD !== 'off') runStep('node_modules/typescript/bin/tsc', '-b', 'gateway');
  runStep('scripts/bundle-gateway.mjs');
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

/**
 * The embedded server as the product runs it, except that nothing is synced to disk, because dropping a database would
 * take seconds for that, and that it takes the connections of many gateways. It is launched here and attached to, as a
 * gateway attaches to a server that outlived its predecessor.
 */
async function startServer(): Promise<string> {
  await removeAbandonedServers();
  const dataFolder = await realpath(await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`)));
  const cluster = join(dataFolder, 'postgres');
  const binaries = await locateBinaries(dataFolder);
  const { environment } = binaries;
  const runAs = await chooseRunAs({ dataFolder, cluster, environment });
  await initializeCluster({ cluster, binaries, runAs, logger: silentLogger });
  const socketFolder = socketFolderFor(cluster);
  await prepareSocketFolder(socketFolder, runAs);
  const others = { fsync: 'off', full_page_writes: 'off', max_connections: 400 };
  const parameters = [
    ...serverParameters(cluster, socketFolder),
    ...Object.entries(others).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const launched = spawnAs(runAs, { program: binaries.postgres, parameters, environment, output: 'ignore' });
  launched.unref();
  while ((await findPostmaster(cluster)) === null && launched.exitCode === null) await sleep(20);
  const server = await startEmbedded({ dataFolder, logger: silentLogger });
  stopServer = async () => {
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return server.url;
}

/** The state some time after the first start, when the journal has partitions. */
async function beginMonths(database: string): Promise<void> {
  const steps = "select begin_journal_months(date '2020-01-01')";
  for (let step = 0; step < 3; step += 1) await onServer(database, steps);
  await onServer(database, "select ensure_journal_month((now() at time zone 'UTC')::date)");
}

export async function setup(project: TestProject): Promise<void> {
  // Values of the root are provided to every project; each project runs this too.
  if (!project.isRootProject()) return;
  build();
  const server = process.env.DATABASE_URL ?? (await startServer());
  const template = `template_${process.pid}`;
  await onServer(server, `create database ${template} template template0`);
  dropTemplate = () => onServer(server, `drop database ${template}`);
  await migrate(withDatabase(server, template), migrationsFolder, silentLogger);
  await beginMonths(withDatabase(server, template));
  project.provide('databaseServer', server);
  project.provide('databaseTemplate', template);
}

export async function teardown(): Promise<void> {
  await dropTemplate();
  await stopServer();
}
