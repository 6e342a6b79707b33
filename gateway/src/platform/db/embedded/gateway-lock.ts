// One gateway per data folder: a session lock inside the server itself, held on a connection of its own. It dies with
// the process that holds it, however that ends, and its connection also tells when the server is gone.

import { Client } from 'pg';
import { systemClock } from '../../clock.ts';
import { connectionConfig, endClient } from '../connection.ts';

const LOCK_KEY = '7083250115';
/** A killed gateway's session ends within milliseconds; a gateway that is just stopping may need a little longer. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 50;

/** The connection that holds the lock, or null when another gateway has it. */
export async function takeGatewayLock(url: string, signal: AbortSignal): Promise<Client | null> {
  const client = new Client({ ...connectionConfig(url), application_name: 'tollgate gateway lock' });
  client.on('error', () => {});
  try {
    await client.connect();
    const deadlineMs = systemClock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK_KEY]);
      if (rows[0]?.taken === true) return client;
      if (systemClock.monotonicMs() > deadlineMs) break;
      await systemClock.sleep(RETRY_MS);
    }
  } catch (error) {
    await endClient(client);
    throw error;
  }
  await endClient(client);
  return null;
}
