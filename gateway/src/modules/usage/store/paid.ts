// What was charged to an account from a day on, from the daily sums.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const paidStatement = sql(
  'usage_paid_since',
  `SELECT coalesce(sum(cost_nano_usd), 0)::bigint AS paid FROM usage_daily_now WHERE account_id = $1 AND day >= $2::date`,
);

export async function readPaid(queryable: Queryable, accountId: string, firstDay: string): Promise<NanoUsd> {
  const [row] = await queryable.query<{ paid: NanoUsd }>(paidStatement, [accountId, firstDay]);
  return row?.paid ?? 0n;
}
