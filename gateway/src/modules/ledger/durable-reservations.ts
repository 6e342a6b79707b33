// Reservations for jobs that outlive a call, such as videos. They are made in memory under every cap like any other and
// then moved into a row, so that any process can end them later. Nothing is queued here: a job that cannot reach the
// database tries again, and each ending counts once.

import type { GenerationRecord } from '../../canonical/generation.ts';
import type { PriceList } from '../../canonical/price.ts';
import { teamOfCaps } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import { errorCode, isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database } from '../../platform/db/database.ts';
import { commitEntries } from './commit-settlements.ts';
import { knownCounter } from './fund.ts';
import {
  type DurableCharge,
  type DurableReservation,
  ledgerUnavailable,
  type Settlement,
  type Within,
} from './ledger.ts';
import type { OpenReservation } from './open-reservation.ts';
import { priceSnapshot } from './price-usage.ts';
import { type SettlementEntry, settlementEntry } from './settlement-entry.ts';
import {
  type EndedRow,
  insertReservation,
  type NewReservationRow,
  readReservation,
  releaseReservation,
  settleReservation,
} from './store/reservations.ts';

const UNIQUE_VIOLATION = '23505';
/** Charges of durable reservations are not taken from the slice of any process. */
const NO_PROCESS = '';

/** Moves a reservation from memory into a row. It ends in memory, whether or not the row was written. */
export async function moveToRow(
  held: OpenReservation,
  order: DurableReservation,
  parts: Readonly<{ database: Database; processId: () => string; within: Within }>,
): Promise<void> {
  const { database, processId, within } = parts;
  try {
    await database.transaction(async (transaction) => {
      // The row locks the account, so it is written last and the lock is short.
      await within(transaction);
      const isStanding = held.isStanding && (await insertReservation(transaction, processId(), newRow(held, order)));
      if (!isStanding) throw ledgerUnavailable('this process was swept before the reservation was written');
    });
  } catch (error) {
    // When the database's answer was lost the row may exist, so the amount is not used here again.
    if (isConnectionFailure(error)) held.leave(false);
    else held.release();
    const isRepeated = errorCode(error) === UNIQUE_VIOLATION && (await isSameReservation(database, order));
    if (!isRepeated) throw error;
    return;
  }
  held.leave(true);
}

function newRow(held: OpenReservation, order: DurableReservation): NewReservationRow {
  const { caps, ...row } = order;
  return {
    ...row,
    counterIds: held.caps.map(({ slice }) => knownCounter(slice.fund)),
    counterParts: held.caps.map(({ heldNanoUsd }) => heldNanoUsd),
    teamId: teamOfCaps(caps),
  };
}

/** The same order given twice, perhaps because its first answer was lost, has one effect; another one is refused. */
export async function isSameReservation(database: Database, order: DurableReservation): Promise<boolean> {
  const earlier = await readReservation(database, order.id);
  if (earlier === null) return false;
  if (earlier.accountId === order.accountId && earlier.amountNanoUsd === order.amountNanoUsd) return true;
  throw new ApiError('http_409', 'This id was already used for another reservation.');
}

/** Null when the reservation was released or has expired: then nothing is charged. */
export async function settleRow(
  database: Database,
  id: string,
  record: GenerationRecord,
  { priceList, mayExceedReservation = false }: DurableCharge,
): Promise<Settlement | null> {
  assert(record.id === id, 'a record belongs to the reservation that it ends');
  const { accountId, costNanoUsd } = record;
  assert(costNanoUsd >= 0n, 'a cost is never negative');
  const chargedNanoUsd = await database.transaction(async (transaction) => {
    const ended = await settleReservation(transaction, { id, accountId, costNanoUsd, mayExceedReservation });
    if (ended === null) return null;
    const entry = entryOf(record, ended, priceList);
    const charged = await commitEntries(transaction, NO_PROCESS, [entry]);
    const amount = charged.get(id)?.chargedNanoUsd ?? 0n;
    assert(amount === ended.chargedNanoUsd, 'a charge within its reservation is made in full');
    return amount;
  });
  if (chargedNanoUsd !== null) return { chargedNanoUsd, absorbedNanoUsd: costNanoUsd - chargedNanoUsd };
  const standing = await readReservation(database, id);
  if (standing === null || standing.accountId !== accountId || standing.chargedNanoUsd === null) return null;
  return { chargedNanoUsd: standing.chargedNanoUsd, absorbedNanoUsd: costNanoUsd - standing.chargedNanoUsd };
}

function entryOf(record: GenerationRecord, ended: EndedRow, priceList: PriceList | undefined): SettlementEntry {
  const chargeNanoUsd = ended.chargedNanoUsd ?? 0n;
  const snapshot = priceList === undefined ? null : priceSnapshot(priceList);
  const { row } = settlementEntry(record, { chargeNanoUsd, priceList: snapshot, caps: [], teamId: ended.teamId });
  if (chargeNanoUsd === 0n || ended.counterIds.length === 0) return { row, priceList: snapshot };
  const counterIds = ended.counterIds.map(String);
  return { row: { ...row, counter_ids: counterIds, counter_parts: counterIds.map(() => '0') }, priceList: snapshot };
}

/** False when the reservation had ended already. */
export function releaseRow(
  database: Database,
  id: string,
  reason: string,
  record: GenerationRecord | undefined,
): Promise<boolean> {
  if (record !== undefined) {
    assert(record.id === id, 'a record belongs to the reservation that it ends');
    assert(record.costNanoUsd === 0n, 'a released call costs nothing');
  }
  return database.transaction(async (transaction) => {
    const ended = await releaseReservation(transaction, id, reason);
    if (ended === null) return false;
    if (record !== undefined) await commitEntries(transaction, NO_PROCESS, [entryOf(record, ended, undefined)]);
    return true;
  });
}
