// Counters of caps in the database: what was spent in a window, and the slices of what may still be. Like those on
// accounts, each statement locks the counter's row and takes every figure from the locked row.

import type { SpendCap } from '../../../canonical/spend-cap.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

// What the records say about a window. Roll-ups have it by the day; minutes and hours are added up from the records
// themselves, which is little when a window has just begun, as it mostly has when its counter is opened. A condition
// that is not given is a constant when the statement is planned, so each kind of cap gets the index that suits it.
const COVERED = `($4::text is null or key_id = $4) and ($5::text is null or account_id = $5)
       and ($6::text[] is null or user_id = any ($6))`;

const SPENT_IN_WINDOW = `coalesce(case
   when $1::text in ('minute', 'hour') then (
     select sum(cost_nano_usd) from generations
     where created_at >= $2::timestamptz and created_at < $3::timestamptz
       and ${COVERED})
   else (
     select sum(cost_nano_usd) from usage_daily
     where day >= ($2::timestamptz at time zone 'UTC')::date
       and ($3::timestamptz is null or day < ($3::timestamptz at time zone 'UTC')::date)
       and ${COVERED})
   end, 0)::bigint`;

const openStatement = sql(
  'ledger_open_counter',
  `with known as materialized (
     select id from spend_counters where name = $7
   ), opened as (
     insert into spend_counters (
       name, scope, scope_id, time_window, window_start, window_end, seeded_nano_usd, spent_nano_usd
     )
     select $7, $8, $9, $1::text, $2::timestamptz, $3::timestamptz, seed.amount, seed.amount
     from (select ${SPENT_IN_WINDOW} as amount) seed
     where not exists (select from known)
     on conflict (name) do nothing
     returning id
   )
   select id from known union all select id from opened`,
);

const readStatement = sql(
  'ledger_read_counter',
  `select coalesce((select spent_nano_usd from spend_counters where name = $7), ${SPENT_IN_WINDOW}) as "spentNanoUsd"`,
);

const AVAILABLE = '($5::bigint - locked.spent_nano_usd - locked.leased_nano_usd)';

const leaseStatement = sql(
  'ledger_lease_counter_slice',
  `with me as materialized (
     select id from processes where id = $2 for key share
   ), locked as materialized (
     select c.id, c.spent_nano_usd, c.leased_nano_usd
     from me cross join spend_counters c where c.id = $1::bigint for update of c
   ), lease as materialized (
     select locked.id, free.available,
            case when free.available < $4::bigint then 0
                 else least(free.available, greatest($3::bigint, (free.available + 1) / 2)) end as amount
     from locked cross join lateral (select ${AVAILABLE} as available) free
   ), sliced as (
     insert into counter_slices as s (counter_id, process_id, amount_nano_usd)
     select lease.id, me.id, lease.amount from lease cross join me where lease.amount > 0
     on conflict (counter_id, process_id) do update
     set amount_nano_usd = s.amount_nano_usd + excluded.amount_nano_usd
   ), raised as (
     update spend_counters c
     set spent_nano_usd = locked.spent_nano_usd, leased_nano_usd = locked.leased_nano_usd + lease.amount
     from lease join locked on locked.id = lease.id
     where c.id = locked.id and lease.amount > 0
   )
   select me.id is not null as "isRegistered",
          locked.id is not null as "isKnown",
          lease.amount as "grantedNanoUsd",
          lease.available - lease.amount as "remainingNanoUsd",
          locked.leased_nano_usd as "leasedBeforeNanoUsd"
   from (values (1)) one (n)
   left join me on true left join locked on true left join lease on true`,
);

const lowerStatement = sql(
  'ledger_lower_counter_slices',
  `with returned as materialized (
     select counter_id, amount from json_to_recordset($2::json) as t (counter_id bigint, amount bigint)
   ), locked as materialized (
     select c.id, c.spent_nano_usd, c.leased_nano_usd from spend_counters c
     where c.id = any (array (select counter_id from returned)) order by c.id for update
   ), own as materialized (
     select s.counter_id, s.amount_nano_usd - r.amount as left_over, r.amount
     from locked join counter_slices s on s.counter_id = locked.id join returned r on r.counter_id = locked.id
     where s.process_id = $1 for update of s
   ), lowered as (
     update counter_slices s set amount_nano_usd = own.left_over
     from own where s.counter_id = own.counter_id and s.process_id = $1
   )
   update spend_counters c
   set spent_nano_usd = locked.spent_nano_usd, leased_nano_usd = locked.leased_nano_usd - own.amount
   from own join locked on locked.id = own.counter_id
   where c.id = locked.id`,
);

const dropStatement = sql(
  'ledger_drop_counter_slices',
  `with locked as materialized (
     select c.id, c.spent_nano_usd, c.leased_nano_usd from spend_counters c
     where c.id = any ($2::bigint[]) order by c.id for update
   ), dropped as (
     delete from counter_slices s using locked
     where s.counter_id = locked.id and s.process_id = $1
     returning s.counter_id, s.amount_nano_usd
   )
   update spend_counters c
   set spent_nano_usd = locked.spent_nano_usd, leased_nano_usd = locked.leased_nano_usd - dropped.amount_nano_usd
   from dropped join locked on locked.id = dropped.counter_id
   where c.id = locked.id`,
);

// Two days leave time for settlements that come late from a journal. One that comes later still is charged all the
// same; only the counter, which nobody asks about any more, does not hear of it.
const forgetStatement = sql(
  'ledger_forget_counters',
  `delete from spend_counters c using (
     select id from spend_counters
     where window_end < now() - interval '2 days' and leased_nano_usd = 0
     order by window_end limit 5000 for update skip locked
   ) ended
   where c.id = ended.id and not exists (select from counter_slices s where s.counter_id = c.id)
   returning c.id`,
);

/** A window of a cap, as a counter of it is named and seeded. */
export type CounterWindow = Readonly<{ id: string; cap: SpendCap; startMs: number; endMs: number }>;

function windowValues({ id, cap, startMs, endMs }: CounterWindow): unknown[] {
  const { keyId, accountId, userIds } = cap.covers;
  const end = Number.isFinite(endMs) ? new Date(endMs) : null;
  return [cap.window, new Date(startMs), end, keyId ?? null, accountId ?? null, userIds ?? null, id];
}

/** Answers the counter's id, whoever opened it first. */
export async function openCounter(queryable: Queryable, window: CounterWindow): Promise<string> {
  const values = [...windowValues(window), window.cap.scope, window.cap.scopeId];
  for (;;) {
    const [row] = await queryable.query<{ id: bigint }>(openStatement, values);
    if (row !== undefined) return row.id.toString();
    // Another process opened it between this statement's look and its insert: the next look finds it.
  }
}

export async function readCounter(queryable: Queryable, window: CounterWindow): Promise<NanoUsd> {
  const [row] = await queryable.query<{ spentNanoUsd: NanoUsd }>(readStatement, windowValues(window));
  return row?.spentNanoUsd ?? 0n;
}

export type CounterLeaseRequest = Readonly<{
  counterId: string;
  limitNanoUsd: NanoUsd;
  processId: string;
  missingNanoUsd: NanoUsd;
  leastNanoUsd: NanoUsd;
}>;

export type CounterLeaseRow = Readonly<{
  isRegistered: boolean;
  /** False, and the figures null, when there is no such counter. */
  isKnown: boolean;
  grantedNanoUsd: NanoUsd | null;
  remainingNanoUsd: NanoUsd | null;
  leasedBeforeNanoUsd: NanoUsd | null;
}>;

export async function leaseCounterSlice(queryable: Queryable, request: CounterLeaseRequest): Promise<CounterLeaseRow> {
  const { counterId, processId, missingNanoUsd, leastNanoUsd, limitNanoUsd } = request;
  const values = [counterId, processId, missingNanoUsd, leastNanoUsd, limitNanoUsd];
  const rows = await queryable.query<CounterLeaseRow>(leaseStatement, values);
  return rows[0] as CounterLeaseRow;
}

export type CounterSliceReturn = Readonly<{ counterId: string; amountNanoUsd: NanoUsd }>;

export async function lowerCounterSlices(
  queryable: Queryable,
  processId: string,
  returns: readonly CounterSliceReturn[],
): Promise<void> {
  const batch = returns.map(({ counterId, amountNanoUsd }) => ({
    counter_id: counterId,
    amount: amountNanoUsd.toString(),
  }));
  await queryable.query(lowerStatement, [processId, JSON.stringify(batch)]);
}

export async function dropCounterSlices(
  queryable: Queryable,
  processId: string,
  counterIds: readonly string[],
): Promise<void> {
  await queryable.query(dropStatement, [processId, counterIds]);
}

/** Removes counters of windows that are long over, and tells how many. */
export async function forgetCounters(queryable: Queryable): Promise<number> {
  return (await queryable.query(forgetStatement)).length;
}
