// What one process knows of the unpaid cost in an account: of each person, and of all together, which matters only
// where an account has several people.

import type { NanoUsd } from '../../platform/money.ts';
import { CLEAN, type Standing, type UnderWay } from './exposure-rules.ts';

export class Bucket {
  /** As last read from the database. */
  standing: Standing = CLEAN;
  /** Added here and not in the database yet. */
  pendingNanoUsd: NanoUsd = 0n;
  /** The reason of the latest unpaid cost. */
  lastReason = 'abandoned';
  /** Calls of this process that are under way. */
  readonly underWay = { heldNanoUsd: 0n, leastNanoUsd: 0n };

  /** No level, no restriction, and nothing that an operator set. */
  get isClean(): boolean {
    const { levelNanoUsd, restrictedAtMs, extraNanoUsd } = this.standing;
    return this.pendingNanoUsd === 0n && levelNanoUsd === 0n && restrictedAtMs === null && extraNanoUsd === 0n;
  }

  get isIdle(): boolean {
    return this.isClean && this.underWay.heldNanoUsd === 0n;
  }

  begin({ heldNanoUsd, leastNanoUsd }: UnderWay): void {
    this.underWay.heldNanoUsd += heldNanoUsd;
    this.underWay.leastNanoUsd += leastNanoUsd;
  }

  end({ heldNanoUsd, leastNanoUsd }: UnderWay): void {
    this.underWay.heldNanoUsd -= heldNanoUsd;
    this.underWay.leastNanoUsd -= leastNanoUsd;
  }
}

export class AccountExposure {
  readonly accountId: string;
  readonly total = new Bucket();
  readonly users = new Map<string, Bucket>();
  paidAtMs = Number.NEGATIVE_INFINITY;
  #paidNanoUsd: NanoUsd = 0n;
  #spendableNanoUsd: NanoUsd = 0n;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  userOf(userId: string): Bucket {
    const known = this.users.get(userId);
    if (known !== undefined) return known;
    const user = new Bucket();
    this.users.set(userId, user);
    return user;
  }

  begin(user: Bucket, call: UnderWay): void {
    user.begin(call);
    this.total.begin(call);
  }

  end(user: Bucket, call: UnderWay): void {
    user.end(call);
    this.total.end(call);
  }

  knowPaid(paidNanoUsd: NanoUsd, nowMs: number): void {
    this.#paidNanoUsd = paidNanoUsd;
    this.paidAtMs = nowMs;
  }

  /** What counts as the customer's money: the balance, or what was paid from it recently if that is more. */
  moneyWith(spendableNanoUsd: NanoUsd): NanoUsd {
    this.#spendableNanoUsd = spendableNanoUsd;
    return this.knownMoneyNanoUsd;
  }

  get knownMoneyNanoUsd(): NanoUsd {
    const [paid, spendable] = [this.#paidNanoUsd, this.#spendableNanoUsd];
    if (paid > spendable) return paid;
    return spendable;
  }

  get isIdle(): boolean {
    if (!this.total.isIdle) return false;
    for (const user of this.users.values()) if (!user.isIdle) return false;
    return true;
  }
}
