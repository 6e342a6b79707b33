// The ledger itself: reservations from slices in memory, settlements through the group commit. The paths that a call
// takes when its slice suffices are synchronous; whatever waits is in a method of its own.

import type { GenerationRecord } from '../../canonical/generation.ts';
import type { PriceList } from '../../canonical/price.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { HeldReservation } from './held-reservation.ts';
import type { AccountView, Ledger, LedgerCheck, LedgerStatus, Reservation, Settlement } from './ledger.ts';
import { asError, insufficientCredits, ledgerUnavailable } from './ledger-error.ts';
import { PendingSettlement } from './pending-settlement.ts';
import { priceSnapshot } from './price-snapshot.ts';
import type { ProcessSession } from './process-session.ts';
import { settlementEntry } from './settlement-entry.ts';
import type { SettlementWriter } from './settlement-writer.ts';
import { type AccountSlice, lesser } from './slice.ts';
import type { SliceTable } from './slice-table.ts';
import {
  type AccountRow,
  type Credit,
  insertAccount,
  insertCredit,
  readAccount,
  readCredit,
} from './store/accounts.ts';
import type { Audit } from './store/check.ts';

const PATIENCE_MS = 2_000;
const CLAIM_PATIENCE_MS = 150;
/** At the end of a call: long enough for one lease and one round of asking other processes. */
const COVER_PATIENCE_MS = 400;
const BALANCES_TOPIC = 'balances';

export type PrepaidLedgerParts = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  session: ProcessSession;
  slices: SliceTable;
  writer: SettlementWriter;
  audit: () => Promise<Audit>;
  /** Stops the sweeping and returns what this process has leased. */
  leave: () => Promise<void>;
}>;

const NO_ACCOUNT: AccountRow = { balanceNanoUsd: 0n, totalCreditedNanoUsd: 0n, totalSpentNanoUsd: 0n };

export class PrepaidLedger implements Ledger {
  readonly #parts: PrepaidLedgerParts;
  #openReservations = 0;
  #isClosed = false;

  constructor(parts: PrepaidLedgerParts) {
    this.#parts = parts;
    parts.notices.subscribe(BALANCES_TOPIC, (accountId) => parts.slices.forgetBalances(accountId));
    parts.notices.onGap(() => parts.slices.forgetBalances(null));
  }

  reserve(accountId: string, generationId: string, amountNanoUsd: NanoUsd): Reservation | Promise<Reservation> {
    assert(amountNanoUsd >= 0n, 'a reservation is never negative');
    if (!this.#isServing()) return this.#reserveWhenClaimed(accountId, generationId, amountNanoUsd);
    const slice = this.#use(accountId);
    if (!slice.take(amountNanoUsd)) return this.#reserveByLease(slice, generationId, amountNanoUsd);
    if (slice.isRunningLow) this.#parts.slices.renew(slice);
    return this.#opened(slice, generationId, amountNanoUsd);
  }

  extend(reservation: Reservation, byNanoUsd: NanoUsd): boolean | Promise<boolean> {
    const held = this.#held(reservation);
    assert(held.isOpen, 'only an open reservation is extended');
    assert(byNanoUsd >= 0n, 'an extension is never negative');
    const { slice } = held;
    slice.lastUsedMs = this.#parts.clock.monotonicMs();
    if (slice.isVoid || !slice.take(byNanoUsd)) return this.#extendByLease(held, byNanoUsd);
    if (slice.isRunningLow) this.#parts.slices.renew(slice);
    held.raise(byNanoUsd);
    return true;
  }

  async settle(reservation: Reservation, record: GenerationRecord, priceList?: PriceList): Promise<Settlement> {
    const held = this.#held(reservation);
    assertFits(record, held);
    held.end();
    this.#openReservations -= 1;
    if (held.slice.isVoid || held.amountNanoUsd() < record.costNanoUsd) await this.#cover(held, record.costNanoUsd);
    const heldNanoUsd = held.amountNanoUsd();
    const chargeNanoUsd = lesser(record.costNanoUsd, heldNanoUsd);
    const { slice } = held;
    slice.beginSettling(heldNanoUsd, chargeNanoUsd);
    const pending = new PendingSettlement({
      entry: settlementEntry(record, chargeNanoUsd, priceList === undefined ? null : priceSnapshot(priceList)),
      chargeNanoUsd,
      costNanoUsd: record.costNanoUsd,
      slice,
    });
    this.#parts.writer.add(pending);
    return pending.settlement;
  }

  release(reservation: Reservation, record: GenerationRecord | null): void {
    const held = this.#held(reservation);
    if (record !== null) {
      assertFits(record, held);
      assert(record.costNanoUsd === 0n, 'a released call costs nothing');
    }
    held.end();
    this.#openReservations -= 1;
    held.slice.beginSettling(held.amountNanoUsd(), 0n);
    held.slice.close();
    if (record !== null) this.#parts.writer.addRecord(settlementEntry(record, 0n, null));
  }

  balance(accountId: string): NanoUsd | Promise<NanoUsd> {
    const known = this.#parts.slices.find(accountId)?.balanceNanoUsd ?? null;
    return known ?? this.#readBalance(accountId);
  }

  async account(accountId: string): Promise<AccountView> {
    return (await this.#ask(readAccount(this.#parts.database, accountId))) ?? NO_ACCOUNT;
  }

  async openAccount(queryable: Queryable, accountId: string): Promise<void> {
    await insertAccount(queryable, accountId);
  }

  async credit(input: Credit): Promise<NanoUsd> {
    assert(input.amountNanoUsd >= 0n, 'a credit is never negative');
    const { database, notices, slices, logger } = this.#parts;
    const credited = await this.#ask(insertCredit(database, input));
    if (credited === null) throw new ApiError('http_404', 'There is no such account.');
    if (!credited.isNew) await this.#assertSameCredit(input);
    slices.forgetBalances(input.accountId);
    notices.publish(BALANCES_TOPIC, input.accountId).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'a credit was not announced');
    });
    return credited.balanceNanoUsd;
  }

  async check(): Promise<LedgerCheck> {
    const audit = await this.#ask(this.#parts.audit());
    return {
      ok: audit.discrepancies.length === 0,
      accounts: audit.accounts,
      entries: audit.entries,
      heldReservations: audit.heldReservations + this.#openReservations,
      discrepancies: audit.discrepancies,
    };
  }

  status(): LedgerStatus {
    const { writer, slices } = this.#parts;
    return {
      isServing: this.#isServing(),
      openReservations: this.#openReservations,
      slices: slices.size,
      queuedSettlements: writer.queuedCount,
      journaledSettlements: writer.journaledCount,
      droppedRecords: writer.droppedRecords,
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#parts.writer.close();
    await this.#parts.leave();
  }

  #isServing(): boolean {
    const { session, writer, database } = this.#parts;
    return !this.#isClosed && !writer.isAway && session.isClaimed() && database.isReachable();
  }

  #use(accountId: string): AccountSlice {
    const slice = this.#parts.slices.open(accountId);
    slice.lastUsedMs = this.#parts.clock.monotonicMs();
    return slice;
  }

  #opened(slice: AccountSlice, generationId: string, amountNanoUsd: NanoUsd): HeldReservation {
    this.#openReservations += 1;
    return new HeldReservation(generationId, slice, amountNanoUsd);
  }

  #held(reservation: Reservation): HeldReservation {
    assert(reservation instanceof HeldReservation, 'a reservation comes from this ledger');
    return reservation;
  }

  #reserveWhenClaimed(accountId: string, generationId: string, amountNanoUsd: NanoUsd): Promise<Reservation> {
    const { session, writer, database, clock } = this.#parts;
    if (this.#isClosed || writer.isAway || !database.isReachable()) throw ledgerUnavailable('the database is away');
    // Only the claim on slices is interrupted, which takes milliseconds to repair when the server is up.
    return Promise.race([session.settled(), clock.sleep(CLAIM_PATIENCE_MS)]).then(() => {
      if (!this.#isServing()) throw ledgerUnavailable('the claim on slices is interrupted');
      return this.reserve(accountId, generationId, amountNanoUsd);
    });
  }

  async #reserveByLease(slice: AccountSlice, generationId: string, amountNanoUsd: NanoUsd): Promise<Reservation> {
    const request = { amountNanoUsd, acceptsLess: false, patienceMs: PATIENCE_MS };
    const heldNanoUsd = await this.#parts.slices.acquire(slice, request);
    if (heldNanoUsd === null) throw insufficientCredits(slice.kind);
    return this.#opened(slice, generationId, amountNanoUsd);
  }

  async #extendByLease(held: HeldReservation, byNanoUsd: NanoUsd): Promise<boolean> {
    // What is held under a void slice is backed by nothing, so the whole amount is taken anew.
    const slice = held.slice.isVoid ? this.#use(held.accountId) : held.slice;
    const wantedNanoUsd = held.slice.isVoid ? held.amountNanoUsd() + byNanoUsd : byNanoUsd;
    const request = { amountNanoUsd: wantedNanoUsd, acceptsLess: false, patienceMs: PATIENCE_MS };
    const isHeld = slice.take(wantedNanoUsd) || (await this.#parts.slices.acquire(slice, request)) !== null;
    if (!isHeld) return false;
    // The call may have ended, or its slice may be void, since it began to wait: then what was taken goes back.
    const isMoving = held.slice.isVoid && held.slice !== slice;
    if (!held.isOpen || (held.slice !== slice && !isMoving)) {
      slice.beginSettling(wantedNanoUsd, 0n);
      return false;
    }
    if (isMoving) held.moveTo(slice);
    else slice.beginSettling(wantedNanoUsd - byNanoUsd, 0n);
    held.raise(isMoving ? wantedNanoUsd : byNanoUsd);
    return true;
  }

  /** Raises a hold to the cost if the account can carry it, else to what it can. The rest will be absorbed. */
  async #cover(held: HeldReservation, costNanoUsd: NanoUsd): Promise<void> {
    const slice = held.slice.isVoid ? this.#use(held.accountId) : held.slice;
    const missingNanoUsd = held.slice.isVoid ? costNanoUsd : costNanoUsd - held.amountNanoUsd();
    const request = { amountNanoUsd: missingNanoUsd, acceptsLess: true, patienceMs: COVER_PATIENCE_MS };
    try {
      const takenNanoUsd = slice.take(missingNanoUsd)
        ? missingNanoUsd
        : ((await this.#parts.slices.acquire(slice, request)) ?? 0n);
      if (held.slice !== slice) held.moveTo(slice);
      held.raise(takenNanoUsd);
    } catch (error) {
      // The call has been made: what cannot be held now is absorbed rather than refused. A void hold is charged all
      // the same, as far as the balance carries it when it is written.
      this.#parts.logger.warn({ generationId: held.generationId, error: asError(error) }, 'a cost is not covered');
      if (!held.slice.isVoid) held.raise(slice.takeUpTo(missingNanoUsd));
    }
  }

  async #readBalance(accountId: string): Promise<NanoUsd> {
    const account = await this.account(accountId);
    this.#use(accountId).balanceNanoUsd = account.balanceNanoUsd;
    return account.balanceNanoUsd;
  }

  async #assertSameCredit(input: Credit): Promise<void> {
    const earlier = await this.#ask(readCredit(this.#parts.database, input.reference));
    if (earlier?.accountId === input.accountId && earlier.amountNanoUsd === input.amountNanoUsd) return;
    throw new ApiError('http_409', 'This reference was already used for another credit.');
  }

  async #ask<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (isConnectionFailure(error)) throw ledgerUnavailable('the database is away', error);
      throw error;
    }
  }
}

function assertFits(record: GenerationRecord, held: HeldReservation): void {
  const isSame = record.id === held.generationId && record.accountId === held.accountId;
  assert(isSame, 'a record belongs to the reservation that it ends');
  const { subtotalNanoUsd, costNanoUsd, absorbedNanoUsd } = record;
  assert(subtotalNanoUsd >= 0n && costNanoUsd >= 0n && absorbedNanoUsd >= 0n, 'a cost is never negative');
}
