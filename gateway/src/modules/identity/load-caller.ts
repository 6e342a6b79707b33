// Loads the caller behind the hash of a key. When the database is away the answer is 503, and never that the key is
// unknown.

import type { AllowedModels } from '../../canonical/allowed-models.ts';
import type { Caller } from '../../canonical/caller.ts';
import { NO_CAPS } from '../../canonical/spend-cap.ts';
import { temporaryOutage } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { type CapsOfMember, callerCaps } from './caller-caps.ts';
import { type CallerRow, findCallerByHash, findCallerByKeyId } from './store/callers.ts';

/**
 * The models that an organization allows the holder of one of its keys. Null for a holder who is no longer a member.
 */
export type ModelsOfMember = (
  accountId: string,
  userId: string,
) => Promise<Readonly<{ allowedModels: AllowedModels | null }> | null>;

/** Rules of other modules; without them, keys of organizations have no limits. */
export type MemberRules = Readonly<{
  capsOfMember?: CapsOfMember | undefined;
  modelsOfMember?: ModelsOfMember | undefined;
}>;

/** Null when no usable key has this hash. */
export async function loadCaller(database: Database, hash: Buffer, rules: MemberRules): Promise<Caller | null> {
  return callerOf(await orUnavailable(findCallerByHash(database, hash)), rules);
}

/** Null when there is no such key, or it has expired. */
export async function loadCallerOfKey(
  database: Database,
  keyId: string,
  rules: MemberRules,
  clock: Clock,
): Promise<Caller | null> {
  const caller = await callerOf(await orUnavailable(findCallerByKeyId(database, keyId)), rules);
  const isOver = caller !== null && caller.expiresAtMs !== null && caller.expiresAtMs <= clock.nowMs();
  return isOver ? null : caller;
}

async function callerOf(row: CallerRow | null, { capsOfMember, modelsOfMember }: MemberRules): Promise<Caller | null> {
  if (row === null || !row.isEnabled) return null;
  const holder = row.accountId === row.userId ? null : ([row.accountId, row.userId] as const);
  const caps = holder === null ? undefined : capsOfMember?.(...holder);
  const models = holder === null ? undefined : modelsOfMember?.(...holder);
  const [ofMember, calls] = await orUnavailable(Promise.all([caps ?? NO_CAPS, models ?? { allowedModels: null }]));
  if (calls === null) return null;
  return {
    keyId: row.id,
    keyType: row.keyType,
    userId: row.userId,
    accountId: row.accountId,
    isSuspended: row.isSuspended,
    expiresAtMs: row.expiresAt?.getTime() ?? null,
    allowedCidrs: row.allowedCidrs,
    hasFreeFallback: row.hasFreeFallback,
    allowedModels: calls.allowedModels,
    caps: callerCaps(row, ofMember),
    ...cacheRulesOf(row),
    ...transcriptRulesOf(row),
  };
}

/** `never` counts before a duration, and the key's setting before the organization's. */
function cacheRulesOf(row: CallerRow): Pick<Caller, 'cache'> {
  const { cacheTtlSeconds: ofKey, orgCacheTtlSeconds: ofOrg, isCacheShared: isShared } = row;
  const purgedAt = isShared ? [row.accountPurgedAt] : [row.accountPurgedAt, row.ownPurgedAt];
  const epoch = Math.max(...purgedAt.map((moment) => moment?.getTime() ?? 0));
  if (ofKey === null && ofOrg === null && !isShared && epoch === 0) return {};
  return { cache: { ttlSeconds: ofKey ?? ofOrg, isForbidden: ofKey === 0 || ofOrg === 0, isShared, epoch } };
}

function transcriptRulesOf({
  transcriptDays: days,
  transcriptPercent: percent,
}: CallerRow): Pick<Caller, 'transcripts'> {
  return days === null || percent === null ? {} : { transcripts: { days, sampleShare: percent / 100 } };
}

async function orUnavailable<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    const message = 'Keys cannot be checked at the moment. Try again shortly.';
    throw temporaryOutage(message, 'the caller could not be read', error);
  }
}
