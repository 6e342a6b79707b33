// Durable reservations: rows that hold money for jobs that outlive a call and a process. A row takes over from the
// slices of the process that took the order, and ends exactly once; the statement that ends it locks the account first
// and counters after it.

import { firstRow, hasRow, type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { AVAILABLE, LOCKED_COLUMNS, LOCKED_COUNTER_COLUMNS, setCounter, setFigures } from './locked-rows.ts';

// Moves what this process holds in memory from its slices to a row: the leased amount becomes held. The slices must
// still have the whole amount, or nothing is moved; a process that was swept has no slices.
const insertStatement = sql(
  'ledger_insert_reservation',
  `WITH me AS MATERIALIZED (
     SELECT id FROM processes WHERE id = $1 FOR KEY SHARE
   ), locked AS MATERIALIZED (
     SELECT ${LOCKED_COLUMNS} FROM me CROSS JOIN accounts a WHERE a.id = $3 AND a.kind <> 'system' FOR UPDATE OF a
   ), own AS MATERIALIZED (
     SELECT s.account_id, s.amount_nano_usd FROM locked JOIN account_slices s ON s.account_id = locked.id
     WHERE s.process_id = $1 AND s.amount_nano_usd >= $4::bigint FOR UPDATE OF s
   ), locked_counters AS MATERIALIZED (
     SELECT ${LOCKED_COUNTER_COLUMNS} FROM spend_counters c
     WHERE (SELECT count(*) FROM locked) > 0 AND c.id = ANY ($5::bigint[]) ORDER BY c.id FOR UPDATE
   ), own_counters AS MATERIALIZED (
     SELECT s.counter_id, s.amount_nano_usd, t.part
     FROM locked_counters l
     JOIN unnest($5::bigint[], $6::bigint[]) AS t (counter_id, part) ON t.counter_id = l.id
     JOIN counter_slices s ON s.counter_id = l.id
     WHERE s.process_id = $1 AND s.amount_nano_usd >= t.part FOR UPDATE OF s
   ), held AS (
     INSERT INTO reservations (
       id, account_id, amount_nano_usd, counter_ids, counter_parts, expires_at, user_id, key_id, team_id
     )
     SELECT $2, locked.id, $4::bigint, $5::bigint[], $6::bigint[], $7::timestamptz, $8, $9, $10
     FROM locked
     WHERE ($4::bigint = 0 OR EXISTS (SELECT FROM own))
       AND (SELECT count(*) FROM own_counters) = cardinality($5::bigint[])
     RETURNING id, account_id
   ), moved AS (
     UPDATE accounts a
     SET ${setFigures({ leased_nano_usd: '- $4::bigint', held_nano_usd: '+ $4::bigint' })}
     FROM held JOIN locked ON locked.id = held.account_id
     WHERE a.id = locked.id
   ), lowered AS (
     UPDATE account_slices s SET amount_nano_usd = own.amount_nano_usd - $4::bigint
     FROM held JOIN own ON own.account_id = held.account_id
     WHERE s.account_id = own.account_id AND s.process_id = $1
   ), counters_moved AS (
     UPDATE spend_counters c
     SET ${setCounter({ leased_nano_usd: '- own.part', held_nano_usd: '+ own.part' }, 'l')}
     FROM held CROSS JOIN own_counters own JOIN locked_counters l ON l.id = own.counter_id
     WHERE c.id = l.id
   ), counter_slices_lowered AS (
     UPDATE counter_slices s SET amount_nano_usd = own.amount_nano_usd - own.part
     FROM held CROSS JOIN own_counters own
     WHERE s.counter_id = own.counter_id AND s.process_id = $1
   )
   SELECT id FROM held`,
);

/** Ends the reservations that `due` selects, unless they have ended meanwhile, and gives back everything they hold. */
function endStatement(name: string, due: string, outcome: string, owed?: string): Statement {
  return sql(
    name,
    `WITH due AS MATERIALIZED (
       SELECT id, account_id, counter_ids FROM reservations WHERE state = 'held' AND ${due}
     ), locked AS MATERIALIZED (
       SELECT ${LOCKED_COLUMNS} FROM accounts a
       WHERE a.id IN (SELECT account_id FROM due) ORDER BY a.id FOR UPDATE
     ), locked_counters AS MATERIALIZED (
       SELECT ${LOCKED_COUNTER_COLUMNS} FROM spend_counters c
       WHERE (SELECT count(*) FROM locked) > 0 AND c.id = ANY (ARRAY(SELECT unnest(counter_ids) FROM due))
       ORDER BY c.id FOR UPDATE
     ), ended AS (
       UPDATE reservations r SET ended_at = now(), ${outcome}
       FROM due JOIN locked ON locked.id = due.account_id
       WHERE r.id = due.id AND r.state = 'held'
       RETURNING r.*
     ), lowered AS (
       UPDATE accounts a SET ${setFigures({ held_nano_usd: '- t.amount' }, owed)}
       FROM (SELECT account_id, sum(amount_nano_usd)::bigint AS amount FROM ended GROUP BY account_id) t
       JOIN locked ON locked.id = t.account_id
       WHERE a.id = locked.id
     ), counters_lowered AS (
       UPDATE spend_counters c SET ${setCounter({ held_nano_usd: '- t.amount' }, 'l')}
       FROM (
         SELECT p.counter_id, sum(p.part)::bigint AS amount
         FROM ended CROSS JOIN LATERAL unnest(ended.counter_ids, ended.counter_parts) AS p (counter_id, part)
         GROUP BY p.counter_id
       ) t
       JOIN locked_counters l ON l.id = t.counter_id
       WHERE c.id = l.id
     )
     SELECT id, account_id AS "accountId", amount_nano_usd AS "amountNanoUsd", charged_nano_usd AS "chargedNanoUsd",
            counter_ids AS "counterIds", team_id AS "teamId"
     FROM ended`,
  );
}

// Where allowed, a cost above the reservation takes the rest from what is neither leased nor held. Not under a cap:
// what is left of a cap is in the slices of processes, and a cap is never exceeded.
const settleStatement = endStatement(
  'ledger_settle_reservation',
  'id = $1 AND account_id = $2',
  `state = 'settled', charged_nano_usd = least($3::bigint, r.amount_nano_usd +
     CASE WHEN $4::boolean AND cardinality(r.counter_ids) = 0 THEN greatest(0, ${AVAILABLE}) ELSE 0 END)`,
  // The charge follows in the same transaction and takes what was held for it, whatever else the account owes.
  'locked.owed_nano_usd',
);

const releaseStatement = endStatement(
  'ledger_release_reservation',
  'id = $1',
  "state = 'released', ended_reason = left($2, 200)",
);

const expireStatement = endStatement(
  'ledger_expire_reservations',
  'expires_at < now() ORDER BY expires_at LIMIT 500',
  "state = 'expired', ended_reason = 'expired'",
);

const readStatement = sql(
  'ledger_read_reservation',
  `SELECT id, account_id AS "accountId", amount_nano_usd AS "amountNanoUsd", state,
          charged_nano_usd AS "chargedNanoUsd", expires_at AS "expiresAt", ended_reason AS "endedReason"
   FROM reservations
   WHERE id = $1`,
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
  return hasRow(transaction, insertStatement, values);
}

/**
 * Afterwards the held amount is available, but only to this transaction until it ends. Null when the reservation had
 * ended.
 */
export async function settleReservation(
  transaction: Queryable,
  order: Readonly<{ id: string; accountId: string; costNanoUsd: NanoUsd; mayExceedReservation: boolean }>,
): Promise<EndedRow | null> {
  const { id, accountId, costNanoUsd, mayExceedReservation } = order;
  return firstRow<EndedRow>(transaction, settleStatement, [id, accountId, costNanoUsd, mayExceedReservation]);
}

export const releaseReservation = (queryable: Queryable, id: string, reason: string): Promise<EndedRow | null> =>
  firstRow(queryable, releaseStatement, [id, reason]);

/** Returns the reservations whose time has run out to their accounts and counters, and how many there were. */
export async function expireReservations(queryable: Queryable): Promise<number> {
  return (await queryable.query(expireStatement)).length;
}

export const readReservation = (queryable: Queryable, id: string): Promise<ReservationRow | null> =>
  firstRow(queryable, readStatement, [id]);
