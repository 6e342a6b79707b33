// A database of its own for a test, on the one server of the run. The URL is what the product takes as DATABASE_URL,
// whether the server is embedded (a Unix socket) or given by the person who runs the tests.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A URL whose user may create databases. */
    databaseServer: string;
    /** The name of a database there that has the schema and nothing else. */
    databaseTemplate: string;
  }
}

export type FreshDatabase = Readonly<{ url: string; drop(): Promise<void> }>;

/** Replaces the database in a `postgres://` URL; `new URL` does not read those that have a user but no host. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`);
}

/** Runs one statement on the server's own database, as its administrator. */
export async function onServer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function databaseLike(template: string): Promise<FreshDatabase> {
  const server = inject('databaseServer');
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  // Copied as files: through the write-ahead log, PostgreSQL's default, it takes four times as long.
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: withDatabase(server, name),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

/** With the schema of this build: a copy, because running every migration once more takes ten times as long. */
export const freshDatabase = (): Promise<FreshDatabase> => databaseLike(inject('databaseTemplate'));

/** Without any table, for tests of how the schema is created. */
export const emptyDatabase = (): Promise<FreshDatabase> => databaseLike('template0');
