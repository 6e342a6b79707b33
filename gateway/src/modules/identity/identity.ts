// Users and their keys. Finding the caller of a key is the only part that runs for every call: it answers from memory,
// and a database that is away means "cannot tell" (503), never "unknown key".

import type { Caller, KeyType } from '../../canonical/caller.ts';
import { NO_CAPS } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { CallerCache, type CallerSource } from './caller-cache.ts';
import { type CapsOfMember, callerCaps, type UserBreaker, userBreaker } from './caller-caps.ts';
import { isAllowListEntry } from './client-address.ts';
import { normalizeEmail } from './email.ts';
import { hashKeySecret, isOwnKeySecret, keyHints, newKeySecret } from './key-secret.ts';
import { hashPassword } from './password.ts';
import * as store from './store.ts';

export type User = Readonly<{ id: string; email: string; name: string; isSuspended: boolean }>;

/** A key as its owner may see it: everything but the secret. */
export type Key = Readonly<{
  id: string;
  name: string;
  keyType: KeyType;
  userId: string;
  accountId: string;
  prefix: string;
  suffix: string;
  isEnabled: boolean;
  expiresAtMs: number | null;
  spendLimitNanoUsd: bigint | null;
  spendLimitPeriod: string | null;
  allowedCidrs: readonly string[];
  createdAtMs: number;
}>;

export type NewUser = Readonly<{ email: string; name: string; password?: string | undefined }>;
export type NewKey = Readonly<{
  name: string;
  keyType: KeyType;
  userId: string;
  accountId: string;
  expiresAtMs?: number | undefined;
  allowedCidrs?: readonly string[] | undefined;
}>;

export type Identity = Readonly<{
  /** Null for whatever is not a usable key; answers without I/O when the key has been seen. */
  findCaller(token: string): Caller | null | Promise<Caller | null>;
  /** In the caller's transaction, because a user comes into being together with an account. 409 when the email is taken. */
  createUser(queryable: Queryable, user: NewUser): Promise<User>;
  findUser(userId: string): Promise<User | null>;
  setSuspended(userId: string, isSuspended: boolean): Promise<User | null>;
  /** The secret is in this answer and nowhere else, ever. */
  createKey(queryable: Queryable, key: NewKey): Promise<Readonly<{ key: Key; secret: string }>>;
  findKey(userId: string, keyId: string): Promise<Key | null>;
  /** False when the user has no such key. */
  setKeyEnabled(change: store.KeySwitch): Promise<boolean>;
  revokeKey(userId: string, keyId: string): Promise<boolean>;
  /** A person's own spend breaker, over all their keys. */
  breakerOf(userId: string): Promise<UserBreaker>;
  /** Counts from the next call on, in every process as soon as the notice reaches it. */
  changeBreaker(userId: string, change: store.BreakerChange): Promise<UserBreaker>;
  /** What was decided about an account beyond this module counts from the next call on. */
  forgetCallers(accountId: string): Promise<void>;
}>;

export type IdentityOptions = Readonly<{
  database: Database;
  notices: Notices;
  /** The key of the hashes, derived for this purpose alone. */
  pepper: Buffer;
  clock: Clock;
  logger: Logger;
  /** What an organization allows the holder of one of its keys; without it only people's own caps apply. */
  capsOfMember?: CapsOfMember;
}>;

const NOTICE_TOPIC = 'keys';
const RETRY_AFTER_SECONDS = 2;

export function createIdentity(options: IdentityOptions): Identity {
  const { database, notices, pepper, clock, logger, capsOfMember } = options;
  const source: CallerSource = {
    isPlausible: (token) => isOwnKeySecret(pepper, token),
    load: (token) => loadCaller(database, hashKeySecret(pepper, token), capsOfMember),
  };
  const cache = new CallerCache(source, clock);
  notices.subscribe(NOTICE_TOPIC, (id) => cache.invalidate(id));
  notices.onGap(() => {
    logger.info({}, 'notices were interrupted: all cached keys are read again');
    cache.clear();
  });

  /** This process forgets at once; the others when the notice reaches them. */
  const announce = async (id: string): Promise<void> => {
    cache.invalidate(id);
    await notices.publish(NOTICE_TOPIC, id);
  };

  return {
    findCaller: (token) => findUsable(cache, clock, token),
    createUser,
    async findUser(userId) {
      const row = await store.findUser(database, userId);
      return row === null ? null : toUser(row);
    },
    async setSuspended(userId, isSuspended) {
      const row = await store.setSuspended(database, userId, isSuspended);
      if (row === null) return null;
      await announce(userId);
      return toUser(row);
    },
    createKey: (queryable, key) => createKey(queryable, pepper, key),
    async findKey(userId, keyId) {
      const row = await store.findKey(database, userId, keyId);
      return row === null ? null : toKey(row);
    },
    async setKeyEnabled(change) {
      const isFound = await store.setKeyEnabled(database, change);
      if (isFound) await announce(change.keyId);
      return isFound;
    },
    async revokeKey(userId, keyId) {
      const isFound = await store.revokeKey(database, userId, keyId);
      if (isFound) await announce(keyId);
      return isFound;
    },
    async breakerOf(userId) {
      return userBreaker(userId, await store.findBreaker(database, userId));
    },
    async changeBreaker(userId, change) {
      const row = await store.changeBreaker(database, userId, change);
      await announce(userId);
      return userBreaker(userId, row);
    },
    forgetCallers: announce,
  };
}

function findUsable(cache: CallerCache, clock: Clock, token: string): Caller | null | Promise<Caller | null> {
  const found = cache.find(token);
  if (found instanceof Promise) return found.then((caller) => unlessExpired(caller, clock));
  return unlessExpired(found, clock);
}

/** Expiry is a matter of the moment, so it is judged on every call and not by what is cached. */
function unlessExpired(caller: Caller | null, clock: Clock): Caller | null {
  if (caller === null || caller.expiresAtMs === null) return caller;
  return clock.nowMs() < caller.expiresAtMs ? caller : null;
}

async function loadCaller(
  database: Database,
  hash: Buffer,
  capsOfMember: CapsOfMember | undefined,
): Promise<Caller | null> {
  const row = await orUnavailable(store.findCallerByHash(database, hash));
  if (row === null || !row.is_enabled || row.revoked_at !== null) return null;
  const isOfMember = capsOfMember !== undefined && row.account_id !== row.user_id;
  const ofMember = isOfMember ? await orUnavailable(capsOfMember(row.account_id, row.user_id)) : NO_CAPS;
  return {
    keyId: row.id,
    keyName: row.name,
    keyType: row.key_type,
    userId: row.user_id,
    accountId: row.account_id,
    isSuspended: row.is_suspended,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    allowedCidrs: row.allowed_cidrs,
    caps: callerCaps(row, ofMember),
  };
}

async function orUnavailable<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    throw new ApiError('http_503', 'Keys cannot be checked at the moment. Try again shortly.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      detail: 'the caller could not be read',
      cause: error,
    });
  }
}

async function createUser(queryable: Queryable, user: NewUser): Promise<User> {
  const emailNormalized = normalizeEmail(user.email);
  if (emailNormalized === null) throw new ApiError('http_400', 'email: not a valid email address.');
  const row = await store.insertUser(queryable, {
    id: newId('usr'),
    email: user.email.trim(),
    emailNormalized,
    name: user.name,
    passwordHash: user.password === undefined ? null : await hashPassword(user.password),
  });
  if (row === null) throw new ApiError('http_409', 'A user with this email address exists already.');
  return toUser(row);
}

async function createKey(
  queryable: Queryable,
  pepper: Buffer,
  key: NewKey,
): Promise<Readonly<{ key: Key; secret: string }>> {
  const allowedCidrs = key.allowedCidrs ?? [];
  assert(allowedCidrs.every(isAllowListEntry), 'the entries of an address list were checked before');
  const secret = newKeySecret(pepper);
  const row = await store.insertKey(queryable, {
    id: newId('key'),
    hash: hashKeySecret(pepper, secret),
    name: key.name,
    keyType: key.keyType,
    userId: key.userId,
    accountId: key.accountId,
    ...keyHints(secret),
    expiresAtMs: key.expiresAtMs ?? null,
    allowedCidrs,
  });
  assert(row !== null, 'an insert without a condition returns its row');
  return { key: toKey(row), secret };
}

const toUser = (row: store.UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  isSuspended: row.is_suspended,
});

const toKey = (row: store.KeyRow): Key => ({
  id: row.id,
  name: row.name,
  keyType: row.key_type,
  userId: row.user_id,
  accountId: row.account_id,
  prefix: row.prefix,
  suffix: row.suffix,
  isEnabled: row.is_enabled && row.revoked_at === null,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  spendLimitNanoUsd: row.spend_limit_nano_usd,
  spendLimitPeriod: row.spend_limit_period,
  allowedCidrs: row.allowed_cidrs,
  createdAtMs: row.created_at.getTime(),
});
