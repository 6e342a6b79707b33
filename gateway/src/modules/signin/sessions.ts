// Sessions of signed-in people: opened, found by their secret, ended. A session lives thirty days from its last use and
// ninety days at most; ending one applies in every process as soon as the notice arrives.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import * as store from './store/sessions.ts';
import { findSession, touchSession } from './store/sessions.ts';
import { hashToken, newSessionToken } from './token.ts';

const IDLE_MAX_MS = 30 * DAY_MS;
export const SESSION_AGE_MAX_MS = 90 * DAY_MS;
const UNASKABLE_AGE_MAX_MS = DAY_MS / 2;
const SESSIONS_PER_USER_MAX = 50;
const USER_AGENT_LENGTH_MAX = 300;
const SESSIONS_KEPT_MAX = 20_000;
const KEPT_AGE_MAX_MS = 60_000;

const NOTICE_TOPIC = 'sessions';
/** The topic on which changes of a user are announced, by the user's id. */
const USER_TOPIC = 'keys';

type ActiveSession = Readonly<{
  sessionId: string;
  userId: string;
  isSuspended: boolean;
  hasSecondFactor: boolean;
  /** Whose issuer vouched for it; null: none did. */
  signOnOrgId: string | null;
  lastSeenMs: number;
  expiresAtMs: number;
}>;

/** By the hash of their secret, for a short while, so that a page with ten requests asks the database once. */
type SessionCache = LoadingCache<ActiveSession | null>;

/** What is kept of the browser, so that people recognize their own sessions. */
export type Device = Readonly<{ userAgent: string | null; ip: string | null }>;

/** What was shown when the session was opened, besides the first proof. */
export type Proof = Readonly<{
  hasSecondFactor: boolean;
  signOn?: SignOnProof | null;
  /** Of the password that was shown. */
  passwordHash?: string | null;
}>;

/**
 * The organization whose issuer authenticated the session (empty: the platform's), and the sealed token with which it
 * is asked again.
 */
export type SignOnProof = Readonly<{ orgId: string; refreshToken: string | null }>;

export type Sessions = Readonly<{
  /** Only this answer contains the secret. Null when the person has another password by now. */
  open(queryable: Queryable, userId: string, device: Device, proof: Proof): Promise<string | null>;
  /** A second factor was shown in this session. */
  strengthen(userId: string, sessionId: string): Promise<void>;
  find: SessionLookup;
  list(userId: string): Promise<store.Session[]>;
  /** False when the user has no such session. */
  end(userId: string, sessionId: string): Promise<boolean>;
  /** Ends all of a user's sessions, except the given one. */
  endAll(userId: string, exceptId: string | null): Promise<void>;
  /** The same in the caller's transaction; the caller announces it after the commit. */
  endAllIn(queryable: Queryable, userId: string, exceptId: string | null): Promise<void>;
  announce(id: string): Promise<void>;
  forgetExpired(): Promise<void>;
}>;

type SessionsOptions = Readonly<{ database: Database; notices: Notices; pepper: Buffer; clock: Clock }>;

export function createSessions({ database, notices, pepper, clock }: SessionsOptions): Sessions {
  const cache = openCache(clock);
  for (const topic of [NOTICE_TOPIC, USER_TOPIC]) notices.subscribe(topic, (id) => cache.forget(id));
  notices.onGap(() => cache.clear());

  /** This process drops it at once; the others when the notice arrives. */
  const announce = async (id: string): Promise<void> => {
    cache.forget(id);
    await notices.publish(NOTICE_TOPIC, id);
  };

  return {
    async open(queryable, userId, device, { hasSecondFactor, signOn = null, passwordHash = null }) {
      const token = newSessionToken();
      const nowMs = clock.nowMs();
      // A session whose issuer cannot be asked again lasts for a shorter time.
      const isAskable = signOn === null || signOn.refreshToken !== null;
      const [idleMaxMs, ageMaxMs] = isAskable
        ? [IDLE_MAX_MS, SESSION_AGE_MAX_MS]
        : [UNASKABLE_AGE_MAX_MS, UNASKABLE_AGE_MAX_MS];
      const row = {
        id: newId('ses'),
        hash: hashToken(pepper, 'session', token),
        userId,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + idleMaxMs,
        endsAtMs: nowMs + ageMaxMs,
        userAgent: device.userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
        ip: device.ip,
        secondFactorAtMs: hasSecondFactor ? nowMs : null,
        signOn,
        passwordHash,
      };
      return (await store.insertSession(queryable, row, SESSIONS_PER_USER_MAX)) ? token : null;
    },
    async strengthen(userId, sessionId) {
      await store.strengthenSession(database, { userId, id: sessionId, nowMs: clock.nowMs() });
      await announce(sessionId);
    },
    find: createSessionLookup({ database, cache, pepper, clock, idleMaxMs: IDLE_MAX_MS }),
    list: (userId) => store.listSessions(database, userId, clock.nowMs()),
    async end(userId, sessionId) {
      const isFound = await store.endSession(database, userId, sessionId);
      if (isFound) await announce(sessionId);
      return isFound;
    },
    async endAll(userId, exceptId) {
      await store.endSessions(database, userId, exceptId);
      await announce(userId);
    },
    endAllIn: (queryable, userId, exceptId) => store.endSessions(queryable, userId, exceptId),
    announce,
    forgetExpired: () => store.forgetExpiredSessions(database, clock.nowMs()),
  };
}

const openCache = (clock: Clock): SessionCache =>
  new LoadingCache({
    clock,
    sizeMax: SESSIONS_KEPT_MAX,
    ageMaxMs: (session) => (session === null ? 0 : KEPT_AGE_MAX_MS),
    tagsOf: (session) => (session === null ? [] : [session.sessionId, session.userId]),
  });

// Finds the session of a secret, at every request of a signed-in person: from memory where possible, with a note of its
// use every few minutes.

const TOUCH_EVERY_MS = 300_000;
const TOKEN = /^[\w-]{43}$/;

type SessionLookupOptions = Readonly<{
  database: Database;
  cache: SessionCache;
  pepper: Buffer;
  clock: Clock;
  idleMaxMs: number;
}>;

/** Null for anything but the secret of an open session. */
type SessionLookup = (token: string) => Promise<ActiveSession | null>;

function createSessionLookup(options: SessionLookupOptions): SessionLookup {
  const { cache, pepper, clock } = options;
  return async (token) => {
    if (!TOKEN.test(token)) return null;
    const hash = hashToken(pepper, 'session', token);
    const index = hash.toString('base64');
    const session = await cache.find(index, () => load(hash, options));
    if (session === null || clock.nowMs() >= session.expiresAtMs) return null;
    const isFresh = clock.nowMs() - session.lastSeenMs < TOUCH_EVERY_MS;
    return isFresh ? session : touch(index, session, options);
  };
}

async function load(hash: Buffer, { database, clock }: SessionLookupOptions): Promise<ActiveSession | null> {
  const row = await findSession(database, hash, clock.nowMs());
  if (row === null) return null;
  const { id, lastSeenAt, expiresAt, ...session } = row;
  return { ...session, sessionId: id, lastSeenMs: lastSeenAt.getTime(), expiresAtMs: expiresAt.getTime() };
}

async function touch(
  index: string,
  session: ActiveSession,
  { database, cache, clock, idleMaxMs }: SessionLookupOptions,
): Promise<ActiveSession | null> {
  const nowMs = clock.nowMs();
  // Noted first: of ten requests at once, one writes.
  const noted = { ...session, lastSeenMs: nowMs };
  cache.replace(index, session, noted);
  const { sessionId: id, userId } = session;
  const expiresAt = await touchSession(database, { id, userId, nowMs, expiresAtMs: nowMs + idleMaxMs });
  if (expiresAt === null) return null;
  const touched = { ...noted, expiresAtMs: expiresAt.getTime() };
  cache.replace(index, noted, touched);
  return touched;
}
