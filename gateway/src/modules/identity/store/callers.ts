// Finds the caller of a key. The key is read together with its user and its organization, because a suspension of
// either stops it, and with its holder's breaker, which limits what it may spend.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { KEY_COLUMNS, type Key } from './keys.ts';

export type CallerRow = Key &
  Readonly<{
    isSuspended: boolean;
    spendLimitSince: Date;
    isBreakerEnabled: boolean | null;
    breakerMinuteNanoUsd: bigint | null;
    breakerHourNanoUsd: bigint | null;
    breakerEnabledAt: Date | null;
    orgCacheTtlSeconds: number | null;
    isCacheShared: boolean;
    transcriptDays: number | null;
    transcriptPercent: number | null;
    accountPurgedAt: Date | null;
    ownPurgedAt: Date | null;
  }>;

const callers = `SELECT ${KEY_COLUMNS}, u.is_suspended OR coalesce(o.is_suspended, false) AS "isSuspended", k.spend_limit_since AS "spendLimitSince",
     b.is_enabled AS "isBreakerEnabled", b.minute_nano_usd AS "breakerMinuteNanoUsd",
     b.hour_nano_usd AS "breakerHourNanoUsd", b.enabled_at AS "breakerEnabledAt",
     (o.settings->>'cacheTtlSeconds')::integer AS "orgCacheTtlSeconds",
     coalesce((o.settings->>'cacheShared')::boolean, false) AS "isCacheShared",
     (o.settings->'transcripts'->>'days')::integer AS "transcriptDays",
     (o.settings->'transcripts'->>'samplePercent')::integer AS "transcriptPercent",
     (SELECT p.purged_at FROM answer_purges p WHERE p.account_id = k.account_id AND p.user_id = '') AS "accountPurgedAt",
     (SELECT p.purged_at FROM answer_purges p WHERE p.account_id = k.account_id AND p.user_id = k.user_id) AS "ownPurgedAt"
   FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN organizations o ON o.id = k.account_id
     LEFT JOIN user_breakers b ON b.user_id = k.user_id
`;

const findCallerStatement = sql('identity_find_caller', `${callers} WHERE k.hash = $1`);
const findByIdStatement = sql('identity_find_caller_of_key', `${callers} WHERE k.id = $1`);

export const findCallerByHash = (queryable: Queryable, hash: Buffer): Promise<CallerRow | null> =>
  firstRow(queryable, findCallerStatement, [hash]);

export const findCallerByKeyId = (queryable: Queryable, keyId: string): Promise<CallerRow | null> =>
  firstRow(queryable, findByIdStatement, [keyId]);
