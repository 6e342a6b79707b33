// Finding the session of a secret, which happens on every request of a signed-in person: from memory where it can, with
// a note of its use every few minutes.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ActiveSession, SessionCache } from './session-cache.ts';
import { findSession, touchSession } from './store/sessions.ts';
import { hashToken } from './token.ts';

const TOUCH_EVERY_MS = 300_000;
const TOKEN = /^[\w-]{43}$/;

type SessionLookupOptions = Readonly<{
  database: Database;
  cache: SessionCache;
  pepper: Buffer;
  clock: Clock;
  idleMaxMs: number;
}>;

/** Null for whatever is not the secret of a living session. */
export type SessionLookup = (token: string) => Promise<ActiveSession | null>;

export function createSessionLookup(options: SessionLookupOptions): SessionLookup {
  const { cache, pepper, clock } = options;
  return async (token) => {
    if (!TOKEN.test(token)) return null;
    const hash = hashToken(pepper, 'session', token);
    const index = hash.toString('base64');
    const session = cache.get(index) ?? (await load(hash, index, options));
    if (session === null || clock.nowMs() >= session.expiresAtMs) return null;
    const isFresh = clock.nowMs() - session.lastSeenMs < TOUCH_EVERY_MS;
    return isFresh ? session : touch(index, session, options);
  };
}

async function load(
  hash: Buffer,
  index: string,
  { database, cache, clock }: SessionLookupOptions,
): Promise<ActiveSession | null> {
  const { epoch } = cache;
  const row = await findSession(database, hash, clock.nowMs());
  if (row === null) return null;
  const session = {
    sessionId: row.id,
    userId: row.user_id,
    isSuspended: row.is_suspended,
    hasSecondFactor: row.second_factor_at !== null,
    signOnOrgId: row.sign_on_org_id,
    lastSeenMs: row.last_seen_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
  };
  cache.keep(index, session, epoch);
  return session;
}

async function touch(
  index: string,
  session: ActiveSession,
  { database, cache, clock, idleMaxMs }: SessionLookupOptions,
): Promise<ActiveSession | null> {
  const { epoch } = cache;
  const nowMs = clock.nowMs();
  // Noted first: of ten requests at once, one writes.
  cache.keep(index, { ...session, lastSeenMs: nowMs }, epoch);
  const { sessionId: id, userId } = session;
  const expiresAt = await touchSession(database, { id, userId, nowMs, expiresAtMs: nowMs + idleMaxMs });
  if (expiresAt === null) return null;
  const touched = { ...session, lastSeenMs: nowMs, expiresAtMs: expiresAt.getTime() };
  cache.keep(index, touched, epoch);
  return touched;
}
