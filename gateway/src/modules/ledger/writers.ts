// Whoever is entering something into the journal has ids that others cannot see yet. Waiting until all of them are gone
// makes whatever was handed out before final: entered, or never to come.

import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { listWriters } from './store/months.ts';

const PAUSE_MS = 50;
const TRIES = 200;

/** Of those who had begun before; false when one of them goes on for long. */
export async function writersAreGone(session: Queryable, clock: Clock): Promise<boolean> {
  let waitedFor = await listWriters(session);
  for (let attempt = 0; waitedFor.size > 0; attempt += 1) {
    if (attempt === TRIES) return false;
    await clock.sleep(PAUSE_MS);
    const now = await listWriters(session);
    waitedFor = new Set([...waitedFor].filter((writer) => now.has(writer)));
  }
  return true;
}
