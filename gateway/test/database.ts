// A database of its own for a test, on the one server that the run has. The URL is what the product takes as
// DATABASE_URL, whether the server is embedded (a Unix socket) or one that the caller of the tests provides.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A URL with the right to create databases. */
    databaseServer: string;
  }
}

export type FreshDatabase = Readonly<{ url: string; drop(): Promise<void> }>;

/** Replaces the database in a `postgres://` URL; `new URL` does not read those that have a user but no host. */
function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`);
}

/** Runs one statement on the server's own database, as its administrator. */
async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('databaseServer') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name} template template0`);
  return {
    url: withDatabase(inject('databaseServer'), name),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  };
}
