// The tokens of an organization's directory. Each is shown once and stored as a keyed hash; an organization may have
// several, so that one can be replaced without a gap.

import { createHmac, randomBytes } from 'node:crypto';
import type { AuditActor } from '../../../canonical/audit-entry.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { assert } from '../../../platform/assert.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { changeUnderLock, type OrgChangeOptions } from '../change.ts';
import * as store from '../store/provisioning-tokens.ts';

const PREFIX = 'scim-tg-';
const RANDOM_BYTES = 32;
const FORM = /^scim-tg-[\w-]{43}$/;
const SUFFIX_LENGTH = 4;
const TOKENS_MAX = 5;
/** How exactly the time of the last use is known. */
const TOUCH_MS = 3_600_000;

export type ProvisioningToken = store.TokenRow;

export type ProvisioningTokens = Readonly<{
  list(orgId: string): Promise<readonly ProvisioningToken[]>;
  /** Only this answer contains the secret. 409 when there are too many. */
  create(orgId: string, name: string, actor: AuditActor): Promise<ProvisioningToken & Readonly<{ secret: string }>>;
  /** False when there is no such token. */
  remove(orgId: string, tokenId: string, actor: AuditActor): Promise<boolean>;
  /** The organization whose directory has this token; null when there is none. */
  find(secret: string): Promise<Readonly<{ orgId: string; isSuspended: boolean }> | null>;
}>;

export type TokensOptions = OrgChangeOptions &
  Readonly<{
    clock: Clock;
    /** The key of the hashes, derived for this purpose alone. */
    provisioningPepper: Buffer;
  }>;

export function createTokens(options: TokensOptions): ProvisioningTokens {
  const { database, clock, record, provisioningPepper } = options;
  const hashOf = (secret: string): Buffer => createHmac('sha256', provisioningPepper).update(secret).digest();
  const targetOf = (targetId: string) => ({ targetType: 'provisioning_token', targetId });
  return {
    list: (orgId) => store.listTokens(database, orgId),
    create: (orgId, name, actor) =>
      changeUnderLock(options, orgId, async (transaction) => {
        if ((await store.listTokens(transaction, orgId)).length >= TOKENS_MAX) {
          throw new ApiError('http_409', `There can be ${TOKENS_MAX} tokens at most. Remove one first.`);
        }
        const secret = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
        const row = { id: newId('sct'), orgId, name, hash: hashOf(secret), suffix: secret.slice(-SUFFIX_LENGTH) };
        const token = await store.insertToken(transaction, { ...row, createdAt: new Date(clock.nowMs()) });
        assert(token !== null, 'a token that was just made is there');
        const entry = { orgId, action: 'org.provisioning_token.create', actor, after: { name } };
        await record(transaction, { ...entry, ...targetOf(token.id) });
        return { ...token, secret };
      }),
    remove: (orgId, tokenId, actor) =>
      changeUnderLock(options, orgId, async (transaction) => {
        const name = await store.deleteToken(transaction, orgId, tokenId);
        if (name === null) return false;
        const entry = { orgId, action: 'org.provisioning_token.remove', actor, before: { name } };
        await record(transaction, { ...entry, ...targetOf(tokenId) });
        return true;
      }),
    async find(secret) {
      if (!FORM.test(secret)) return null;
      const hash = hashOf(secret);
      const found = await store.findToken(database, hash);
      if (found === null) return null;
      const nowMs = clock.nowMs();
      if (nowMs - (found.lastUsedAt?.getTime() ?? 0) >= TOUCH_MS) {
        await store.touchToken(database, found.orgId, hash, new Date(nowMs));
      }
      return { orgId: found.orgId, isSuspended: found.isSuspended };
    },
  };
}
