// Whether a pooler stands in front of the server that shares its sessions between connections, as PgBouncer does in
// transaction mode, and whether it keeps prepared statements for each. Found out by watching it, because no pooler says:
// the number of the session that answers is another one than the greeting named, and a second connection meets it too.

import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { endClient } from './connection.ts';
import { errorCode } from './connection-failure.ts';
import type { Pooling, Servers } from './servers.ts';

/** Others may use the session between two looks. */
const LOOKS = 8;
const STATEMENT_EXISTS = '42P05';

const DIRECT: Pooling = { isShared: false, keepsStatements: true };

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

const processIdOf = (client: Client): unknown => Reflect.get(client, 'processID');

/** In a transaction, so that it is the session that prepares. Answers its number. */
async function prepare(client: Client, name: string): Promise<number> {
  await client.query('begin');
  try {
    const session = await sessionOf(client);
    await client.query({ name, text: `SELECT '${randomBytes(4).toString('hex')}'` });
    return session;
  } finally {
    await client.query('rollback').catch(() => {});
  }
}

/** Null when the second connection did not meet the session of the first. */
async function look(first: Client, second: Client): Promise<Pooling | null> {
  const name = `tollgate_${randomBytes(6).toString('hex')}`;
  const session = await prepare(first, name);
  if ((await sessionOf(second)) !== session) return null;
  try {
    await prepare(second, name);
    return { isShared: true, keepsStatements: true };
  } catch (error) {
    if (errorCode(error) !== STATEMENT_EXISTS) throw error;
    return { isShared: true, keepsStatements: false };
  }
}

export async function recognisePooler(servers: Servers): Promise<Pooling> {
  const first = await servers.connect();
  const clients = [first];
  try {
    if ((await sessionOf(first)) === processIdOf(first)) return DIRECT;
    const second = await servers.connect();
    clients.push(second);
    let shared: Pooling | null = null;
    for (let count = 0; count < LOOKS; count += 1) {
      const seen = await look(first, second);
      // One name that was not taken may have met two sessions; one that was taken is enough.
      if (seen !== null && !seen.keepsStatements) return seen;
      shared ??= seen;
    }
    return shared ?? DIRECT;
  } finally {
    await Promise.all(clients.map(endClient));
  }
}
