// The statements on people's own spend breakers.

import type { BreakerChange, BreakerLayer } from '../../../canonical/breaker.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type BreakerRow = BreakerLayer & Readonly<{ enabledAt: Date }>;

const COLUMNS = `is_enabled AS "isEnabled", minute_nano_usd AS "minuteNanoUsd", hour_nano_usd AS "hourNanoUsd",
  enabled_at AS "enabledAt"`;

const findBreakerStatement = sql('identity_find_breaker', `SELECT ${COLUMNS} FROM user_breakers WHERE user_id = $1`);

// A field whose flag is false keeps its value. Spending is counted from the moment the breaker is switched on.
const changeBreakerStatement = sql(
  'identity_change_breaker',
  `INSERT INTO user_breakers AS b (user_id, is_enabled, minute_nano_usd, hour_nano_usd)
   VALUES ($1, $3, $5, $7)
   ON CONFLICT (user_id) DO UPDATE SET
     is_enabled = CASE WHEN $2 THEN excluded.is_enabled ELSE b.is_enabled END,
     minute_nano_usd = CASE WHEN $4 THEN excluded.minute_nano_usd ELSE b.minute_nano_usd END,
     hour_nano_usd = CASE WHEN $6 THEN excluded.hour_nano_usd ELSE b.hour_nano_usd END,
     enabled_at = CASE WHEN $2 AND excluded.is_enabled AND NOT coalesce(b.is_enabled, false) THEN now()
                       ELSE b.enabled_at END
   RETURNING ${COLUMNS}`,
);

export const findBreaker = (queryable: Queryable, userId: string): Promise<BreakerRow | null> =>
  firstRow(queryable, findBreakerStatement, [userId]);

export async function changeBreaker(
  queryable: Queryable,
  userId: string,
  change: BreakerChange,
): Promise<BreakerRow | null> {
  const fields = [change.isEnabled, change.minuteNanoUsd, change.hourNanoUsd];
  const values = fields.flatMap((value) => [value !== undefined, value ?? null]);
  return firstRow<BreakerRow>(queryable, changeBreakerStatement, [userId, ...values]);
}
