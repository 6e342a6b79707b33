// The emergency brake's settings: one row for the whole platform.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const COLUMNS = `b.is_enabled AS "isEnabled", b.minute_nano_usd AS "minuteNanoUsd", b.hour_nano_usd AS "hourNanoUsd",
  b.enabled_at AS "enabledAt"`;

const readStatement = sql('ledger_read_brake', `SELECT ${COLUMNS} FROM spend_brake b WHERE b.only_row`);

// A field whose flag is false keeps its value. A brake that is on must watch something, or nothing changes.
const changeStatement = sql(
  'ledger_change_brake',
  `UPDATE spend_brake b
   SET is_enabled = next.is_enabled, minute_nano_usd = next.minute_nano_usd, hour_nano_usd = next.hour_nano_usd,
       enabled_at = CASE WHEN next.is_enabled AND NOT b.is_enabled THEN now() ELSE b.enabled_at END
   FROM (
     SELECT CASE WHEN $1 THEN $2::boolean ELSE is_enabled END AS is_enabled,
            CASE WHEN $3 THEN $4::bigint ELSE minute_nano_usd END AS minute_nano_usd,
            CASE WHEN $5 THEN $6::bigint ELSE hour_nano_usd END AS hour_nano_usd
     FROM spend_brake WHERE only_row FOR UPDATE
   ) next
   WHERE b.only_row AND (NOT next.is_enabled OR next.minute_nano_usd IS NOT NULL OR next.hour_nano_usd IS NOT NULL)
   RETURNING ${COLUMNS}`,
);

export type BrakeRow = Readonly<{
  isEnabled: boolean;
  minuteNanoUsd: NanoUsd | null;
  hourNanoUsd: NanoUsd | null;
  enabledAt: Date;
}>;

/** A field that is left out stays as it is. */
export type BrakeChange = Readonly<{
  isEnabled?: boolean;
  minuteNanoUsd?: NanoUsd | null;
  hourNanoUsd?: NanoUsd | null;
}>;

export async function readBrake(queryable: Queryable): Promise<BrakeRow> {
  const rows = await queryable.query<BrakeRow>(readStatement);
  return rows[0] as BrakeRow;
}

/** Null, with nothing changed, when the brake would be on without a window to watch. */
export async function changeBrake(queryable: Queryable, change: BrakeChange): Promise<BrakeRow | null> {
  const fields = [change.isEnabled, change.minuteNanoUsd, change.hourNanoUsd];
  const values = fields.flatMap((value) => [value !== undefined, value ?? null]);
  return firstRow<BrakeRow>(queryable, changeStatement, values);
}
