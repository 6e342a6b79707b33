// Users and their keys. Only finding the caller of a key runs for every call: it answers from memory, and every change
// here drops this process's cached callers before the change is reported as done.

import type { BreakerChange } from '../../canonical/breaker.ts';
import type { Caller } from '../../canonical/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { TokenDigest } from '../../platform/token-digest.ts';
import { type Announce, createAnnounce } from './announce.ts';
import { CallerCache, type CallerSource } from './caller-cache.ts';
import { type UserBreaker, userBreaker } from './caller-caps.ts';
import { normalizeEmail } from './email.ts';
import { type CreatedKey, createKey, type NewKey } from './key.ts';
import { hashKeySecret, isOwnKeySecret } from './key-secret.ts';
import { loadCaller, loadCallerOfKey, type MemberRules } from './load-caller.ts';
import { changeBreaker, findBreaker } from './store/breakers.ts';
import { type ListedUser, searchUsers, type UserSearch } from './store/directory.ts';
import type { Key, KeyChanges, KeyScope } from './store/keys.ts';
import * as keyStore from './store/keys.ts';
import type { User } from './store/users.ts';
import * as userStore from './store/users.ts';
import { createUser, type NewUser } from './user.ts';

/** A key and the scope it is looked up in: a key outside the scope is not found. */
export type KeyInScope = Readonly<{ scope: KeyScope; keyId: string }>;

/** All keys of an account that a person holds, or that are a team's. */
type KeysOf = Readonly<{ accountId: string }> & (Readonly<{ userId: string }> | Readonly<{ teamId: string }>);

/** Runs in the transaction of a change, before the commit; if it throws, the change is undone. */
export type OnKeyChange = (transaction: Queryable, before: Key, after: Key | null) => Promise<void>;

export type Identity = Readonly<{
  /** Null for anything but a usable key; answers without I/O when the key has been seen. */
  findCaller(token: string, digest?: TokenDigest | null): Caller | null | Promise<Caller | null>;
  /** The caller of this key, for work that is done on their behalf. Null when the key is no longer usable. */
  findCallerOfKey(keyId: string): Promise<Caller | null>;
  /**
   * Runs in the caller's transaction, because a user is created together with an account. 409 when the email is taken.
   */
  createUser(queryable: Queryable, user: NewUser): Promise<User>;
  findUser(userId: string): Promise<User | null>;
  findUserByEmail(address: string): Promise<User | null>;
  /** All users, or those whose name, address or id contains the text, or who hold a key with this hint. */
  searchUsers(search: UserSearch): Promise<readonly ListedUser[]>;
  setSuspended(userId: string, isSuspended: boolean): Promise<User | null>;
  /** Runs in the caller's transaction. False when the address belongs to another user. */
  changeProfile(queryable: Queryable, userId: string, profile: Pick<User, 'email' | 'name'>): Promise<boolean>;
  createKey(queryable: Queryable, key: NewKey): Promise<CreatedKey>;
  /** Oldest first, without the revoked ones. */
  listKeys(scope: KeyScope): Promise<readonly Key[]>;
  /** Of all accounts. */
  listKeysOfUser(userId: string): Promise<readonly Key[]>;
  findKey(wanted: KeyInScope): Promise<Key | null>;
  /** The account that a key belongs to. It does not check who may know. */
  accountOfKey(keyId: string): Promise<string | null>;
  /** Null when there is no such key. */
  changeKey(wanted: KeyInScope, changes: KeyChanges, onChange?: OnKeyChange): Promise<Key | null>;
  /** False when there is no such key. Running calls end normally. */
  revokeKey(wanted: KeyInScope, onChange?: OnKeyChange): Promise<boolean>;
  /** Runs in the caller's transaction. `forgetCallers` of the account is due after the commit. */
  revokeKeysOf(queryable: Queryable, keys: KeysOf): Promise<readonly Key[]>;
  /** A person's own spend breaker, over all their keys. */
  breakerOf(userId: string): Promise<UserBreaker>;
  /** Applies from the next call on, in every process as soon as the notice arrives. */
  changeBreaker(userId: string, change: BreakerChange): Promise<UserBreaker>;
  /** Makes a decision of another module about an account, a user or a key apply from the next call on. */
  forgetCallers(id: string): Promise<void>;
}>;

type IdentityOptions = MemberRules &
  Readonly<{
    database: Database;
    notices: Notices;
    /** The key of the hashes, derived for this purpose alone. */
    pepper: Buffer;
    clock: Clock;
    logger: Logger;
    /** Students' sessions, which another module finds. */
    sessionCallers?: CallerSource;
  }>;

/**
 * Specification, Limits: an institution's revocation reaches every process within a minute, even with its notice lost.
 */
const SESSION_TTL_MS = 30_000;
const NO_SESSIONS: CallerSource = { isPlausible: () => false, load: () => Promise.resolve(null) };

export function createIdentity(options: IdentityOptions): Identity {
  const { database, notices, pepper, clock, logger } = options;
  const source: CallerSource = {
    isPlausible: (token) => isOwnKeySecret(pepper, token),
    load: (token) => loadCaller(database, hashKeySecret(pepper, token), options),
  };
  const { sessionCallers = NO_SESSIONS } = options;
  const cache = new CallerCache(source, clock);
  const sessionCache = new CallerCache(sessionCallers, clock, SESSION_TTL_MS);
  const announce = createAnnounce(
    {
      invalidate(id) {
        for (const each of [cache, sessionCache]) each.invalidate(id);
      },
      clear() {
        for (const each of [cache, sessionCache]) each.clear();
      },
    },
    notices,
    logger,
  );
  return {
    findCaller: (token, digest = null) =>
      unlessExpiredNow((sessionCallers.isPlausible(token) ? sessionCache : cache).find(token, digest), clock),
    findCallerOfKey: (keyId) => loadCallerOfKey(database, keyId, options, clock),
    createKey: (queryable, key) => createKey(queryable, pepper, key),
    forgetCallers: announce,
    ...users(database, announce),
    ...keys(database, announce),
    async breakerOf(userId) {
      return userBreaker(userId, await findBreaker(database, userId));
    },
    async changeBreaker(userId, change) {
      const row = await changeBreaker(database, userId, change);
      await announce(userId);
      return userBreaker(userId, row);
    },
  };
}

function users(
  database: Database,
  announce: Announce,
): Pick<Identity, 'createUser' | 'findUser' | 'findUserByEmail' | 'searchUsers' | 'setSuspended' | 'changeProfile'> {
  return {
    createUser,
    findUser: (userId) => userStore.findUser(database, userId),
    async findUserByEmail(address) {
      const normalized = normalizeEmail(address);
      return normalized === null ? null : userStore.findUserByEmail(database, normalized);
    },
    searchUsers: (search) => searchUsers(database, search),
    async setSuspended(userId, isSuspended) {
      const user = await userStore.setSuspended(database, userId, isSuspended);
      if (user !== null) await announce(userId);
      return user;
    },
    async changeProfile(queryable, userId, { email, name }) {
      const emailNormalized = normalizeEmail(email);
      if (emailNormalized === null) return false;
      return (
        (await userStore.changeProfile(queryable, userId, { email: email.trim(), emailNormalized, name })) !== null
      );
    },
  };
}

function keys(
  database: Database,
  announce: Announce,
): Pick<
  Identity,
  'listKeys' | 'listKeysOfUser' | 'findKey' | 'accountOfKey' | 'changeKey' | 'revokeKey' | 'revokeKeysOf'
> {
  return {
    listKeys: (scope) => keyStore.listKeys(database, scope),
    listKeysOfUser: (userId) => keyStore.listKeysOfUser(database, userId),
    findKey: ({ scope, keyId }) => keyStore.findKey(database, scope, keyId),
    accountOfKey: (keyId) => keyStore.findKeyAccount(database, keyId),
    async changeKey({ scope, keyId }, changes, onChange) {
      const changed = await database.transaction(async (transaction) => {
        const before = await keyStore.lockKey(transaction, scope, keyId);
        if (before === null) return null;
        const after = await keyStore.changeKey(transaction, { accountId: scope.accountId, keyId }, changes);
        if (after !== null) await onChange?.(transaction, before, after);
        return after;
      });
      if (changed === null) return null;
      await announce(keyId);
      return changed;
    },
    async revokeKey({ scope, keyId }, onChange) {
      const isRevoked = await database.transaction(async (transaction) => {
        const before = await keyStore.lockKey(transaction, scope, keyId);
        if (before === null) return false;
        await keyStore.revokeKeys(transaction, { accountId: scope.accountId, keyId });
        await onChange?.(transaction, before, null);
        return true;
      });
      if (isRevoked) await announce(keyId);
      return isRevoked;
    },
    revokeKeysOf: keyStore.revokeKeys,
  };
}

function unlessExpiredNow(
  found: Caller | null | Promise<Caller | null>,
  clock: Clock,
): Caller | null | Promise<Caller | null> {
  if (found instanceof Promise) return found.then((caller) => unlessExpired(caller, clock));
  return unlessExpired(found, clock);
}

/** Expiry depends on the time, so it is checked at every call and not cached. */
function unlessExpired(caller: Caller | null, clock: Clock): Caller | null {
  if (caller === null || caller.expiresAtMs === null) return caller;
  return clock.nowMs() < caller.expiresAtMs ? caller : null;
}
