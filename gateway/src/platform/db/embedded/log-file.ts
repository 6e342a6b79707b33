// The embedded server's log. The server appends to it through an inherited descriptor, so truncating the file is safe
// while it runs; one previous file is kept.

import { copyFile, type FileHandle, open, readFile, stat, truncate } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { asError, type Logger } from '../../logger.ts';
import { errorCode } from '../connection-failure.ts';

const LOG_BYTES_MAX = 2 * 1024 * 1024;
const CHECK_INTERVAL_MS = 10 * 60 * 1000;

export async function logSizeBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

export async function boundLog(path: string): Promise<void> {
  if ((await logSizeBytes(path)) <= LOG_BYTES_MAX) return;
  await copyFile(path, `${path}.previous`);
  await truncate(path);
}

export function keepLogBounded(path: string, clock: Clock, logger: Logger): () => void {
  return clock.every(CHECK_INTERVAL_MS, () => {
    boundLog(path).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'the database log could not be shortened');
    });
  });
}

export function openLog(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

/** What was written after the first `fromBytes` bytes: the messages of a server that did not start. */
export async function readLogFrom(path: string, fromBytes: number): Promise<string> {
  return (await readFile(path)).subarray(fromBytes).toString().trim();
}
