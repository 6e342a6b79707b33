// Secrets that are not configured are made once and kept in the data folder, readable by its owner only. Two processes
// that start at the same moment must end with the same one, so the file appears complete or not at all.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

type KeptSecret = Readonly<{
  value: string;
  /** Made by this call; a new operator token is printed at the start. */
  isNew: boolean;
}>;

/** The root secret, from which every key is derived. */
export function loadOrCreateSecret(dataDir: string): Promise<KeptSecret> {
  return loadOrCreate(dataDir, 'secret', () => randomBytes(32).toString('base64url'));
}

/** The operator API's token. */
export function loadOrCreateAdminToken(dataDir: string): Promise<KeptSecret> {
  return loadOrCreate(dataDir, 'admin-token', () => `tg-admin-${randomBytes(24).toString('base64url')}`);
}

async function loadOrCreate(dataDir: string, fileName: string, make: () => string): Promise<KeptSecret> {
  const path = join(dataDir, fileName);
  const kept = await readKept(path);
  if (kept !== null) return { value: kept, isNew: false };

  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const value = make();
  const temporaryPath = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  await writeDurably(temporaryPath, `${value}\n`);
  try {
    // A link fails where the name exists; a rename would silently replace it.
    await link(temporaryPath, path);
    return { value, isNew: true };
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const winner = await readKept(path);
    if (winner === null) throw error;
    return { value: winner, isNew: false };
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

async function readKept(path: string): Promise<string | null> {
  try {
    const value = (await readFile(path, 'utf8')).trim();
    if (value === '') throw new Error(`${path} is empty: remove it to have a new secret made, or restore it`);
    return value;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
