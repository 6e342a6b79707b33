// The ledger itself: reservations from slices in memory, settlements through the group commit. The paths that a call
// takes when its slices suffice are synchronous; whatever waits is in a method of its own.

import type { GenerationRecord } from '../../canonical/generation.ts';
import type { PriceList } from '../../canonical/price.ts';
import { NO_CAPS, type SpendCap } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { RECLAIMS_TOPIC } from './adjustments.ts';
import type { AuditScope, LedgerAudit } from './audit.ts';
import { capRefusal } from './cap-refusal.ts';
import type { AccountSlices, CapSlices } from './cap-slices.ts';
import { isSameReservation, moveToRow, releaseRow, settleRow } from './durable-reservations.ts';
import { type AccountFund, capFund } from './fund.ts';
import {
  type AccountView,
  type DurableCharge,
  type DurableReservation,
  type DurableView,
  type Ledger,
  type LedgerCheck,
  type LedgerStatus,
  ledgerUnavailable,
  type Means,
  type Reservation,
  type ReservationRange,
  type Settlement,
  type Within,
} from './ledger.ts';
import { OpenReservation } from './open-reservation.ts';
import { priceSnapshot } from './price-usage.ts';
import type { ProcessSession } from './process-session.ts';
import type { ReservationRequest, Reserver } from './reserver.ts';
import { PendingSettlement } from './settlement-entry.ts';
import type { SettlementWriter } from './settlement-writer.ts';
import {
  type AccountRow,
  type Credit,
  insertAccount,
  insertCredit,
  readAccount,
  readCredit,
} from './store/accounts.ts';
import { readCounter } from './store/counters.ts';
import { readReservation } from './store/reservations.ts';
import { findCharges } from './store/settlements.ts';

const CLAIM_PATIENCE_MS = 150;
const BALANCES_TOPIC = 'balances';

/** Used in place of a reason where the balance or a cap covered only a part of the charge; recorded as `exhausted`. */
export const PARTLY_COVERED = 'partly_covered';

/** Called with absorbed cost as it happens. */
export type OnAbsorbed = (record: GenerationRecord, absorbedNanoUsd: NanoUsd, reason: string) => void;

/**
 * Gives the application name that a call is recorded under. The number of names is bounded, because the sums have a row
 * for each.
 */
export type AppNameOf = (accountId: string, appName: string, atMs: number) => string;

type PrepaidLedgerParts = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  session: ProcessSession;
  accounts: AccountSlices;
  caps: CapSlices;
  reserver: Reserver;
  writer: SettlementWriter;
  audit: (scope: AuditScope) => Promise<LedgerAudit>;
  lostCharges: () => number;
  /** Stops the sweeping and returns what this process has leased. */
  leave: () => Promise<void>;
  onAbsorbed: OnAbsorbed;
  appNameOf: AppNameOf;
}>;

const NOTHING_CHARGED = { chargeNanoUsd: 0n, priceList: null, caps: [] };

const NO_ACCOUNT: AccountRow = {
  kind: 'prepaid',
  balanceNanoUsd: 0n,
  spendableNanoUsd: 0n,
  totalCreditedNanoUsd: 0n,
  totalSpentNanoUsd: 0n,
};

export class PrepaidLedger implements Ledger {
  readonly #parts: PrepaidLedgerParts;
  #openReservations = 0;
  #isClosed = false;

  constructor(parts: PrepaidLedgerParts) {
    this.#parts = parts;
    parts.notices.subscribe(BALANCES_TOPIC, (accountId) => parts.accounts.forgetBalances(accountId));
    parts.notices.subscribe(RECLAIMS_TOPIC, (accountId) => parts.accounts.doubt(accountId));
    parts.notices.onGap(() => parts.accounts.doubt(null));
  }

  reserve(
    accountId: string,
    generationId: string,
    amountNanoUsd: NanoUsd,
    caps: readonly SpendCap[] = NO_CAPS,
  ): Reservation | Promise<Reservation> {
    assert(amountNanoUsd >= 0n, 'a reservation is never negative');
    const request = { accountId, generationId, amountNanoUsd, caps };
    const held = this.#isServing() ? this.#parts.reserver.reserve(request) : this.#reserveWhenClaimed(request);
    if (held instanceof Promise) return held.then((reservation) => this.#opened(reservation));
    return this.#opened(held);
  }

  reserveWithin(
    accountId: string,
    generationId: string,
    range: ReservationRange,
    caps: readonly SpendCap[] = NO_CAPS,
  ): Reservation | Promise<Reservation> {
    assert(range.leastNanoUsd >= 0n, 'a reservation is never negative');
    const { reserver } = this.#parts;
    if (this.#isServing() && reserver.isWithinShare(accountId, range.mostNanoUsd, caps)) {
      return this.reserve(accountId, generationId, range.mostNanoUsd, caps);
    }
    const held = this.reserve(accountId, generationId, range.leastNanoUsd, caps);
    if (held instanceof Promise) return held.then((reservation) => this.#raised(reservation, range));
    return this.#raised(held, range);
  }

  /** Where nothing more can be held, the reservation stays at the least amount. */
  #raised(reservation: Reservation, range: ReservationRange): Reservation | Promise<Reservation> {
    const raising = this.#parts.reserver.raiseToShare(this.#held(reservation), range);
    return raising === undefined ? reservation : raising.then(() => reservation);
  }

  extend(reservation: Reservation, byNanoUsd: NanoUsd): boolean | Promise<boolean> {
    const held = this.#held(reservation);
    assert(held.isOpen, 'only an open reservation is extended');
    assert(byNanoUsd >= 0n, 'an extension is never negative');
    return this.#parts.reserver.extend(held, byNanoUsd);
  }

  settle(
    reservation: Reservation,
    record: GenerationRecord,
    priceList: PriceList | undefined,
    done: (settlement: Settlement) => void,
  ): void {
    const held = this.#held(reservation);
    assertFits(record, held);
    held.end();
    this.#openReservations -= 1;
    const charge = (): void => this.#charge(held, record, priceList, done);
    const covering = this.#parts.reserver.cover(held, record.costNanoUsd);
    if (covering === undefined) charge();
    else covering.then(charge, charge);
  }

  release(reservation: Reservation, record: GenerationRecord | null): void {
    const held = this.#held(reservation);
    if (record !== null) {
      assertFits(record, held);
      assert(record.costNanoUsd === 0n, 'a released call costs nothing');
    }
    held.end();
    this.#openReservations -= 1;
    held.release();
    if (record === null) return;
    this.#parts.writer.addRecord({ ...NOTHING_CHARGED, record: this.#named(record), teamId: held.teamId });
    this.#tellAbsorbed(record);
  }

  async reserveDurable(order: DurableReservation, within: Within = async () => {}): Promise<void> {
    const { database, session } = this.#parts;
    const held = await this.#reserveOrder(order);
    if (held === null) return;
    held.end();
    this.#openReservations -= 1;
    await this.#ask(moveToRow(held, order, { database, processId: () => session.processId, within }));
  }

  async settleDurable(id: string, record: GenerationRecord, charge: DurableCharge = {}): Promise<Settlement | null> {
    const settlement = await this.#ask(settleRow(this.#parts.database, id, this.#named(record), charge));
    if (settlement === null) return null;
    this.#announceBalance(record.accountId);
    if (settlement.absorbedNanoUsd > 0n) this.#parts.onAbsorbed(record, settlement.absorbedNanoUsd, PARTLY_COVERED);
    this.#tellAbsorbed(record);
    return settlement;
  }

  async releaseDurable(id: string, reason: string, record?: GenerationRecord): Promise<boolean> {
    const named = record === undefined ? undefined : this.#named(record);
    const isReleased = await this.#ask(releaseRow(this.#parts.database, id, reason, named));
    if (isReleased && record !== undefined) this.#tellAbsorbed(record);
    return isReleased;
  }

  async isCharged(generationId: string): Promise<boolean> {
    return (await this.#ask(findCharges(this.#parts.database, [generationId]))).has(generationId);
  }

  durable(id: string): Promise<DurableView | null> {
    return this.#ask(readReservation(this.#parts.database, id));
  }

  async used(cap: SpendCap): Promise<NanoUsd> {
    const { database, caps, clock } = this.#parts;
    const fund = capFund(cap, clock.nowMs());
    const usedNanoUsd = await this.#ask(readCounter(database, fund));
    return usedNanoUsd + caps.usedNanoUsd(fund.id);
  }

  processCount(): number {
    return this.#parts.session.processCount;
  }

  spendable(accountId: string): NanoUsd | Promise<NanoUsd> {
    const means = this.means(accountId);
    return means instanceof Promise ? means.then(({ spendableNanoUsd }) => spendableNanoUsd) : means.spendableNanoUsd;
  }

  means(accountId: string): Means | Promise<Means> {
    const fund = this.#parts.accounts.table.find(accountId)?.fund;
    return fund !== undefined && isKnown(fund) ? fund : this.#readMeans(accountId);
  }

  async account(accountId: string): Promise<AccountView> {
    return (await this.#ask(readAccount(this.#parts.database, accountId))) ?? NO_ACCOUNT;
  }

  async openAccount(queryable: Queryable, accountId: string): Promise<void> {
    await insertAccount(queryable, accountId);
  }

  async credit(input: Credit): Promise<NanoUsd> {
    assert(input.amountNanoUsd >= 0n, 'a credit is never negative');
    const credited = await this.#ask(insertCredit(this.#parts.database, input));
    if (credited === null) throw new ApiError('http_404', 'There is no such account.');
    if (!credited.isNew) await this.#assertSameCredit(input, credited.isTooMuch);
    this.#announceBalance(input.accountId);
    return credited.balanceNanoUsd;
  }

  async check(scope: AuditScope): Promise<LedgerCheck> {
    const audit = await this.#ask(this.#parts.audit(scope));
    const heldReservations = audit.heldReservations + this.#openReservations;
    return { ...audit, ok: audit.discrepancies.length === 0, heldReservations };
  }

  status(): LedgerStatus {
    const { writer, accounts, caps, session } = this.#parts;
    return {
      processId: session.processId,
      isServing: this.#isServing(),
      openReservations: this.#openReservations,
      slices: accounts.table.size + caps.table.size,
      queuedSettlements: writer.queuedCount,
      settlementLagMs: writer.lagMs,
      journaledSettlements: writer.journaledCount,
      droppedRecords: writer.droppedRecords,
      buriedSettlements: writer.buriedCount,
      lostCharges: this.#parts.lostCharges(),
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#parts.writer.close();
    await this.#parts.leave();
  }

  #charge(
    held: OpenReservation,
    record: GenerationRecord,
    priceList: PriceList | undefined,
    done: (settlement: Settlement) => void,
  ): void {
    const chargeNanoUsd = held.chargeableNanoUsd(record.costNanoUsd);
    const account = held.account.slice;
    held.account.beginSettling(chargeNanoUsd);
    const call = {
      record: this.#named(record),
      chargeNanoUsd,
      priceList: priceList === undefined ? null : priceSnapshot(priceList),
      caps: held.caps.map((part) => ({ slice: part.slice, partNanoUsd: part.beginSettling(chargeNanoUsd) })),
      teamId: held.teamId,
    };
    this.#parts.writer.add(new PendingSettlement(call, account, done));
    if (chargeNanoUsd < record.costNanoUsd) {
      this.#parts.onAbsorbed(record, record.costNanoUsd - chargeNanoUsd, PARTLY_COVERED);
    }
    this.#tellAbsorbed(record);
  }

  /** Null when the same order was given before and its reservation exists. */
  async #reserveOrder(order: DurableReservation): Promise<OpenReservation | null> {
    const { accountId, id, amountNanoUsd, caps } = order;
    // The grace for a call that is larger than a whole cap allows one call at a time, which cannot be checked for jobs.
    const small = caps.find((cap) => cap.kind === 'cap' && cap.limitNanoUsd < amountNanoUsd);
    try {
      if (small !== undefined) throw capRefusal(small, this.#parts.clock.nowMs());
      return this.#held(await this.reserve(accountId, id, amountNanoUsd, caps));
    } catch (error) {
      // The reservation of the first order may itself be what is missing.
      if (await this.#ask(isSameReservation(this.#parts.database, order))) return null;
      throw error;
    }
  }

  #tellAbsorbed(record: GenerationRecord): void {
    const { absorbedNanoUsd, absorbedReason } = record;
    if (absorbedReason !== null) this.#parts.onAbsorbed(record, absorbedNanoUsd, absorbedReason);
  }

  #announceBalance(accountId: string): void {
    const { notices, accounts, logger } = this.#parts;
    accounts.forgetBalances(accountId);
    notices.publish(BALANCES_TOPIC, accountId).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'a change of a balance was not announced');
    });
  }

  #isServing(): boolean {
    const { session, writer, database } = this.#parts;
    return !this.#isClosed && !writer.isAway && session.isClaimed() && database.isReachable();
  }

  #named(record: GenerationRecord): GenerationRecord {
    if (record.appName === null) return record;
    const appName = this.#parts.appNameOf(record.accountId, record.appName, record.createdAtMs);
    return appName === record.appName ? record : { ...record, appName };
  }

  #opened(held: OpenReservation): OpenReservation {
    this.#openReservations += 1;
    return held;
  }

  #held(reservation: Reservation): OpenReservation {
    assert(reservation instanceof OpenReservation, 'a reservation comes from this ledger');
    return reservation;
  }

  #reserveWhenClaimed(request: ReservationRequest): Promise<OpenReservation> {
    const { session, writer, database, clock } = this.#parts;
    if (this.#isClosed || writer.isAway || !database.isReachable()) throw ledgerUnavailable('the database is away');
    // Only the claim on slices is interrupted, which is repaired within milliseconds when the server is up.
    return Promise.race([session.settled(), clock.sleep(CLAIM_PATIENCE_MS)]).then(() => {
      if (!this.#isServing()) throw ledgerUnavailable('the claim on slices is interrupted');
      return this.#parts.reserver.reserve(request);
    });
  }

  async #readMeans(accountId: string): Promise<Means> {
    const { kind, spendableNanoUsd } = await this.account(accountId);
    const { accounts, clock } = this.#parts;
    Object.assign(accounts.of(accountId, clock.monotonicMs()).fund, { kind, spendableNanoUsd });
    return { kind, spendableNanoUsd };
  }

  async #assertSameCredit(input: Credit, isTooMuch: boolean): Promise<void> {
    const earlier = await this.#ask(readCredit(this.#parts.database, input.reference));
    if (earlier === null && isTooMuch) {
      throw new ApiError('http_400', 'The account would have more credit than an account can order.');
    }
    if (earlier?.accountId === input.accountId && earlier.amountNanoUsd === input.amountNanoUsd) return;
    throw new ApiError('http_409', 'This reference was already used for another credit. Use a new one.');
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

function assertFits(record: GenerationRecord, held: OpenReservation): void {
  const isSame = record.id === held.generationId && record.accountId === held.accountId;
  assert(isSame, 'a record belongs to the reservation that it ends');
  const { subtotalNanoUsd, costNanoUsd, absorbedNanoUsd } = record;
  assert(subtotalNanoUsd >= 0n && costNanoUsd >= 0n && absorbedNanoUsd >= 0n, 'a cost is never negative');
}

const isKnown = (fund: AccountFund): fund is AccountFund & Means => fund.spendableNanoUsd !== null;
