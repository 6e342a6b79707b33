// The life of a call's reservation, from slices in memory to the group commit: one decision over all funds of a call,
// every cap in its order and then the account, all held or none; more of them while it runs; and one end. Where the
// slices in memory suffice, nothing waits; what waits for a lease is in `fund-leases.ts`.

import type { GenerationRecord } from '../../canonical/generation.ts';
import type { PriceList } from '../../canonical/price.ts';
import { NO_CAPS, type SpendCap } from '../../canonical/spend-cap.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { lesserOf, type NanoUsd } from '../../platform/money.ts';
import type { AccountSlices, CapSlices } from './cap-slices.ts';
import type { CapFund } from './fund.ts';
import {
  FundLeases,
  isChecked,
  isShort,
  type OnTripped,
  partFor,
  type ReservationRequest,
  raiseSoft,
  wantedNanoUsd,
} from './fund-leases.ts';
import { type Ledger, ledgerUnavailable, type Reservation, type ReservationRange, type Settlement } from './ledger.ts';
import { FIRM, NO_PARTS, OpenReservation, ReservationPart, SOFT } from './open-reservation.ts';
import { priceSnapshot } from './price-usage.ts';
import type { ProcessSession } from './process-session.ts';
import { PendingSettlement } from './settlement-entry.ts';
import type { SettlementWriter } from './settlement-writer.ts';
import type { Slice } from './slice.ts';

const CLAIM_PATIENCE_MS = 150;

/** Used in place of a reason where the balance or a cap covered only a part of the charge; recorded as `exhausted`. */
export const PARTLY_COVERED = 'partly_covered';

/** Called with absorbed cost as it happens. */
export type OnAbsorbed = (record: GenerationRecord, absorbedNanoUsd: NanoUsd, reason: string) => void;

/**
 * Gives the application name that a call is recorded under. The number of names is bounded, because the sums have a row
 * for each.
 */
export type AppNameOf = (accountId: string, appName: string, atMs: number) => string;

export type ReserverParts = Readonly<{
  database: Pick<Database, 'isReachable'>;
  session: ProcessSession;
  accounts: AccountSlices;
  caps: CapSlices;
  writer: SettlementWriter;
  clock: Clock;
  logger: Logger;
  onTripped: OnTripped;
  onAbsorbed: OnAbsorbed;
  appNameOf: AppNameOf;
}>;

const NOTHING_CHARGED = { chargeNanoUsd: 0n, priceList: null, caps: [] };

/** What a call asks of the ledger. */
type CallLedger = Pick<Ledger, 'reserve' | 'reserveWithin' | 'extend' | 'settle' | 'release'>;

export class Reserver implements CallLedger {
  readonly #parts: ReserverParts;
  readonly #leases: FundLeases;
  protected openReservations = 0;
  protected isClosed = false;

  constructor(parts: ReserverParts) {
    this.#parts = parts;
    this.#leases = new FundLeases(parts);
  }

  reserve(
    accountId: string,
    generationId: string,
    amountNanoUsd: NanoUsd,
    caps: readonly SpendCap[] = NO_CAPS,
  ): Reservation | Promise<Reservation> {
    assert(amountNanoUsd >= 0n, 'a reservation is never negative');
    const request = { accountId, generationId, amountNanoUsd, caps };
    const held = this.isServing() ? this.#take(request) : this.#reserveWhenClaimed(request);
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
    if (this.isServing() && this.#isWithinShare(accountId, range.mostNanoUsd, caps)) {
      return this.reserve(accountId, generationId, range.mostNanoUsd, caps);
    }
    const held = this.reserve(accountId, generationId, range.leastNanoUsd, caps);
    if (held instanceof Promise) return held.then((reservation) => this.#raised(reservation, range));
    return this.#raised(held, range);
  }

  /** Where nothing more can be held, the reservation stays at the least amount. */
  #raised(reservation: Reservation, range: ReservationRange): Reservation | Promise<Reservation> {
    const raising = this.#raiseToShare(this.held(reservation), range);
    return raising === undefined ? reservation : raising.then(() => reservation);
  }

  extend(reservation: Reservation, byNanoUsd: NanoUsd): boolean | Promise<boolean> {
    const held = this.held(reservation);
    assert(held.isOpen, 'only an open reservation is extended');
    assert(byNanoUsd >= 0n, 'an extension is never negative');
    return this.#raise(held, byNanoUsd);
  }

  settle(
    reservation: Reservation,
    record: GenerationRecord,
    priceList: PriceList | undefined,
    done: (settlement: Settlement) => void,
  ): void {
    const held = this.held(reservation);
    assertFits(record, held);
    held.end();
    this.openReservations -= 1;
    const charge = (): void => this.#charge(held, record, priceList, done);
    const covering = this.#cover(held, record.costNanoUsd);
    if (covering === undefined) charge();
    else covering.then(charge, charge);
  }

  release(reservation: Reservation, record: GenerationRecord | null): void {
    const held = this.held(reservation);
    if (record !== null) {
      assertFits(record, held);
      assert(record.costNanoUsd === 0n, 'a released call costs nothing');
    }
    held.end();
    this.openReservations -= 1;
    held.release();
    if (record === null) return;
    this.#parts.writer.addRecord({ ...NOTHING_CHARGED, record: this.named(record), teamId: held.teamId });
    this.tellAbsorbed(record);
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
      record: this.named(record),
      chargeNanoUsd,
      priceList: priceList === undefined ? null : priceSnapshot(priceList),
      caps: held.caps.map((part) => ({ slice: part.slice, partNanoUsd: part.beginSettling(chargeNanoUsd) })),
      teamId: held.teamId,
    };
    this.#parts.writer.add(new PendingSettlement(call, account, done), this.openReservations);
    if (chargeNanoUsd < record.costNanoUsd) {
      this.#parts.onAbsorbed(record, record.costNanoUsd - chargeNanoUsd, PARTLY_COVERED);
    }
    this.tellAbsorbed(record);
  }

  #take(request: ReservationRequest): OpenReservation | Promise<OpenReservation> {
    const { accountId, amountNanoUsd, caps } = request;
    const usedMs = this.#parts.clock.monotonicMs();
    const account = this.#parts.accounts.of(accountId, usedMs);
    let parts = NO_PARTS;
    if (caps.length > 0) {
      const taken: ReservationPart<CapFund>[] = [];
      const nextIndex = this.#takeCaps(request, taken, usedMs);
      if (nextIndex < caps.length) return this.#leases.reserve(request, taken, nextIndex);
      parts = taken;
    }
    if (!account.take(amountNanoUsd)) return this.#leases.reserve(request, parts, caps.length);
    if (account.isRunningLow) this.#parts.accounts.table.renew(account);
    return new OpenReservation(request, new ReservationPart(account, amountNanoUsd, FIRM), parts);
  }

  #raise(reservation: OpenReservation, byNanoUsd: NanoUsd): boolean | Promise<boolean> {
    const raised: ReservationPart[] = [];
    for (const part of reservation.firmParts()) {
      if (part.slice.isVoid || !part.slice.take(byNanoUsd)) return this.#leases.extend(reservation, byNanoUsd, raised);
      part.raise(byNanoUsd);
      raised.push(part);
    }
    const account = reservation.account.slice;
    account.lastUsedMs = this.#parts.clock.monotonicMs();
    if (account.isRunningLow) this.#parts.accounts.table.renew(account);
    raiseSoft(reservation, byNanoUsd);
    return true;
  }

  /**
   * Whether an amount is no more than one call's share of what is free here, so that it can be held without a lease.
   */
  #isWithinShare(accountId: string, amountNanoUsd: NanoUsd, caps: readonly SpendCap[]): boolean {
    const usedMs = this.#parts.clock.monotonicMs();
    const isWithin = (slice: Slice): boolean => amountNanoUsd <= shareOf(slice.freeNanoUsd, slice);
    if (!isWithin(this.#parts.accounts.of(accountId, usedMs))) return false;
    if (caps.length === 0) return true;
    const nowMs = this.#parts.clock.nowMs();
    return caps.every((cap) => cap.kind === 'breaker' || isWithin(this.#parts.caps.of(cap, nowMs, usedMs)));
  }

  /** Raises a reservation from the least of a range to the call's share of what its account and caps have left. */
  #raiseToShare(reservation: OpenReservation, range: ReservationRange): undefined | Promise<void> {
    if (reservation.firmParts().some(({ slice }) => slice.remainingNanoUsd === null))
      return this.#learnAndRaise(reservation, range);
    const byNanoUsd = shareWithin(reservation, range) - range.leastNanoUsd;
    if (byNanoUsd <= 0n) return undefined;
    const extended = this.#raise(reservation, byNanoUsd);
    return extended instanceof Promise ? extended.then(ignore, ignore) : undefined;
  }

  async #learnAndRaise(reservation: OpenReservation, range: ReservationRange): Promise<void> {
    try {
      await this.#leases.learn(reservation);
      const byNanoUsd = shareWithin(reservation, range) - range.leastNanoUsd;
      if (byNanoUsd > 0n) await this.#raise(reservation, byNanoUsd);
    } catch (error) {
      this.#parts.logger.debug(
        { error: asError(error) },
        'a reservation could not be raised and keeps its smallest amount',
      );
    }
  }

  /**
   * Raises a reservation to the cost if its funds can carry it, else to what they can. The rest will be absorbed.
   * Breakers count what they have room for before the answer ends, so that the next call finds them tripped.
   */
  #cover(reservation: OpenReservation, costNanoUsd: NanoUsd): void | Promise<void> {
    let isCovered = !isShort(reservation.account, costNanoUsd);
    for (const part of reservation.caps) {
      if (part.isSoft) {
        part.expectNoMore();
        part.raiseUpTo(part.missingNanoUsd(costNanoUsd));
      }
      if (isShort(part, costNanoUsd)) isCovered = false;
    }
    return isCovered ? undefined : this.#leases.cover(reservation, costNanoUsd);
  }

  /** Holds caps as far as that needs no lease; answers the index of the first that does. */
  #takeCaps({ caps, amountNanoUsd }: ReservationRequest, taken: ReservationPart<CapFund>[], usedMs: number): number {
    const nowMs = this.#parts.clock.nowMs();
    let index = 0;
    for (const cap of caps) {
      index += 1;
      if (!isChecked(cap, amountNanoUsd)) continue;
      const slice = this.#parts.caps.of(cap, nowMs, usedMs);
      const wanted = wantedNanoUsd(amountNanoUsd);
      if (!slice.take(wanted)) return index - 1;
      if (slice.isRunningLow) this.#parts.caps.table.renew(slice);
      taken.push(partFor(amountNanoUsd, slice, wanted, cap.kind === 'breaker' ? SOFT : FIRM));
    }
    return caps.length;
  }

  #reserveWhenClaimed(request: ReservationRequest): Promise<OpenReservation> {
    const { session, writer, database, clock } = this.#parts;
    if (this.isClosed || writer.isAway || !database.isReachable()) throw ledgerUnavailable('the database is away');
    // Only the claim on slices is interrupted, which is repaired within milliseconds when the server is up.
    return Promise.race([session.settled(), clock.sleep(CLAIM_PATIENCE_MS)]).then(() => {
      if (!this.isServing()) throw ledgerUnavailable('the claim on slices is interrupted');
      return this.#take(request);
    });
  }

  protected isServing(): boolean {
    const { session, writer, database } = this.#parts;
    return !this.isClosed && !writer.isAway && session.isClaimed() && database.isReachable();
  }

  protected named(record: GenerationRecord): GenerationRecord {
    if (record.appName === null) return record;
    const appName = this.#parts.appNameOf(record.accountId, record.appName, record.createdAtMs);
    return appName === record.appName ? record : { ...record, appName };
  }

  protected tellAbsorbed(record: GenerationRecord): void {
    const { absorbedNanoUsd, absorbedReason } = record;
    if (absorbedReason !== null) this.#parts.onAbsorbed(record, absorbedNanoUsd, absorbedReason);
  }

  #opened(held: OpenReservation): OpenReservation {
    this.openReservations += 1;
    return held;
  }

  protected held(reservation: Reservation): OpenReservation {
    assert(reservation instanceof OpenReservation, 'a reservation comes from this ledger');
    return reservation;
  }
}

const ignore = (): void => undefined;

/** An equal share among the open calls and this one, leaving one more share for the next call. */
function shareOf(availableNanoUsd: NanoUsd, slice: Slice): NanoUsd {
  return availableNanoUsd / BigInt(slice.openCount + 2);
}

/** How much of a range a call that holds some of it already may hold in all. */
function shareWithin(reservation: OpenReservation, range: ReservationRange): NanoUsd {
  let isWhole = true;
  let amountNanoUsd = range.elseNanoUsd;
  for (const { slice, heldNanoUsd } of reservation.firmParts()) {
    const availableNanoUsd = slice.freeNanoUsd + (slice.remainingNanoUsd ?? 0n) + heldNanoUsd;
    // This call is counted among the open ones already.
    const share = availableNanoUsd / BigInt(slice.openCount + 1);
    if (share < range.mostNanoUsd) isWhole = false;
    amountNanoUsd = lesserOf(amountNanoUsd, share);
  }
  if (isWhole) return range.mostNanoUsd;
  if (amountNanoUsd < range.leastNanoUsd) return range.leastNanoUsd;
  return amountNanoUsd;
}

function assertFits(record: GenerationRecord, held: OpenReservation): void {
  const isSame = record.id === held.generationId && record.accountId === held.accountId;
  assert(isSame, 'a record belongs to the reservation that it ends');
  const { subtotalNanoUsd, costNanoUsd, absorbedNanoUsd } = record;
  assert(subtotalNanoUsd >= 0n && costNanoUsd >= 0n && absorbedNanoUsd >= 0n, 'a cost is never negative');
}
