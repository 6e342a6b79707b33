// The emergency brake's settings: one row for the whole platform.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const COLUMNS = `b.is_enabled as "isEnabled", b.minute_nano_usd as "minuteNanoUsd", b.hour_nano_usd as "hourNanoUsd",
  b.enabled_at as "enabledAt"`;

const readStatement = sql('ledger_read_brake', `select ${COLUMNS} from spend_brake b where b.only_row`);

// A field whose flag is false keeps its value. A brake that is on must watch something, or nothing changes.
const changeStatement = sql(
  'ledger_change_brake',
  `update spend_brake b
   set is_enabled = next.is_enabled, minute_nano_usd = next.minute_nano_usd, hour_nano_usd = next.hour_nano_usd,
       enabled_at = case when next.is_enabled and not b.is_enabled then now() else b.enabled_at end
   from (
     select case when $1 then $2::boolean else is_enabled end as is_enabled,
            case when $3 then $4::bigint else minute_nano_usd end as minute_nano_usd,
            case when $5 then $6::bigint else hour_nano_usd end as hour_nano_usd
     from spend_brake where only_row for update
   ) next
   where b.only_row and (not next.is_enabled or next.minute_nano_usd is not null or next.hour_nano_usd is not null)
   returning ${COLUMNS}`,
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
  const [row] = await queryable.query<BrakeRow>(changeStatement, values);
  return row ?? null;
}
