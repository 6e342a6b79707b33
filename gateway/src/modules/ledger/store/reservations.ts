// Durable reservations: rows that hold money for jobs that outlive a call and a process. One comes out of the slices of
// the process that admitted it and ends exactly once; whoever ends it locks the account first and counters after it.

import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { AVAILABLE, LOCKED_COLUMNS, LOCKED_COUNTER_COLUMNS, setCounter, setFigures } from './locked-rows.ts';

// What this process holds in memory is in its slices, so it is moved from them: what is leased becomes held. All
// of it must still be there, or nothing is moved. A process that was swept has no slices.
const insertStatement = sql(
  'ledger_insert_reservation',
  `with me as materialized (
     select id from processes where id = $1 for key share
   ), locked as materialized (
     select ${LOCKED_COLUMNS} from me cross join accounts a where a.id = $3 and a.kind <> 'system' for update of a
   ), own as materialized (
     select s.account_id, s.amount_nano_usd from locked join account_slices s on s.account_id = locked.id
     where s.process_id = $1 and s.amount_nano_usd >= $4::bigint for update of s
   ), locked_counters as materialized (
     select ${LOCKED_COUNTER_COLUMNS} from spend_counters c
     where (select count(*) from locked) > 0 and c.id = any ($5::bigint[]) order by c.id for update
   ), own_counters as materialized (
     select s.counter_id, s.amount_nano_usd, t.part
     from locked_counters l
     join unnest($5::bigint[], $6::bigint[]) as t (counter_id, part) on t.counter_id = l.id
     join counter_slices s on s.counter_id = l.id
     where s.process_id = $1 and s.amount_nano_usd >= t.part for update of s
   ), held as (
     insert into reservations (
       id, account_id, amount_nano_usd, counter_ids, counter_parts, expires_at, user_id, key_id, team_id
     )
     select $2, locked.id, $4::bigint, $5::bigint[], $6::bigint[], $7::timestamptz, $8, $9, $10
     from locked
     where ($4::bigint = 0 or exists (select from own))
       and (select count(*) from own_counters) = cardinality($5::bigint[])
     returning id, account_id
   ), moved as (
     update accounts a
     set ${setFigures({ leased_nano_usd: '- $4::bigint', held_nano_usd: '+ $4::bigint' })}
     from held join locked on locked.id = held.account_id
     where a.id = locked.id
   ), lowered as (
     update account_slices s set amount_nano_usd = own.amount_nano_usd - $4::bigint
     from held join own on own.account_id = held.account_id
     where s.account_id = own.account_id and s.process_id = $1
   ), counters_moved as (
     update spend_counters c
     set ${setCounter({ leased_nano_usd: '- own.part', held_nano_usd: '+ own.part' }, 'l')}
     from held cross join own_counters own join locked_counters l on l.id = own.counter_id
     where c.id = l.id
   ), counter_slices_lowered as (
     update counter_slices s set amount_nano_usd = own.amount_nano_usd - own.part
     from held cross join own_counters own
     where s.counter_id = own.counter_id and s.process_id = $1
   )
   select id from held`,
);

/** Ends the reservations that `due` selects, if nobody has ended them meanwhile, and gives back all that they hold. */
function endStatement(name: string, due: string, outcome: string, owed?: string): Statement {
  return sql(
    name,
    `with due as materialized (
       select id, account_id, counter_ids from reservations where state = 'held' and ${due}
     ), locked as materialized (
       select ${LOCKED_COLUMNS} from accounts a
       where a.id in (select account_id from due) order by a.id for update
     ), locked_counters as materialized (
       select ${LOCKED_COUNTER_COLUMNS} from spend_counters c
       where (select count(*) from locked) > 0 and c.id = any (array (select unnest(counter_ids) from due))
       order by c.id for update
     ), ended as (
       update reservations r set ended_at = now(), ${outcome}
       from due join locked on locked.id = due.account_id
       where r.id = due.id and r.state = 'held'
       returning r.*
     ), lowered as (
       update accounts a set ${setFigures({ held_nano_usd: '- t.amount' }, owed)}
       from (select account_id, sum(amount_nano_usd)::bigint as amount from ended group by account_id) t
       join locked on locked.id = t.account_id
       where a.id = locked.id
     ), counters_lowered as (
       update spend_counters c set ${setCounter({ held_nano_usd: '- t.amount' }, 'l')}
       from (
         select p.counter_id, sum(p.part)::bigint as amount
         from ended cross join lateral unnest(ended.counter_ids, ended.counter_parts) as p (counter_id, part)
         group by p.counter_id
       ) t
       join locked_counters l on l.id = t.counter_id
       where c.id = l.id
     )
     select id, account_id as "accountId", amount_nano_usd as "amountNanoUsd", charged_nano_usd as "chargedNanoUsd",
            counter_ids as "counterIds", team_id as "teamId"
     from ended`,
  );
}

// Where it may, what costs more than was held takes the rest from what nobody has leased or holds. Not under a cap:
// what is left of one is in the slices of processes, and a cap is never exceeded.
const settleStatement = endStatement(
  'ledger_settle_reservation',
  'id = $1 and account_id = $2',
  `state = 'settled', charged_nano_usd = least($3::bigint, r.amount_nano_usd +
     case when $4::boolean and cardinality(r.counter_ids) = 0 then greatest(0, ${AVAILABLE}) else 0 end)`,
  // The charge follows in the same transaction and takes what was held for it, whatever is owed otherwise.
  'locked.owed_nano_usd',
);

const releaseStatement = endStatement(
  'ledger_release_reservation',
  'id = $1',
  "state = 'released', ended_reason = left($2, 200)",
);

const expireStatement = endStatement(
  'ledger_expire_reservations',
  'expires_at < now() order by expires_at limit 500',
  "state = 'expired', ended_reason = 'expired'",
);

const readStatement = sql(
  'ledger_read_reservation',
  `select id, account_id as "accountId", amount_nano_usd as "amountNanoUsd", state,
          charged_nano_usd as "chargedNanoUsd", expires_at as "expiresAt", ended_reason as "endedReason"
   from reservations where id = $1`,
);

export type NewReservationRow = Readonly<{
  id: string;
  accountId: string;
  amountNanoUsd: NanoUsd;
  counterIds: readonly string[];
  counterParts: readonly NanoUsd[];
  expiresAtMs: number;
  userId: string;
  keyId: string;
  teamId: string | null;
}>;

export type ReservationRow = Readonly<{
  id: string;
  accountId: string;
  amountNanoUsd: NanoUsd;
  state: 'held' | 'settled' | 'released' | 'expired';
  /** Null unless it was settled. */
  chargedNanoUsd: NanoUsd | null;
  expiresAt: Date;
  endedReason: string | null;
}>;

export type EndedRow = Readonly<{
  id: string;
  accountId: string;
  amountNanoUsd: NanoUsd;
  chargedNanoUsd: NanoUsd | null;
  counterIds: readonly bigint[];
  teamId: string | null;
}>;

/** False, with nothing changed, when the process's slices do not have it any more. */
export async function insertReservation(
  transaction: Queryable,
  processId: string,
  row: NewReservationRow,
): Promise<boolean> {
  const { id, accountId, amountNanoUsd, counterIds, counterParts, expiresAtMs, userId, keyId, teamId } = row;
  const held = [processId, id, accountId, amountNanoUsd, counterIds, counterParts];
  const values = [...held, new Date(expiresAtMs), userId, keyId, teamId];
  return (await transaction.query(insertStatement, values)).length === 1;
}

/** What was held is available again afterwards, to nobody else as long as the transaction lasts. Null: it had ended. */
export async function settleReservation(
  transaction: Queryable,
  order: Readonly<{ id: string; accountId: string; costNanoUsd: NanoUsd; mayExceedReservation: boolean }>,
): Promise<EndedRow | null> {
  const { id, accountId, costNanoUsd, mayExceedReservation } = order;
  const [row] = await transaction.query<EndedRow>(settleStatement, [id, accountId, costNanoUsd, mayExceedReservation]);
  return row ?? null;
}

export async function releaseReservation(queryable: Queryable, id: string, reason: string): Promise<EndedRow | null> {
  const [row] = await queryable.query<EndedRow>(releaseStatement, [id, reason]);
  return row ?? null;
}

/** Returns the reservations whose time has run out to their accounts and counters, and how many there were. */
export async function expireReservations(queryable: Queryable): Promise<number> {
  return (await queryable.query(expireStatement)).length;
}

export async function readReservation(queryable: Queryable, id: string): Promise<ReservationRow | null> {
  const [row] = await queryable.query<ReservationRow>(readStatement, [id]);
  return row ?? null;
}
