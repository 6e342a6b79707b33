// Finds out whether a pooler in front of the server shares its sessions between connections, as PgBouncer does in
// transaction mode, and whether it keeps prepared statements for each. No pooler tells, so it is observed: the session
// that answers has another number than the greeting named, and a second connection gets it too.

import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { endClient } from './connection.ts';
import { errorCode } from './connection-failure.ts';
import type { Pooling, Servers } from './servers.ts';

/** Other connections may use the session between two looks. */
const LOOKS = 8;
const STATEMENT_EXISTS = '42P05';

const DIRECT: Pooling = { isShared: false, keepsStatements: true };

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

const processIdOf = (client: Client): unknown => Reflect.get(client, 'processID');

/** Runs in a transaction, so that the numbered session is the one that prepares. Answers its number. */
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

/** Null when the second connection did not get the session of the first. */
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
      // A name that was not found may have been asked in two sessions; one that was found is proof.
      if (seen !== null && !seen.keepsStatements) return seen;
      shared ??= seen;
    }
    return shared ?? DIRECT;
  } finally {
    await Promise.all(clients.map(endClient));
  }
}
