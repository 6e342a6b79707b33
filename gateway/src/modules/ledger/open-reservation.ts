// A reservation as the ledger keeps it: a part on the account and one on each cap, ended together and exactly once.
// Others see only the readonly type.

import { type SpendCap, teamOfCaps } from '../../canonical/spend-cap.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import { greaterOf, lesserOf, type NanoUsd } from '../../platform/money.ts';
import type { AccountFund, CapFund, Fund } from './fund.ts';
import type { Reservation } from './ledger.ts';
import type { Slice } from './slice.ts';

export const NO_PARTS: readonly ReservationPart<CapFund>[] = [];

export class OpenReservation implements Reservation {
  readonly generationId: string;
  readonly account: ReservationPart<AccountFund>;
  readonly caps: readonly ReservationPart<CapFund>[];
  /** Recorded with the call: the team of its caller when it began. */
  readonly teamId: string | null;
  #refusal: ApiError | null = null;
  #isOpen = true;

  constructor(
    request: Readonly<{ generationId: string; caps: readonly SpendCap[] }>,
    account: ReservationPart<AccountFund>,
    caps: readonly ReservationPart<CapFund>[],
  ) {
    this.generationId = request.generationId;
    // Taken from all caps that were asked for, because a call that costs nothing is held under none of them.
    this.teamId = teamOfCaps(request.caps);
    this.account = account;
    this.caps = caps;
  }

  get accountId(): string {
    return this.account.slice.fund.id;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  amountNanoUsd(): NanoUsd {
    return this.account.heldNanoUsd;
  }

  firmCaps(): readonly ReservationPart<CapFund>[] {
    return this.caps.filter((part) => !part.isSoft);
  }

  /** In the order in which refusals are told. */
  firmParts(): readonly ReservationPart[] {
    return [...this.firmCaps(), this.account];
  }

  /** The part of a cost that is held on the account and under every cap. */
  chargeableNanoUsd(costNanoUsd: NanoUsd): NanoUsd {
    let missing = this.account.missingNanoUsd(costNanoUsd);
    for (const part of this.caps) {
      const ofCap = part.isSoft ? 0n : part.missingNanoUsd(costNanoUsd);
      if (ofCap > missing) missing = ofCap;
    }
    return costNanoUsd - missing;
  }

  refusal(): ApiError | null {
    return this.#refusal;
  }

  refuse(refusal: ApiError): void {
    this.#refusal = refusal;
  }

  end(): void {
    assert(this.#isOpen, 'a reservation ends exactly once');
    this.#isOpen = false;
  }

  /** False when a part of it is held under slices that are gone. */
  get isStanding(): boolean {
    return !this.account.slice.isVoid && this.caps.every((part) => !part.slice.isVoid);
  }

  /** The whole amount has left this process for a row of its own. */
  leave(isCertain: boolean): void {
    this.account.leave(isCertain);
    for (const part of this.caps) part.leave(isCertain);
  }

  release(): void {
    this.account.release();
    for (const part of this.caps) part.release();
  }
}

// What one call holds of one fund. The call is never charged more than a firm part holds. A soft part, under a breaker,
// counts only as much of the call as the breaker has room for, and gets what it lacks before any other call does. A call
// that is larger than a whole cap holds all of the cap and may be charged the rest, which is its grace.

export type PartTerms = Readonly<{
  isSoft: boolean;
  /** What may be charged beyond what is held. */
  graceNanoUsd: NanoUsd;
}>;

export const FIRM: PartTerms = { isSoft: false, graceNanoUsd: 0n };
export const SOFT: PartTerms = { isSoft: true, graceNanoUsd: 0n };

export class ReservationPart<Leased extends Fund = Fund> {
  #slice: Slice<Leased>;
  #heldNanoUsd: NanoUsd;
  /** What a soft part would hold besides if its breaker had more room. */
  #lackingNanoUsd: NanoUsd = 0n;
  readonly #terms: PartTerms;

  /** Takes over an amount that was taken from the slice. */
  constructor(slice: Slice<Leased>, heldNanoUsd: NanoUsd, terms: PartTerms) {
    this.#slice = slice;
    this.#heldNanoUsd = heldNanoUsd;
    this.#terms = terms;
    slice.open();
  }

  get isSoft(): boolean {
    return this.#terms.isSoft;
  }

  get slice(): Slice<Leased> {
    return this.#slice;
  }

  get heldNanoUsd(): NanoUsd {
    return this.#heldNanoUsd;
  }

  /** The part of a cost that is neither held nor covered by the grace. */
  missingNanoUsd(costNanoUsd: NanoUsd): NanoUsd {
    return greaterOf(costNanoUsd - this.#heldNanoUsd - this.#terms.graceNanoUsd, 0n);
  }

  /** Adds what has just been taken from the slice. */
  raise(byNanoUsd: NanoUsd): void {
    this.#heldNanoUsd += byNanoUsd;
  }

  raiseUpTo(byNanoUsd: NanoUsd): NanoUsd {
    const taken = this.#slice.takeUpTo(byNanoUsd);
    this.#heldNanoUsd += taken;
    return taken;
  }

  /** The call is now estimated at so much more, of which the slice gives what it can. */
  expect(byNanoUsd: NanoUsd): void {
    const wanted = this.#lackingNanoUsd + byNanoUsd;
    this.expectNoMore();
    this.#lackingNanoUsd = wanted - this.raiseUpTo(wanted);
    this.#slice.lack(this.#lackingNanoUsd);
  }

  /** The call is over, and what it still takes is known. */
  expectNoMore(): void {
    if (this.#lackingNanoUsd === 0n) return;
    this.#slice.lack(-this.#lackingNanoUsd);
    this.#lackingNanoUsd = 0n;
  }

  lower(byNanoUsd: NanoUsd): void {
    this.#slice.beginSettling(byNanoUsd, 0n);
    this.#heldNanoUsd -= byNanoUsd;
  }

  /** Moves from a void slice to a valid one, before anything is held. */
  moveTo(slice: Slice<Leased>): void {
    assert(this.#slice.isVoid && slice.fund.id === this.#slice.fund.id, 'only a void part moves to another slice');
    this.release();
    slice.open();
    this.#slice = slice;
    this.#heldNanoUsd = 0n;
  }

  /** Ends the part. The charge stays with the slice until it is committed. Answers how much that is. */
  beginSettling(chargeNanoUsd: NanoUsd): NanoUsd {
    const partNanoUsd = lesserOf(chargeNanoUsd, this.#heldNanoUsd);
    this.expectNoMore();
    this.#slice.beginSettling(this.#heldNanoUsd, partNanoUsd);
    return partNanoUsd;
  }

  /** The held amount leaves the slice for good. When it is not certain, the slice's row may still have it. */
  leave(isCertain: boolean): void {
    this.expectNoMore();
    this.#slice.beginSettling(this.#heldNanoUsd, this.#heldNanoUsd);
    this.#slice.endSettling(this.#heldNanoUsd, this.#heldNanoUsd);
    this.#slice.close();
    if (!isCertain) this.#slice.isUncertain = true;
  }

  release(): void {
    this.expectNoMore();
    this.#slice.beginSettling(this.#heldNanoUsd, 0n);
    this.#slice.close();
  }
}
