// The slow path of a reservation: where the slices in memory do not suffice, more is leased of one fund after the
// other. In the end all of them are held, or what was held so far is given back.

import type { SpendCap } from '../../canonical/spend-cap.ts';
import type { Clock } from '../../platform/clock.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';
import { capRefusal } from './cap-refusal.ts';
import type { AccountSlices, CapSlices } from './cap-slices.ts';
import type { AccountFund, CapFund, Fund } from './fund.ts';
import { insufficientCredits } from './ledger.ts';
import { FIRM, OpenReservation, type PartTerms, ReservationPart, SOFT } from './open-reservation.ts';
import type { Slice } from './slice.ts';
import type { SliceTable } from './slice-table.ts';

/** How a call waits before it is sent. */
const FIRST = { acceptsLess: false, isHurried: false, comesBack: true, patienceMs: 2_000 };
/** And at its end: long enough for one lease and one round of asking other processes. */
const LAST = { acceptsLess: true, isHurried: true, comesBack: false, patienceMs: 400 };

/**
 * A call whose estimate is above a whole cap would never fit it, and the cap would look broken instead of small. Up to
 * this estimate the call may run, as the only one under the cap; a cap can be exceeded by no more than this.
 */
const GRACE_NANO_USD_MAX = NANO_PER_USD / 10n;

/** Told of each call that a breaker has refused. It runs on the call's path, so it must not wait. */
export type OnTripped = (cap: SpendCap) => void;

export type ReservationRequest = Readonly<{
  accountId: string;
  generationId: string;
  amountNanoUsd: NanoUsd;
  caps: readonly SpendCap[];
}>;

type FundLeasesParts = Readonly<{
  accounts: AccountSlices;
  caps: CapSlices;
  clock: Clock;
  logger: Logger;
  onTripped: OnTripped;
}>;

type Slices<Leased extends Fund> = Readonly<{
  table: SliceTable<Leased>;
  again(slice: Slice<Leased>): Slice<Leased>;
}>;

/** A call that costs nothing is not stopped by a cap on money, but by breakers. */
export const isChecked = (cap: SpendCap, amountNanoUsd: NanoUsd): boolean =>
  amountNanoUsd > 0n || cap.kind === 'breaker';

/** A breaker must have some room even for a call that costs nothing: without any it has tripped. */
export const wantedNanoUsd = (amountNanoUsd: NanoUsd): NanoUsd => (amountNanoUsd === 0n ? 1n : amountNanoUsd);

/**
 * Makes the part for what was taken. A call that costs nothing gives it back at once, because it only had to see that
 * there is room.
 */
export function partFor(
  amountNanoUsd: NanoUsd,
  slice: Slice<CapFund>,
  takenNanoUsd: NanoUsd,
  terms: PartTerms,
): ReservationPart<CapFund> {
  const part = new ReservationPart(slice, takenNanoUsd, terms);
  if (amountNanoUsd === 0n) part.lower(takenNanoUsd);
  else if (takenNanoUsd < amountNanoUsd) part.expect(amountNanoUsd - takenNanoUsd);
  return part;
}

export class FundLeases {
  readonly #accounts: AccountSlices;
  readonly #caps: CapSlices;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onTripped: OnTripped;

  constructor(parts: FundLeasesParts) {
    this.#accounts = parts.accounts;
    this.#caps = parts.caps;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#onTripped = parts.onTripped;
  }

  async reserve(
    request: ReservationRequest,
    taken: readonly ReservationPart<CapFund>[],
    nextIndex: number,
  ): Promise<OpenReservation> {
    const parts = [...taken];
    const rest = request.caps.slice(nextIndex);
    try {
      this.#leaseAhead(request, rest);
      for (const cap of rest) {
        if (isChecked(cap, request.amountNanoUsd)) parts.push(await this.#takeCap(cap, request.amountNanoUsd));
      }
      const account = await this.#takeAccount(request);
      return new OpenReservation(request, account, parts);
    } catch (error) {
      for (const part of parts) part.release();
      throw error;
    }
  }

  /**
   * The funds are awaited one after another, because their order decides the refusal; their leases may run at the same
   * time.
   */
  #leaseAhead(request: ReservationRequest, caps: readonly SpendCap[]): void {
    if (caps.length === 0) return;
    const nowMs = this.#clock.nowMs();
    const usedMs = this.#clock.monotonicMs();
    for (const cap of caps.slice(1)) {
      if (!isChecked(cap, request.amountNanoUsd)) continue;
      const slice = this.#caps.of(cap, nowMs, usedMs);
      if (slice.remainingNanoUsd === null) this.#caps.table.renew(slice);
    }
    const account = this.#accounts.of(request.accountId, usedMs);
    if (account.remainingNanoUsd === null && request.amountNanoUsd > 0n) this.#accounts.table.renew(account);
  }

  async #takeCap(cap: SpendCap, amountNanoUsd: NanoUsd): Promise<ReservationPart<CapFund>> {
    const nowMs = this.#clock.nowMs();
    const slice = this.#caps.of(cap, nowMs, this.#clock.monotonicMs());
    const wanted = wantedNanoUsd(amountNanoUsd);
    const isBreaker = cap.kind === 'breaker';
    if (slice.take(wanted)) return partFor(amountNanoUsd, slice, wanted, isBreaker ? SOFT : FIRM);
    const isAlone = !isBreaker && wanted > cap.limitNanoUsd;
    if (isAlone && (slice.hasOpen || wanted > GRACE_NANO_USD_MAX)) throw capRefusal(cap, nowMs);
    const acceptsLess = isBreaker || isAlone;
    const request = { ...FIRST, amountNanoUsd: wanted, acceptsLess };
    const heldNanoUsd = await this.#caps.table.acquire(slice, request);
    if (heldNanoUsd === null || heldNanoUsd === 0n) {
      if (isBreaker) this.#onTripped(cap);
      throw capRefusal(cap, nowMs);
    }
    if (!isAlone) return partFor(amountNanoUsd, slice, heldNanoUsd, isBreaker ? SOFT : FIRM);
    // Other calls may have been reserved while this one was waiting.
    if (slice.hasOpen) {
      slice.beginSettling(heldNanoUsd, 0n);
      throw capRefusal(cap, nowMs);
    }
    return new ReservationPart(slice, heldNanoUsd, { isSoft: false, graceNanoUsd: wanted - heldNanoUsd });
  }

  async #takeAccount({ accountId, amountNanoUsd }: ReservationRequest): Promise<ReservationPart<AccountFund>> {
    const slice = this.#accounts.of(accountId, this.#clock.monotonicMs());
    if (slice.take(amountNanoUsd)) return new ReservationPart(slice, amountNanoUsd, FIRM);
    const request = { ...FIRST, amountNanoUsd };
    const heldNanoUsd = await this.#accounts.table.acquire(slice, request);
    if (heldNanoUsd === null) throw insufficientCredits(slice.fund.kind);
    return new ReservationPart(slice, amountNanoUsd, FIRM);
  }

  async extend(reservation: OpenReservation, byNanoUsd: NanoUsd, raised: ReservationPart[]): Promise<boolean> {
    const extend = { reservation, byNanoUsd };
    const isHeld = async (): Promise<boolean> => {
      for (const part of reservation.firmCaps()) {
        if (raised.includes(part)) continue;
        if (!(await this.#raiseByLease(this.#caps, part, extend))) {
          reservation.refuse(capRefusal(part.slice.fund.cap, this.#clock.nowMs()));
          return false;
        }
        raised.push(part);
      }
      if (await this.#raiseByLease(this.#accounts, reservation.account, extend)) return true;
      reservation.refuse(insufficientCredits(reservation.account.slice.fund.kind));
      return false;
    };
    let isExtended = false;
    try {
      isExtended = await isHeld();
    } finally {
      // All or none. A call that ended meanwhile has already released what was raised.
      if (!isExtended && reservation.isOpen) for (const part of raised) part.lower(byNanoUsd);
    }
    if (isExtended) raiseSoft(reservation, byNanoUsd);
    return isExtended;
  }

  async #raiseByLease<Leased extends Fund>(
    slices: Slices<Leased>,
    part: ReservationPart<Leased>,
    extend: Readonly<{ reservation: OpenReservation; byNanoUsd: NanoUsd }>,
  ): Promise<boolean> {
    const { reservation, byNanoUsd } = extend;
    // What is held under a void slice is worth nothing, so the whole amount is taken anew.
    const slice = part.slice.isVoid ? slices.again(part.slice) : part.slice;
    const amountNanoUsd = part.slice.isVoid ? part.heldNanoUsd + byNanoUsd : byNanoUsd;
    const request = { ...FIRST, amountNanoUsd, comesBack: false };
    const isHeld = slice.take(amountNanoUsd) || (await slices.table.acquire(slice, request)) !== null;
    if (!isHeld) return false;
    // The call may have ended, or its slice may have become void, while it waited: then what was taken goes back.
    const isMoving = part.slice.isVoid && part.slice !== slice;
    if (!reservation.isOpen || (part.slice !== slice && !isMoving)) {
      slice.beginSettling(amountNanoUsd, 0n);
      return false;
    }
    if (isMoving) part.moveTo(slice);
    else slice.beginSettling(amountNanoUsd - byNanoUsd, 0n);
    part.raise(isMoving ? amountNanoUsd : byNanoUsd);
    return true;
  }

  async cover(reservation: OpenReservation, costNanoUsd: NanoUsd): Promise<void> {
    const cover = { generationId: reservation.generationId, costNanoUsd };
    await Promise.all([
      this.#coverPart(this.#accounts, reservation.account, cover),
      ...reservation.caps.map((part) => this.#coverPart(this.#caps, part, cover)),
    ]);
  }

  async #coverPart<Leased extends Fund>(
    slices: Slices<Leased>,
    part: ReservationPart<Leased>,
    cover: Readonly<{ generationId: string; costNanoUsd: NanoUsd }>,
  ): Promise<void> {
    const { generationId, costNanoUsd } = cover;
    if (!isShort(part, costNanoUsd)) return;
    const slice = part.slice.isVoid ? slices.again(part.slice) : part.slice;
    const amountNanoUsd = part.slice.isVoid ? costNanoUsd : part.missingNanoUsd(costNanoUsd);
    const request = { ...LAST, amountNanoUsd };
    try {
      const takenNanoUsd = slice.take(amountNanoUsd)
        ? amountNanoUsd
        : ((await slices.table.acquire(slice, request)) ?? 0n);
      if (part.slice !== slice) part.moveTo(slice);
      part.raise(takenNanoUsd);
    } catch (error) {
      // The call has been made, so what cannot be held now is absorbed instead of refused. A part of a void slice is
      // charged as far as the balance carries it when it is written.
      this.#logger.warn(
        { generationId, error: asError(error) },
        'the cost of a call could not be held and may be absorbed',
      );
      if (!part.slice.isVoid) part.raiseUpTo(amountNanoUsd);
    }
  }

  /** Leases a little, because the answer to any lease says how much of the fund is not leased. */
  async learn(reservation: OpenReservation): Promise<void> {
    for (const { slice } of reservation.firmCaps()) await this.#caps.table.learn(slice);
    await this.#accounts.table.learn(reservation.account.slice);
  }
}

export const isShort = (part: ReservationPart, costNanoUsd: NanoUsd): boolean =>
  part.slice.isVoid || part.missingNanoUsd(costNanoUsd) > 0n;

/**
 * A breaker does not stop a running call; it counts what the call takes, as far as it has room. What becomes free later
 * is the call's before others are let in, or each of many calls that end would let in another.
 */
export function raiseSoft(reservation: OpenReservation, byNanoUsd: NanoUsd): void {
  for (const part of reservation.caps) if (part.isSoft) part.expect(byNanoUsd);
}
