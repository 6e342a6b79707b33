// Where the server's socket is. The kernel limits a socket's path to about a hundred bytes and the data folder may be
// deep, so the socket is in a private folder in the temporary folder, named after the data folder.

import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../connection-failure.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';
import type { RunAs } from './run-as.ts';
import { PORT } from './settings.ts';

/** The smallest of the systems we run on (macOS), less the final zero. */
const SOCKET_PATH_BYTES_MAX = 103;

export const socketPath = (folder: string): string => join(folder, `.s.PGSQL.${PORT}`);

/** `cluster` must be resolved already: two names of one folder must give one socket. */
export function socketFolderFor(cluster: string): string {
  const name = `tollgate-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
  const folder = join(tmpdir(), name);
  return Buffer.byteLength(socketPath(folder)) <= SOCKET_PATH_BYTES_MAX ? folder : join('/tmp', name);
}

/** Everybody may write to the temporary folder, so a folder that is found there is used only when it is really ours. */
export async function prepareSocketFolder(folder: string, runAs: RunAs): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(folder);
  const isOurs = found.uid === process.getuid?.() || found.uid === runAs.user?.uid;
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new EmbeddedDatabaseError(
      `${folder} is needed for the embedded database's socket but belongs to someone else or is open to others. Remove it.`,
    );
  }
  if (runAs.user !== null) await chown(folder, runAs.user.uid, runAs.user.gid);
}

/** Leaves the folder where another server has its socket in it. */
export async function removeSocketFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}
