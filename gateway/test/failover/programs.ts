// Where Debian's packages put the servers that these tests start, and the account they run as. Where one is missing its
// tests are skipped with a message, and fail in continuous integration.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';

const DEADLINE_MS = PATIENCE_MS;
const isContinuousIntegration = !['', 'false', undefined].includes(process.env.CI);

/** PostgreSQL and PgBouncer refuse to run as root, so root lends them the account of the package. */
export const account: Readonly<{ uid?: number; gid?: number }> =
  process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(flag: string): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || '65534');
}

function debianFolders(): string[] {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).filter((name) => /^\d+$/.test(name)) : [];
  return versions.sort((left, right) => Number(right) - Number(left)).map((version) => join(base, version, 'bin'));
}

function find(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const all = [...debianFolders(), ...folders, '/usr/sbin', '/usr/bin'].map((folder) => join(folder, name));
  return all.find((program) => existsSync(program)) ?? null;
}

/** For `describe.skipIf`. */
export function isMissing(...names: readonly string[]): boolean {
  const missing = names.filter((name) => find(name) === null);
  if (missing.length > 0) console.error(`!! NOT RUN: tests that need ${missing.join(', ')}`);
  return missing.length > 0 && !isContinuousIntegration;
}

export function programOf(name: string): string {
  const program = find(name);
  if (program === null) throw new Error(`${name} is not installed`);
  return program;
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Until `look` answers something true and does not throw. */
export async function until<Seen>(what: string, look: () => Promise<Seen> | Seen): Promise<Seen> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  let last: unknown = null;
  while (Date.now() < deadlineMs) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      last = error;
    }
    await sleep(25);
  }
  throw new Error(`waited in vain until ${what}`, { cause: last });
}
