// Loads the caller behind the hash of a key. When the database is away the answer is 503, and never that the key is
// unknown.

import type { AllowedModels } from '../../canonical/allowed-models.ts';
import type { Caller } from '../../canonical/caller.ts';
import { NO_CAPS } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { type CapsOfMember, callerCaps } from './caller-caps.ts';
import { type CallerRow, findCallerByHash, findCallerByKeyId } from './store/callers.ts';

const RETRY_AFTER_SECONDS = 2;

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
  if (row === null || !row.is_enabled || row.revoked_at !== null) return null;
  const holder = row.account_id === row.user_id ? null : ([row.account_id, row.user_id] as const);
  const caps = holder === null ? undefined : capsOfMember?.(...holder);
  const models = holder === null ? undefined : modelsOfMember?.(...holder);
  const [ofMember, calls] = await orUnavailable(Promise.all([caps ?? NO_CAPS, models ?? { allowedModels: null }]));
  if (calls === null) return null;
  return {
    keyId: row.id,
    keyName: row.name,
    keyType: row.key_type,
    userId: row.user_id,
    accountId: row.account_id,
    isSuspended: row.is_suspended,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    allowedCidrs: row.allowed_cidrs,
    hasFreeFallback: row.free_fallback,
    allowedModels: calls.allowedModels,
    caps: callerCaps(row, ofMember),
    ...cacheRulesOf(row),
    ...transcriptRulesOf(row),
  };
}

/** `never` counts before a duration, and the key's setting before the organization's. */
function cacheRulesOf(row: CallerRow): Pick<Caller, 'cache'> {
  const { cache_ttl_seconds: ofKey, org_cache_ttl_seconds: ofOrg, is_cache_shared: isShared } = row;
  const purgedAt = isShared ? [row.account_purged_at] : [row.account_purged_at, row.own_purged_at];
  const epoch = Math.max(...purgedAt.map((moment) => moment?.getTime() ?? 0));
  if (ofKey === null && ofOrg === null && !isShared && epoch === 0) return {};
  return { cache: { ttlSeconds: ofKey ?? ofOrg, isForbidden: ofKey === 0 || ofOrg === 0, isShared, epoch } };
}

function transcriptRulesOf({
  transcript_days: days,
  transcript_percent: percent,
}: CallerRow): Pick<Caller, 'transcripts'> {
  return days === null || percent === null ? {} : { transcripts: { days, sampleShare: percent / 100 } };
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
