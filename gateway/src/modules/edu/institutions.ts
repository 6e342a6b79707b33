// What an administrator decides: the keys that students are given, and the configuration. A change and its log entry
// are one transaction, and the change applies from the next call on.

import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { EduConfig } from './config.ts';
import { type EduHashes, keyHints, newInstitutionKey } from './secrets.ts';
import * as store from './store/keys.ts';
import { revokeSessionsOfKey } from './store/sessions.ts';

export type InstitutionKey = store.EduKeyRow;

/** More than one for each course is hardly needed. Keys revoked within the last day count too. */
const KEYS_MAX = 100;

export type Institutions = Readonly<{
  /** Oldest first, without the revoked ones. */
  listKeys(orgId: string): Promise<readonly InstitutionKey[]>;
  /** Only this answer contains the secret. 409 when there are too many keys. */
  createKey(
    orgId: string,
    name: string,
    log: (transaction: Queryable, key: InstitutionKey) => Promise<void>,
  ): Promise<Readonly<{ key: InstitutionKey; secret: string }>>;
  /** Also ends the key's sessions. False when the organization has no such key. */
  revokeKey(
    place: Readonly<{ orgId: string; id: string }>,
    log: (transaction: Queryable, key: InstitutionKey) => Promise<void>,
  ): Promise<boolean>;
  readConfig(orgId: string): Promise<EduConfig>;
  changeConfig(
    orgId: string,
    changes: Partial<EduConfig>,
    log: (transaction: Queryable, before: EduConfig, after: EduConfig) => Promise<void>,
  ): Promise<EduConfig>;
}>;

type InstitutionsOptions = Readonly<{
  database: Database;
  clock: Clock;
  hashes: EduHashes;
  /** Cached sessions of this account must be looked up again. */
  forgetCallers(accountId: string): Promise<void>;
}>;

export function createInstitutions({ database, clock, hashes, forgetCallers }: InstitutionsOptions): Institutions {
  return {
    listKeys: (orgId) => store.listKeys(database, orgId),
    async createKey(orgId, name, log) {
      const secret = newInstitutionKey();
      const hash = hashes.key(secret);
      const row = { id: newId('edukey'), orgId, hash, name, ...keyHints(secret), createdAtMs: clock.nowMs() };
      const key = await database.transaction(async (transaction) => {
        await store.lockOrg(transaction, orgId);
        const created = await store.insertKey(transaction, row, KEYS_MAX);
        if (created !== null) await log(transaction, created);
        return created;
      });
      if (key !== null) return { key, secret };
      throw new ApiError('http_409', `There are ${KEYS_MAX} keys already: delete those that are not needed.`);
    },
    async revokeKey({ orgId, id }, log) {
      const atMs = clock.nowMs();
      const revoked = await database.transaction(async (transaction) => {
        const key = await store.revokeKey(transaction, { orgId, id, atMs });
        if (key === null) return null;
        await revokeSessionsOfKey(transaction, { orgId, id, atMs });
        await log(transaction, key);
        return key;
      });
      if (revoked !== null) await forgetCallers(orgId);
      return revoked !== null;
    },
    readConfig: (orgId) => store.readConfig(database, orgId),
    async changeConfig(orgId, changes, log) {
      const config = await database.transaction(async (transaction) => {
        const { isVouched, confirmedDomains } = await store.lockOrg(transaction, orgId);
        const isOwn = (domain: string): boolean => confirmedDomains.includes(domain);
        if (!isVouched && !(changes.allowedDomains ?? []).every(isOwn)) {
          throw new ApiError(
            'http_403',
            'allowedDomains: confirm these domains by DNS, or have the operator confirm this organization, before it may write to students.',
          );
        }
        const before = await store.readConfig(transaction, orgId);
        const after = { ...before, ...changes };
        await store.writeConfig(transaction, orgId, after);
        await log(transaction, before, after);
        return after;
      });
      await forgetCallers(orgId);
      return config;
    },
  };
}
