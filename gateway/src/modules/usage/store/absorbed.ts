// Cost that nobody paid, for the operator, who sees all accounts. It has sums of its own, with rows only for those who
// caused any.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type AbsorbedRow = Readonly<{
  user_id: string;
  reason: string;
  requests: bigint;
  absorbed_nano_usd: bigint;
  /** Of all users, those that are not listed included. */
  total_nano_usd: bigint;
}>;

const USERS_MAX = 1_000;

const absorbedStatement = sql(
  'usage_absorbed_by_user',
  `WITH users AS (
     SELECT user_id, sum(absorbed_nano_usd) AS amount, sum(sum(absorbed_nano_usd)) OVER () AS total
     FROM usage_absorbed GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT ${USERS_MAX}
   )
   SELECT a.user_id, a.reason, sum(a.requests)::bigint AS requests,
     sum(a.absorbed_nano_usd)::bigint AS absorbed_nano_usd, users.total::bigint AS total_nano_usd
   FROM users JOIN usage_absorbed a ON a.user_id = users.user_id
   GROUP BY a.user_id, a.reason, users.amount, users.total
   ORDER BY users.amount DESC, a.user_id, 4 DESC, a.reason`,
);

export function readAbsorbed(queryable: Queryable): Promise<AbsorbedRow[]> {
  return queryable.query<AbsorbedRow>(absorbedStatement);
}
