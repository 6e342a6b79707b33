// What this process may spend of one fund without asking the database, divided into free, held, settling and
// unfolded. Money only ever moves between them here; it enters by a lease and leaves by a commit or a return.

import { assert } from '../../platform/assert.ts';
import { lesserOf, type NanoUsd } from '../../platform/money.ts';
import type { Fund } from './fund.ts';

/** A call that needs more than is free and waits for a lease. */
export type Waiter = {
  readonly amountNanoUsd: NanoUsd;
  /** Takes a part where the whole amount is not there. */
  readonly acceptsLess: boolean;
  /** Keeps what is free here instead of giving it back in the hope of finding more. */
  readonly isHurried: boolean;
  /** Can be asked to come back later, where it is not known whether the money is there. */
  readonly comesBack: boolean;
  /** Called with the amount that was held for the waiter; null when the fund cannot carry it. */
  readonly resolve: (heldNanoUsd: NanoUsd | null) => void;
  readonly reject: (error: Error) => void;
  isDone: boolean;
};

export class Slice<Leased extends Fund = Fund> {
  readonly fund: Leased;
  #freeNanoUsd: NanoUsd = 0n;
  #heldNanoUsd: NanoUsd = 0n;
  #settlingNanoUsd: NanoUsd = 0n;
  /** Charged, but still in the slice's row until the charges are folded. */
  #unfoldedNanoUsd: NanoUsd = 0n;
  /** What running calls that a breaker let pass were estimated at beyond what they hold: it is theirs once it is free. */
  #lackingNanoUsd: NanoUsd = 0n;
  /** Counts open reservations and settlements under way. Amounts would not do, because either may be zero. */
  #openCount = 0;
  #waiters: Waiter[] = [];
  /** What could still be leased when last read; null when unknown. */
  remainingNanoUsd: NanoUsd | null = null;
  lastUsedMs: number;
  /**
   * A lease or a return of this fund is under way. They run one after another, because each relies on the row that the
   * last one left.
   */
  isBusy = false;
  /** Other processes have been asked for what they do not use. What was free here has gone back before. */
  isGathering = false;
  /** Another process has asked for what is free while this one was busy with the fund. */
  isWanted = false;
  /** The answer to a lease or return was lost: the row may hold more than is known here. */
  isUncertain = false;
  /** The process was swept and its slices are gone: what is held here is backed by nothing. */
  isVoid = false;
  /** The limit was lowered: what is free was leased under the old limit and goes back before anything is taken. */
  isRecalled = false;
  /**
   * More is leased than the limit allows, here or elsewhere, as last read. What becomes free may not be taken either.
   */
  isOverdrawn = false;
  /** The table lists this slice; a slice that was given back and removed is not used again. */
  isListed = true;

  constructor(fund: Leased, nowMs: number) {
    this.fund = fund;
    this.lastUsedMs = nowMs;
  }

  get freeNanoUsd(): NanoUsd {
    return this.#freeNanoUsd;
  }

  get #takeableNanoUsd(): NanoUsd {
    return this.#freeNanoUsd > this.#lackingNanoUsd ? this.#freeNanoUsd - this.#lackingNanoUsd : 0n;
  }

  /** What calls have been promised and what is being charged for them. */
  get usedNanoUsd(): NanoUsd {
    return this.#heldNanoUsd + this.#settlingNanoUsd;
  }

  get grantedNanoUsd(): NanoUsd {
    return this.#freeNanoUsd + this.#heldNanoUsd + this.#settlingNanoUsd + this.#unfoldedNanoUsd;
  }

  get unfoldedNanoUsd(): NanoUsd {
    return this.#unfoldedNanoUsd;
  }

  get waiters(): readonly Waiter[] {
    return this.#waiters;
  }

  get isBlocked(): boolean {
    return this.isRecalled || this.isOverdrawn;
  }

  get openCount(): number {
    return this.#openCount;
  }

  get hasOpen(): boolean {
    return this.#openCount > 0;
  }

  /** Nothing is held, settling, unfolded or awaited: the slice may be given back whole. */
  get isQuiet(): boolean {
    const isUnused = this.#openCount === 0 && this.#heldNanoUsd === 0n && this.#unfoldedNanoUsd === 0n;
    return isUnused && this.#waiters.length === 0;
  }

  /** Less than a quarter is free and more can perhaps be leased: time to ask before a call has to wait. */
  get isRunningLow(): boolean {
    return !this.isBusy && this.remainingNanoUsd !== 0n && 4n * this.#freeNanoUsd < this.grantedNanoUsd;
  }

  open(): void {
    this.#openCount += 1;
  }

  close(): void {
    assert(this.#openCount > 0, 'a reservation is closed once');
    this.#openCount -= 1;
  }

  /** Takes from what is free, unless other calls have been waiting for it. */
  take(amountNanoUsd: NanoUsd): boolean {
    if (amountNanoUsd === 0n) return true;
    if (this.#waiters.length > 0 || amountNanoUsd > this.#takeableNanoUsd || this.isBlocked) return false;
    this.#hold(amountNanoUsd);
    return true;
  }

  /** Takes as much of `amountNanoUsd` as is free, and tells how much that was. */
  takeUpTo(amountNanoUsd: NanoUsd): NanoUsd {
    const taken = this.isBlocked ? 0n : lesserOf(amountNanoUsd, this.#takeableNanoUsd);
    this.#hold(taken);
    return taken;
  }

  /** A running call lacks so much more than before, or less where the amount is negative. */
  lack(byNanoUsd: NanoUsd): void {
    this.#lackingNanoUsd += byNanoUsd;
    assert(this.#lackingNanoUsd >= 0n, 'only what is lacking is given up');
  }

  #hold(amountNanoUsd: NanoUsd): void {
    assert(amountNanoUsd >= 0n && amountNanoUsd <= this.#freeNanoUsd, 'only what is free can be held');
    this.#freeNanoUsd -= amountNanoUsd;
    this.#heldNanoUsd += amountNanoUsd;
  }

  /** Ends a part of what is held: the charge stays until it is committed, the rest is free at once. */
  beginSettling(heldNanoUsd: NanoUsd, chargeNanoUsd: NanoUsd): void {
    assert(chargeNanoUsd >= 0n && chargeNanoUsd <= heldNanoUsd, 'a charge is at most what is held');
    assert(heldNanoUsd <= this.#heldNanoUsd, 'what is settled is part of what is held');
    this.#heldNanoUsd -= heldNanoUsd;
    this.#settlingNanoUsd += chargeNanoUsd;
    this.#freeNanoUsd += heldNanoUsd - chargeNanoUsd;
    this.satisfyWaiters();
  }

  /** The database has taken `chargedNanoUsd` out of the slice; what it did not take is free again. */
  endSettling(chargeNanoUsd: NanoUsd, chargedNanoUsd: NanoUsd): void {
    assert(chargedNanoUsd >= 0n && chargedNanoUsd <= chargeNanoUsd, 'no more is taken than was asked');
    assert(chargeNanoUsd <= this.#settlingNanoUsd, 'a settlement is part of what is settling');
    this.#settlingNanoUsd -= chargeNanoUsd;
    this.#freeNanoUsd += chargeNanoUsd - chargedNanoUsd;
    if (chargeNanoUsd > chargedNanoUsd) this.satisfyWaiters();
  }

  /** The charge is in the database; the slice's row is lowered by it when it is folded. */
  append(chargeNanoUsd: NanoUsd): void {
    assert(chargeNanoUsd >= 0n && chargeNanoUsd <= this.#settlingNanoUsd, 'a settlement is part of what is settling');
    this.#settlingNanoUsd -= chargeNanoUsd;
    this.#unfoldedNanoUsd += chargeNanoUsd;
  }

  fold(chargedNanoUsd: NanoUsd): void {
    assert(chargedNanoUsd >= 0n && chargedNanoUsd <= this.#unfoldedNanoUsd, 'what is folded was added before');
    this.#unfoldedNanoUsd -= chargedNanoUsd;
  }

  grant(amountNanoUsd: NanoUsd): void {
    assert(amountNanoUsd >= 0n, 'a lease is never negative');
    this.#freeNanoUsd += amountNanoUsd;
    this.satisfyWaiters();
  }

  /** Empties what is free, to be given back, but for what running calls lack. */
  surrender(): NanoUsd {
    const surrendered = this.#takeableNanoUsd;
    this.#freeNanoUsd -= surrendered;
    this.isRecalled = false;
    return surrendered;
  }

  wait(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** What must be leased for all waiters, and the least that would serve one of them. */
  missing(): Readonly<{ allNanoUsd: NanoUsd; leastNanoUsd: NanoUsd }> {
    let all = 0n;
    let least: NanoUsd | null = null;
    for (const { amountNanoUsd, acceptsLess } of this.#waiters) {
      all += amountNanoUsd;
      const useful = acceptsLess ? 0n : amountNanoUsd;
      least = least === null ? useful : lesserOf(least, useful);
    }
    const free = this.#freeNanoUsd - this.#lackingNanoUsd;
    const beyondFree = (amount: NanoUsd): NanoUsd => (amount > free ? amount - free : 0n);
    return { allNanoUsd: beyondFree(all), leastNanoUsd: beyondFree(least ?? 0n) };
  }

  /** Gives what is free to the waiters in the order they came, skipping those that need more than there is. */
  satisfyWaiters(): void {
    if (this.#waiters.length === 0 || this.isBlocked) return;
    for (const waiter of this.#waiters) {
      if (waiter.isDone || waiter.amountNanoUsd > this.#takeableNanoUsd) continue;
      this.#hold(waiter.amountNanoUsd);
      waiter.isDone = true;
      waiter.resolve(waiter.amountNanoUsd);
    }
    this.forgetDone();
  }

  forgetDone(): void {
    this.#waiters = this.#waiters.filter((waiter) => !waiter.isDone);
  }
}
