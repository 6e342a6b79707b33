// The server process as its lock file, postmaster.pid, shows it. The process number in that file proves nothing by
// itself: after a reboot, or in a new container, it may belong to another program.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../connection-failure.ts';
import { socketPath } from './socket-folder.ts';

export type Postmaster = Readonly<{
  pid: number;
  /** Empty while the server is starting. */
  socketFolder: string;
}>;

const SOCKET_LINE = 4;

const lockFile = (cluster: string): string => join(cluster, 'postmaster.pid');

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Null when the process is gone or hidden; the postmaster and its children all work in the cluster's folder. */
async function workingFolder(pid: number | string): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`);
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

async function commandLine(pid: number): Promise<string> {
  try {
    return (await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)])).stdout;
  } catch {
    // ps fails when there is no such process.
    return '';
  }
}

export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'linux') return (await workingFolder(pid)) === cluster;
  return (await commandLine(pid)).includes(cluster);
}

async function readLines(path: string): Promise<string[] | null> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The server that runs on this cluster, whichever gateway started it. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const lines = await readLines(lockFile(cluster));
  const pid = Number(lines?.[0]);
  if (lines === null || !Number.isSafeInteger(pid) || pid <= 0) return null;
  // The server writes the file in steps while we read it: a line is complete only when another follows.
  const socketFolder = lines.length > SOCKET_LINE + 1 ? (lines[SOCKET_LINE] ?? '') : '';
  return (await isServerOf(cluster, pid)) ? { pid, socketFolder } : null;
}

async function isAnyoneAtWork(cluster: string): Promise<boolean> {
  for (const entry of await readdir('/proc')) {
    if (/^\d+$/.test(entry) && (await workingFolder(entry)) === cluster) return true;
  }
  return false;
}

/** Removes the file if it has not changed since it was read; a file that a server has just written is put back. */
async function removeIfUnchanged(path: string, content: string): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  await rename(path, aside);
  if ((await readFile(aside, 'utf8')) === content) await rm(aside);
  else await rename(aside, path);
}

/**
 * PostgreSQL itself clears lock files of dead processes, but one whose number now belongs to another program would keep
 * it from ever starting. Such a file is removed here, provided that no process of the old server is left.
 */
export async function removeMistakenLocks(cluster: string, socketFolder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const path of [lockFile(cluster), `${socketPath(socketFolder)}.lock`]) {
    const lines = await readLines(path);
    const pid = Number(lines?.[0]);
    if (lines === null || !Number.isSafeInteger(pid) || !isProcessAlive(pid)) continue;
    if ((await isServerOf(cluster, pid)) || (await isAnyoneAtWork(cluster))) continue;
    await removeIfUnchanged(path, lines.join('\n'));
  }
}
