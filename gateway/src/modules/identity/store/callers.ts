// Finds the caller of a key. The key is read together with its user and its organization, because a suspension of
// either stops it, and with its holder's breaker, which limits what it may spend.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { KEY_COLUMNS, type KeyRow } from './keys.ts';

export type CallerRow = KeyRow &
  Readonly<{
    is_suspended: boolean;
    spend_limit_since: Date;
    breaker_is_enabled: boolean | null;
    breaker_minute_nano_usd: bigint | null;
    breaker_hour_nano_usd: bigint | null;
    breaker_enabled_at: Date | null;
    org_cache_ttl_seconds: number | null;
    is_cache_shared: boolean;
    transcript_days: number | null;
    transcript_percent: number | null;
    account_purged_at: Date | null;
    own_purged_at: Date | null;
  }>;

const callers = `SELECT ${KEY_COLUMNS}, u.is_suspended OR coalesce(o.is_suspended, false) AS is_suspended, k.spend_limit_since,
     b.is_enabled AS breaker_is_enabled, b.minute_nano_usd AS breaker_minute_nano_usd,
     b.hour_nano_usd AS breaker_hour_nano_usd, b.enabled_at AS breaker_enabled_at,
     (o.settings->>'cacheTtlSeconds')::integer AS org_cache_ttl_seconds,
     coalesce((o.settings->>'cacheShared')::boolean, false) AS is_cache_shared,
     (o.settings->'transcripts'->>'days')::integer AS transcript_days,
     (o.settings->'transcripts'->>'samplePercent')::integer AS transcript_percent,
     (SELECT p.purged_at FROM answer_purges p WHERE p.account_id = k.account_id AND p.user_id = '') AS account_purged_at,
     (SELECT p.purged_at FROM answer_purges p WHERE p.account_id = k.account_id AND p.user_id = k.user_id) AS own_purged_at
   FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN organizations o ON o.id = k.account_id
     LEFT JOIN user_breakers b ON b.user_id = k.user_id
`;

const findCallerStatement = sql('identity_find_caller', `${callers} WHERE k.hash = $1`);
const findByIdStatement = sql('identity_find_caller_of_key', `${callers} WHERE k.id = $1`);

export const findCallerByHash = (queryable: Queryable, hash: Buffer): Promise<CallerRow | null> =>
  firstRow(queryable, findCallerStatement, [hash]);

export const findCallerByKeyId = (queryable: Queryable, keyId: string): Promise<CallerRow | null> =>
  firstRow(queryable, findByIdStatement, [keyId]);
