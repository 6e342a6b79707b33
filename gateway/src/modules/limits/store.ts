// Unpaid cost in the database: a row for each person in an account, locked while it is changed, so that processes that
// see the same cause at the same time restrict once.

import { type Queryable, sql } from '../../platform/db/database.ts';
import { forgetting } from '../../platform/db/forget.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Standing } from './exposure-rules.ts';

export type Subject = Readonly<{ accountId: string; userId: string }>;

export type StandingRow = Subject & Standing;

type Row = Subject &
  Readonly<{
    levelNanoUsd: NanoUsd;
    levelAt: Date;
    restrictions: number;
    restrictedAt: Date | null;
    restrictedUntil: Date | null;
    restrictedReason: string | null;
    extraNanoUsd: NanoUsd;
  }>;

const COLUMNS = `e.account_id AS "accountId", e.user_id AS "userId", e.level_nano_usd AS "levelNanoUsd",
  e.level_at AS "levelAt", e.restrictions, e.restricted_at AS "restrictedAt", e.restricted_until AS "restrictedUntil",
  e.restricted_reason AS "restrictedReason", e.extra_nano_usd AS "extraNanoUsd"`;

const openStatement = sql(
  'limits_open_exposures',
  `INSERT INTO exposures (account_id, user_id, level_at)
   SELECT account_id, user_id, to_timestamp($3::double precision / 1000)
   FROM unnest($1::text[], $2::text[]) AS t (account_id, user_id)
   ORDER BY 1, 2
   ON CONFLICT (account_id, user_id) DO NOTHING`,
);

const lockStatement = sql(
  'limits_lock_exposures',
  `SELECT ${COLUMNS} FROM exposures e
   JOIN unnest($1::text[], $2::text[]) AS t (account_id, user_id) USING (account_id, user_id)
   ORDER BY e.account_id, e.user_id FOR UPDATE OF e`,
);

const writeStatement = sql(
  'limits_write_exposures',
  `UPDATE exposures e SET
     level_nano_usd = t.level, level_at = to_timestamp(t.level_at / 1000), restrictions = t.restrictions,
     restricted_at = to_timestamp(t.restricted_at / 1000), restricted_until = to_timestamp(t.restricted_until / 1000),
     restricted_reason = t.reason, extra_nano_usd = t.extra
   FROM json_to_recordset($1::json) AS t (
     account_id text, user_id text, level bigint, level_at double precision, restrictions integer,
     restricted_at double precision, restricted_until double precision, reason text, extra bigint
   )
   WHERE e.account_id = t.account_id AND e.user_id = t.user_id`,
);

// A user without a level that still counts and without a past that makes the next restriction longer is left out.
const recentStatement = sql(
  'limits_recent_exposures',
  `SELECT ${COLUMNS} FROM exposures e
   WHERE (e.level_nano_usd > 0 AND e.level_at > to_timestamp($1::double precision / 1000))
      OR (e.restricted_at IS NOT NULL
          AND (e.restricted_until IS NULL OR e.restricted_until > to_timestamp($2::double precision / 1000)))
      OR e.extra_nano_usd > 0`,
);

const forget = forgetting(
  'limits_forget_exposures',
  'exposures',
  'level_at < $1 AND extra_nano_usd = 0 AND (restricted_at IS NULL OR restricted_until < $1)',
);

/** Runs in a transaction. Missing rows are made, and all stay locked until it ends. */
export async function lockStandings(
  transaction: Queryable,
  subjects: readonly Subject[],
  nowMs: number,
): Promise<StandingRow[]> {
  const accountIds = subjects.map(({ accountId }) => accountId);
  const userIds = subjects.map(({ userId }) => userId);
  await transaction.query(openStatement, [accountIds, userIds, nowMs]);
  return (await transaction.query<Row>(lockStatement, [accountIds, userIds])).map(toStanding);
}

export async function writeStandings(transaction: Queryable, standings: readonly StandingRow[]): Promise<void> {
  const rows = standings.map((standing) => ({
    account_id: standing.accountId,
    user_id: standing.userId,
    level: standing.levelNanoUsd.toString(),
    level_at: standing.levelAtMs,
    restrictions: standing.restrictions,
    restricted_at: standing.restrictedAtMs,
    restricted_until: standing.restrictedUntilMs,
    reason: standing.restrictedReason,
    extra: standing.extraNanoUsd.toString(),
  }));
  await transaction.query(writeStatement, [JSON.stringify(rows)]);
}

export type Since = Readonly<{ levelMs: number; restrictionMs: number }>;

/** All users with a level or a record that still counts. */
export async function readRecent(queryable: Queryable, { levelMs, restrictionMs }: Since): Promise<StandingRow[]> {
  return (await queryable.query<Row>(recentStatement, [levelMs, restrictionMs])).map(toStanding);
}

export async function forgetStandings(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs)]);
}

const toStanding = ({ levelAt, restrictedAt, restrictedUntil, ...row }: Row): StandingRow => ({
  ...row,
  levelAtMs: levelAt.getTime(),
  restrictedAtMs: restrictedAt?.getTime() ?? null,
  restrictedUntilMs: restrictedUntil?.getTime() ?? null,
});
