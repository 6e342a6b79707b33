// The programs must find their libraries after an installation that ran no scripts, in a folder that may be read-only.
// This is tried on a copy of the real package without its links.

import { execFile } from 'node:child_process';
import { chmod, cp, link, lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureLibraryLinks, findPackageFolder } from './binaries.ts';

const run = promisify(execFile);
const NOBODY = 65534;

let root: string;
let packageFolder: string;
let fallbackFolder: string;

async function copyFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => cp(from, to));
}

beforeEach(async () => {
  const original = findPackageFolder(`${process.platform}-${process.arch}`);
  root = await realpath(await mkdtemp(join(tmpdir(), 'tollgate-binaries-')));
  packageFolder = join(root, 'package');
  fallbackFolder = join(root, 'fallback');
  await chmod(root, 0o755);
  for (const folder of ['native/bin', 'native/lib']) {
    await mkdir(join(packageFolder, folder), { recursive: true });
    for (const name of await readdir(join(original, folder))) {
      const path = join(original, folder, name);
      if ((await lstat(path)).isFile()) await copyFile(path, join(packageFolder, folder, name));
    }
  }
  await cp(join(original, 'native/pg-symlinks.json'), join(packageFolder, 'native/pg-symlinks.json'));
});

afterEach(async () => {
  process.seteuid?.(process.getuid?.() ?? 0);
  await rm(root, { recursive: true, force: true });
});

const version = (libraryFolder?: string): Promise<{ stdout: string }> =>
  run(join(packageFolder, 'native/bin/postgres'), ['--version'], {
    env: libraryFolder === undefined ? {} : { LD_LIBRARY_PATH: libraryFolder },
  });

test.runIf(process.platform === 'linux')('missing links are made in the package, and only once', async () => {
  await expect(version()).rejects.toThrow('error while loading shared libraries');
  expect(await ensureLibraryLinks(packageFolder, fallbackFolder)).toBeNull();
  expect((await version()).stdout).toContain('PostgreSQL');
  expect(await ensureLibraryLinks(packageFolder, fallbackFolder)).toBeNull();
});

test.runIf(process.platform === 'linux')('in a read-only package they are made beside the data', async () => {
  await mkdir(fallbackFolder);
  await chmod(fallbackFolder, 0o777);
  await chmod(join(packageFolder, 'native/lib'), 0o555);
  await chmod(root, 0o777);
  // Root may write everywhere, so this part runs as a user who may not.
  if (process.getuid?.() === 0) process.seteuid?.(NOBODY);
  const libraryFolder = await ensureLibraryLinks(packageFolder, fallbackFolder);
  process.seteuid?.(process.getuid?.() ?? 0);
  expect(libraryFolder).toBe(fallbackFolder);
  await expect(version()).rejects.toThrow('error while loading shared libraries');
  expect((await version(fallbackFolder)).stdout).toContain('PostgreSQL');
});

test('a platform without a package is sent to DATABASE_URL', () => {
  expect(() => findPackageFolder('plan9-mips')).toThrow(/no embedded PostgreSQL for this platform.*DATABASE_URL/s);
});
