// Absorbed cost, by user, reason and model, as the operator sees it.

import { type Queryable, sql } from '../../../platform/db/database.ts';

type AbsorbedRow = Readonly<{
  user_id: string;
  reason: string;
  /** Empty where records were dropped before sums were kept by model. */
  model_id: string;
  requests: bigint;
  absorbed_nano_usd: bigint;
  total_nano_usd: bigint;
}>;

/** At most this many users, those with the most; the total includes all. */
const USERS_MAX = 1_000;

const absorbedStatement = sql(
  'usage_absorbed_by_user',
  `WITH users AS (
     SELECT user_id, sum(absorbed_nano_usd) AS amount, sum(sum(absorbed_nano_usd)) OVER () AS total
     FROM usage_unpaid_now GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT ${USERS_MAX}
   )
   SELECT a.user_id, a.reason, a.model_id, sum(a.requests)::bigint AS requests,
     sum(a.absorbed_nano_usd)::bigint AS absorbed_nano_usd, users.total::bigint AS total_nano_usd
   FROM users JOIN usage_unpaid_now a ON a.user_id = users.user_id
   GROUP BY a.user_id, a.reason, a.model_id, users.amount, users.total
   ORDER BY users.amount DESC, a.user_id, 5 DESC, a.reason, a.model_id`,
);

export function readAbsorbed(queryable: Queryable): Promise<AbsorbedRow[]> {
  return queryable.query<AbsorbedRow>(absorbedStatement);
}
