// Looks for causes of notices in the tables of other modules, which it only reads: calls pay nothing for it, and a kind
// of cause that nobody wants to be told of is not looked for.

import type { NoticeKind } from '../../../contract/notices.ts';
import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import { formatUsd } from '../../../platform/money.ts';
import type { Cause, NoticeFacts, NoticeOwner } from '../owner.ts';

const PER_ROUND_MAX = 500;

/** Who wants notices of this kind, and since when. */
const wanting = (kind: NoticeKind): string => `
  SELECT owner_kind, owner_id, min(created_at) AS since FROM notice_addresses
  WHERE is_enabled AND '${kind}' = ANY (kinds)
  GROUP BY owner_kind, owner_id`;

/** `found` selects owner_kind, owner_id, cause, facts and address_id; $1 is the time. */
function causes(name: string, kind: NoticeKind, found: string): Readonly<{ kind: NoticeKind; statement: Statement }> {
  const statement = sql(
    `notice_causes_${name}`,
    `WITH w AS (${wanting(kind)}), found AS (${found})
     SELECT f.owner_kind AS "ownerKind", f.owner_id AS "ownerId", f.cause, f.facts, f.address_id AS "addressId"
     FROM found f
     WHERE NOT EXISTS (SELECT FROM notices n WHERE n.owner_kind = f.owner_kind AND n.owner_id = f.owner_id
                       AND n.kind = '${kind}' AND n.cause = f.cause)
     LIMIT ${PER_ROUND_MAX}`,
  );
  return { kind, statement };
}

const NOBODY_IN_PARTICULAR = 'NULL::text AS address_id';

/** A limit, what counts against it, and its name for people. */
const budgetOf = (scope: string, limits: string, window: string): string => `
  SELECT l.owner_kind, l.owner_id,
         concat_ws('/', '${scope}', l.scope_id, extract(epoch FROM c.window_start)::bigint, l.limit_nano, p.percent) AS cause,
         jsonb_build_object('scope', '${scope}', 'id', l.scope_id, 'name', l.name, 'percent', p.percent,
           'spentNanoUsd', c.spent_nano_usd::text, 'limitNanoUsd', l.limit_nano::text, 'window', c.time_window) AS facts,
         ${NOBODY_IN_PARTICULAR}
  FROM (${limits}) l
  CROSS JOIN LATERAL (
    SELECT spent_nano_usd, window_start, time_window FROM spend_counters
    WHERE scope_id = l.scope_id AND scope = '${scope}' AND time_window = ${window} AND window_start <= $1
      AND (window_end IS NULL OR window_end > $1)
    ORDER BY id DESC LIMIT 1
  ) c
  JOIN (VALUES (80), (100)) p (percent)
    ON p.percent = CASE WHEN c.spent_nano_usd >= l.limit_nano THEN 100
                        WHEN c.spent_nano_usd::numeric * 100 >= l.limit_nano::numeric * 80 THEN 80 END`;

const keyLimits = `
  SELECT w.owner_kind, w.owner_id, k.id AS scope_id, k.name, k.spend_limit_nano_usd AS limit_nano,
         CASE WHEN k.spend_limit_period IN ('day', 'daily') THEN 'day'
              WHEN k.spend_limit_period IN ('week', 'weekly') THEN 'week'
              WHEN k.spend_limit_period IN ('month', 'monthly') THEN 'month' ELSE 'never' END AS time_window
  FROM w JOIN api_keys k ON k.account_id = w.owner_id AND k.revoked_at IS NULL AND k.spend_limit_nano_usd > 0`;

const memberLimits = `
  SELECT w.owner_kind, w.owner_id, m.id AS scope_id, u.name, m.monthly_budget_nano_usd AS limit_nano
  FROM w JOIN org_members m ON m.org_id = w.owner_id AND m.monthly_budget_nano_usd > 0 JOIN users u ON u.id = m.user_id`;

const teamLimits = `
  SELECT w.owner_kind, w.owner_id, t.id AS scope_id, t.name, t.monthly_budget_nano_usd AS limit_nano
  FROM w JOIN teams t ON t.org_id = w.owner_id AND t.monthly_budget_nano_usd > 0`;

const LOOKS = [
  causes(
    'low_balance',
    'balance.low',
    // The credited sum is part of the cause, because an account that was topped up can run low again.
    `SELECT a.owner_kind, a.owner_id, concat_ws('/', a.id, a.low_balance_nano_usd, c.total_credited_nano_usd) AS cause,
            jsonb_build_object('balanceNanoUsd', (c.balance_nano_usd + c.credit_line_nano_usd)::text,
                               'thresholdNanoUsd', a.low_balance_nano_usd::text) AS facts, a.id AS address_id
     FROM notice_addresses a JOIN accounts c ON c.id = a.owner_id
     WHERE a.is_enabled AND 'balance.low' = ANY (a.kinds) AND $1::timestamptz IS NOT NULL
       AND (c.total_credited_nano_usd > 0 OR c.kind = 'monthly')
       AND c.balance_nano_usd + c.credit_line_nano_usd < a.low_balance_nano_usd`,
  ),
  causes('key_budget', 'budget.reached', budgetOf('key', keyLimits, 'l.time_window')),
  causes('member_budget', 'budget.reached', budgetOf('member', memberLimits, "'month'")),
  causes('team_budget', 'budget.reached', budgetOf('team', teamLimits, "'month'")),
  causes(
    'key_unused',
    'key.unused',
    `SELECT w.owner_kind, w.owner_id, k.id || '/' || coalesce(used.day::text, 'never') AS cause,
            jsonb_build_object('keyId', k.id, 'name', k.name, 'key', k.prefix || '…' || k.suffix, 'days', 90,
                               'lastUsedOn', used.day::text) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM w JOIN api_keys k ON k.account_id = w.owner_id AND k.revoked_at IS NULL AND k.is_enabled
       AND k.created_at < $1::timestamptz - interval '90 days' AND (k.expires_at IS NULL OR k.expires_at > $1)
     LEFT JOIN LATERAL (SELECT max(day) AS day FROM usage_daily d WHERE d.key_id = k.id) used ON true
     WHERE used.day IS NULL OR used.day < ($1::timestamptz - interval '90 days')::date`,
  ),
  causes(
    'key_expiring',
    'key.expiring',
    `SELECT w.owner_kind, w.owner_id, k.id || '/' || extract(epoch FROM k.expires_at)::bigint AS cause,
            jsonb_build_object('keyId', k.id, 'name', k.name, 'key', k.prefix || '…' || k.suffix,
                               'expiresAt', to_char(k.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS facts,
            ${NOBODY_IN_PARTICULAR}
     FROM w JOIN api_keys k ON k.account_id = w.owner_id AND k.revoked_at IS NULL AND k.is_enabled
       AND k.expires_at > $1 AND k.expires_at < $1::timestamptz + interval '7 days'`,
  ),
  causes(
    'key_leaked',
    'key.leaked',
    `SELECT w.owner_kind, w.owner_id, k.id AS cause,
            jsonb_build_object('keyId', k.id, 'name', k.name, 'key', k.prefix || '…' || k.suffix, 'place', k.leak_place,
                               'state', CASE WHEN k.is_enabled THEN 'enabled' ELSE 'disabled' END) AS facts,
            ${NOBODY_IN_PARTICULAR}
     FROM w JOIN api_keys k ON k.account_id = w.owner_id AND k.revoked_at IS NULL AND k.leaked_at <= $1`,
  ),
  causes(
    'failed_top_up',
    'top_up.failed',
    `SELECT w.owner_kind, w.owner_id, e.provider || '/' || e.event_id AS cause,
            jsonb_build_object('orderId', e.order_id, 'amountNanoUsd', o.credit_nano_usd::text, 'reason',
              CASE WHEN e.kind = 'failed' THEN 'the payment failed' ELSE e.outcome END) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM payment_events e LEFT JOIN top_up_orders o ON o.id = e.order_id
     JOIN w ON w.owner_kind = 'operator' OR (w.owner_id = o.account_id AND e.kind = 'failed')
     WHERE (e.kind = 'failed' OR e.outcome <> 'accepted') AND e.created_at > $1::timestamptz - interval '3 days'
       AND e.created_at >= w.since`,
  ),
  causes(
    'top_up_ceiling',
    'top_up.ceiling',
    // The balance is low and the next purchase would exceed the month's ceiling. A purchase under way may be the last
    // that fits. The month is that of the database's clock, by which purchases are dated and counted.
    `SELECT w.owner_kind, w.owner_id,
            concat_ws('/', t.account_id, date_trunc('month', now(), 'UTC')::date, t.month_max_nano_usd) AS cause,
            jsonb_build_object('boughtNanoUsd', m.bought::text, 'monthMaxNanoUsd', t.month_max_nano_usd::text,
                               'balanceNanoUsd', c.balance_nano_usd::text) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM w JOIN automatic_top_ups t ON t.account_id = w.owner_id AND t.is_enabled AND t.card_id IS NOT NULL
     JOIN accounts c ON c.id = t.account_id AND c.kind = 'prepaid' AND c.balance_nano_usd < t.threshold_nano_usd
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(o.credit_nano_usd), 0)::bigint AS bought,
              coalesce(bool_or(o.state IN ('created', 'paying')), false) AS is_buying
       FROM top_up_orders o WHERE o.account_id = t.account_id AND o.is_automatic AND o.state <> 'expired'
         AND o.created_at >= date_trunc('month', now(), 'UTC')
     ) m
     WHERE m.bought + t.amount_nano_usd > t.month_max_nano_usd AND NOT m.is_buying AND $1::timestamptz IS NOT NULL`,
  ),
  causes(
    'restricted',
    'account.restricted',
    `SELECT w.owner_kind, w.owner_id,
            concat_ws('/', x.account_id, x.user_id, extract(epoch FROM x.restricted_at)::bigint) AS cause,
            jsonb_build_object('accountId', x.account_id, 'userId', x.user_id, 'reason', x.restricted_reason, 'until',
              to_char(x.restricted_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM exposures x JOIN w ON w.owner_kind = 'operator' OR w.owner_id = x.account_id
     WHERE x.restricted_at >= w.since AND x.user_id <> '' AND (x.restricted_until IS NULL OR x.restricted_until > $1)`,
  ),
  causes(
    'own_upstream',
    'upstream.failing',
    `SELECT w.owner_kind, w.owner_id, b.id || '/' || ($1::timestamptz AT TIME ZONE 'UTC')::date AS cause,
            jsonb_build_object('id', b.id, 'name', b.name, 'error', b.last_error) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM w JOIN byok_keys b ON b.org_id = w.owner_id AND b.is_enabled AND b.health_status = 'unhealthy'`,
  ),
  causes(
    'feed',
    'feed.failing',
    // After five failed attempts, which takes some minutes, or when records were refused for good. Once for each time
    // that deliveries stopped.
    `SELECT w.owner_kind, w.owner_id,
            concat_ws('/', f.id, extract(epoch FROM coalesce(f.delivered_at, f.created_at))::bigint) AS cause,
            jsonb_build_object('id', f.id, 'name', f.name, 'host', f.host, 'error', f.failure, 'waiting',
              (SELECT count(*) FROM (SELECT FROM call_feed_items i WHERE i.feed_id = f.id LIMIT 100000) x)) AS facts,
            ${NOBODY_IN_PARTICULAR}
     FROM w JOIN call_feeds f ON f.owner_kind = w.owner_kind AND f.owner_id = w.owner_id
       AND f.is_enabled AND f.created_at <= $1 AND f.failure IS NOT NULL AND (f.failures >= 5 OR f.failures = 0)`,
  ),
  causes(
    'batch',
    'batch.ended',
    `SELECT w.owner_kind, w.owner_id, b.id AS cause,
            jsonb_build_object('batchId', b.id, 'status', b.status, 'lines', b.line_count) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM w JOIN batches b ON b.account_id = w.owner_id AND b.created_at > $1::timestamptz - interval '3 days'
       AND b.ended_at >= w.since`,
  ),
  causes(
    'video',
    'video.ended',
    `SELECT w.owner_kind, w.owner_id, v.id AS cause,
            jsonb_build_object('jobId', v.id, 'model', v.model_id, 'status', v.status) AS facts, ${NOBODY_IN_PARTICULAR}
     FROM w JOIN video_jobs v ON v.account_id = w.owner_id AND v.created_at > $1::timestamptz - interval '3 days'
       AND v.ended_at >= w.since`,
  ),
];

const wantedStatement = sql(
  'notice_kinds_wanted',
  'SELECT DISTINCT unnest(kinds) AS kind FROM notice_addresses WHERE is_enabled',
);

type CauseRow = Readonly<{
  ownerKind: NoticeOwner['kind'];
  ownerId: string;
  cause: string;
  facts: NoticeFacts;
  addressId: string | null;
}>;

/** The kinds of notices that anybody wants. */
export async function readWanted(queryable: Queryable): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ kind: string }>(wantedStatement);
  return new Set(rows.map(({ kind }) => kind));
}

/** The looks for causes of these kinds, each by itself: the tables of one may be too large to be read in time. */
export const looksFor = (
  queryable: Queryable,
  wanted: ReadonlySet<string>,
  nowMs: number,
): readonly (() => Promise<readonly Cause[]>)[] =>
  LOOKS.filter(({ kind }) => wanted.has(kind)).map(({ kind, statement }) => async () => {
    const rows = await queryable.query<CauseRow>(statement, [new Date(nowMs)]);
    return rows.map(({ ownerKind, ownerId, cause, facts, addressId }) => {
      const one = { owner: { kind: ownerKind, id: ownerId }, kind, cause, facts: withAmounts(facts) };
      return addressId === null ? one : { ...one, addressId };
    });
  });

/** `limitNanoUsd: "1000000000"` becomes `limitUsd: "1"`: decimal text, so that no digit is lost. */
const withAmounts = (facts: NoticeFacts): NoticeFacts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) =>
      name.endsWith('NanoUsd')
        ? [name.replace('NanoUsd', 'Usd'), value === null ? null : formatUsd(BigInt(value))]
        : [name, value],
    ),
  );
