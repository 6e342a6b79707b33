// Temporary data folders and the processes in them, for the tests of the embedded database.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';

export const pause = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));

/** Waits for a condition that another process brings about; fails the test when it does not come. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isTrue).toBe(true);
}

export async function postmasterPid(dataFolder: string): Promise<number> {
  const postmaster = await findPostmaster(join(dataFolder, 'postgres'));
  if (postmaster === null) throw new Error('no server runs here');
  return postmaster.pid;
}

/** A folder that is removed after the test, with whatever server a failing test left running in it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tollgate-storage-')));
  onTestFinished(async () => {
    const postmaster = await findPostmaster(join(folder, 'postgres'));
    if (postmaster !== null) {
      process.kill(postmaster.pid, 'SIGQUIT');
      await eventually(async () => (await findPostmaster(join(folder, 'postgres'))) === null);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** Starts a server that the test need not stop. */
export async function startIn(dataFolder: string): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataFolder, logger: silentLogger });
  onTestFinished(() => server.stop());
  return server;
}
