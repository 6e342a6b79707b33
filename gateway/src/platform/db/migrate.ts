// Brings a database to the schema of this build: numbered SQL files, forward only, one transaction each. Instances that
// start together queue on an advisory lock; a file that was changed after it was applied stops the start. Two builds
// serve side by side during an upgrade, so a file only adds; one that takes away what older builds use says so in a
// line `-- needs: NNNN`, and builds that do not know migration NNNN do not start after it.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import type { Logger } from '../logger.ts';
import { endClient } from './connection.ts';
import { asServers, type Servers } from './servers.ts';

/** Reached by the same steps from the sources and from the build: both lie three folders below the package. */
export const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url));

const NEEDS = /^-- needs: (\d{4})$/m;
const FILE_NAME = /^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/;
/** Any fixed number that nothing else in this database uses. */
const LOCK_KEY = '7083250114';

/** `needs` is the newest migration that a build must know to serve after this one; null where any older one can. */
type Migration = Readonly<{ number: number; name: string; text: string; checksum: string; needs: number | null }>;
type AppliedMigration = Readonly<{ number: number; name: string; checksum: string; needs: number | null }>;

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const number = FILE_NAME.exec(name)?.[1];
  if (number === undefined) throw new MigrationError(`${name} is not named NNNN-words.sql`);
  // A checkout with other line ends has the same migration.
  const text = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
  const needs = NEEDS.exec(text)?.[1];
  const checksum = createHash('sha256').update(text).digest('hex');
  return { number: Number(number), name, text, checksum, needs: needs === undefined ? null : Number(needs) };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)));
  migrations.forEach((migration, index) => {
    const previous = migrations[index - 1];
    if (previous?.number === migration.number) {
      throw new MigrationError(`${previous.name} and ${migration.name} have the same number`);
    }
    // A missing migration could never be applied once this one is.
    if (migration.number !== index + 1) {
      throw new MigrationError(`${migration.name} leaves a gap: the next number is ${index + 1}`);
    }
  });
  return migrations;
}

/** Checks the files against the applied migrations and returns those still to come. */
function pendingMigrations(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const appliedByNumber = new Map(applied.map((migration) => [migration.number, migration]));
  const lastApplied = Math.max(0, ...appliedByNumber.keys());
  return migrations.filter((migration) => {
    const earlier = appliedByNumber.get(migration.number);
    if (earlier === undefined) {
      if (migration.number > lastApplied) return true;
      throw new MigrationError(`${migration.name} comes before number ${lastApplied}, which is applied already`);
    }
    if (earlier.name !== migration.name || earlier.checksum !== migration.checksum) {
      throw new MigrationError(
        `${migration.name} differs from ${earlier.name} as it was applied. Applied migrations are never edited: ` +
          'restore the file and put the change into a new one',
      );
    }
    return false;
  });
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.text);
    await client.query('INSERT INTO schema_migrations (number, name, checksum, needs) VALUES ($1, $2, $3, $4)', [
      migration.number,
      migration.name,
      migration.checksum,
      migration.needs,
    ]);
    await client.query('commit');
  } catch (error) {
    // The error itself matters. The connection is closed after this, which rolls back as well.
    await client.query('rollback').catch(() => {});
    throw new MigrationError(`${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Other migrations of newer builds only added something. */
function refuseNewer(applied: readonly AppliedMigration[], newestFile: number): void {
  const breaking = applied.find(({ number, needs }) => number > newestFile && needs !== null && needs > newestFile);
  if (breaking === undefined) return;
  throw new MigrationError(
    `The database is newer than this build can serve: ${breaking.name} was applied, which needs a build that knows ` +
      `migration ${breaking.needs}, and this one ends at ${newestFile}. Start a newer build, or restore a backup of before`,
  );
}

async function applyPending(client: Client, migrations: readonly Migration[], logger: Logger): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  await client.query('alter table schema_migrations add column if not exists needs integer');
  const { rows: applied } = await client.query<AppliedMigration>(
    'SELECT number, name, checksum, needs FROM schema_migrations ORDER BY number',
  );
  refuseNewer(applied, migrations.at(-1)?.number ?? 0);
  for (const migration of pendingMigrations(migrations, applied)) {
    await apply(client, migration);
    logger.info({ migration: migration.name }, 'migration applied');
  }
  const newestFile = migrations.at(-1)?.number ?? 0;
  const newestApplied = applied.at(-1)?.number ?? 0;
  // During a rolling upgrade an older build starts beside a newer one; migrations keep its statements working.
  if (newestApplied > newestFile) {
    logger.warn({ newestFile, newestApplied }, 'the database has newer migrations than this build');
  }
}

/** Safe to call from several instances at once. The connection has no statement timeout: a migration may take long. */
export async function migrate(address: string | Servers, folder: string, logger: Logger): Promise<void> {
  const migrations = await readMigrations(folder);
  const client = await asServers(address).connect({ statementTimeoutMs: 0, lockTimeoutMs: 0 });
  client.on('error', (error) => logger.warn({ error }, 'the connection of the migrations was lost'));
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await applyPending(client, migrations, logger);
  } finally {
    // Closing the connection releases the lock.
    await endClient(client);
  }
}
