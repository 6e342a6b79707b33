// What an account's life must come to, computed by adding and subtracting only: credits, charges and reservations, and
// how much counts in which window of which cap.

import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { windowStartMs } from '../../src/canonical/spend-window.ts';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { breakerOf, capOf } from '../caps/caps.ts';

/** One window of a cap. `limitMax` is the largest limit that was in force in it. */
export type Window = { firmSpent: bigint; spent: bigint; limitMax: bigint; readonly cap: SpendCap };

type Counted = Readonly<{ window: Window; isFirm: boolean }>;

/** A reservation in a process's memory, or a durable reservation, which has no process. */
export type Open = Readonly<{
  id: string;
  ledger: Ledger | null;
  reservation: Reservation | null;
  heldNanoUsd(): bigint;
  windows: readonly Counted[];
}>;

export type Ended = Readonly<{ id: string; verb: 'settled' | 'released' | 'expired'; chargedNanoUsd: bigint }>;

export class LifeModel {
  readonly accountId: string;
  readonly creditLineNanoUsd: bigint;
  readonly #nowMs: () => number;
  creditedNanoUsd: bigint;
  chargedNanoUsd = 0n;
  refundedNanoUsd = 0n;
  /** Calls that were charged, and whether they were refunded. */
  charged: { readonly id: string; readonly chargedNanoUsd: bigint; isRefunded: boolean }[] = [];
  caps: SpendCap[];
  open: Open[] = [];
  ended: Ended[] = [];
  topUps: Readonly<{ reference: string; amountNanoUsd: bigint }>[] = [];
  readonly windows = new Map<string, Window>();

  constructor(
    start: Readonly<{ accountId: string; creditedNanoUsd: bigint; creditLineNanoUsd: bigint; nowMs: () => number }>,
  ) {
    this.accountId = start.accountId;
    this.creditedNanoUsd = start.creditedNanoUsd;
    this.creditLineNanoUsd = start.creditLineNanoUsd;
    this.#nowMs = start.nowMs;
    this.caps = [
      breakerOf(100n, { window: 'minute' }),
      capOf(100n, { window: 'hour' }),
      capOf(200n, { scope: 'member', window: 'month' }),
      capOf(200n, { scope: 'team', window: 'never' }),
    ];
  }

  get balanceNanoUsd(): bigint {
    return this.creditedNanoUsd - this.chargedNanoUsd + this.refundedNanoUsd;
  }

  get durableNanoUsd(): bigint {
    return this.#sum(({ ledger }) => ledger === null);
  }

  get freeNanoUsd(): bigint {
    return this.balanceNanoUsd + this.creditLineNanoUsd - this.#sum(() => true);
  }

  windowOf(cap: SpendCap): Window {
    const key = `${cap.scopeId} ${windowStartMs(cap.window, this.#nowMs())}`;
    const window = this.windows.get(key) ?? { firmSpent: 0n, spent: 0n, limitMax: 0n, cap };
    this.windows.set(key, window);
    if (cap.limitNanoUsd > window.limitMax) window.limitMax = cap.limitNanoUsd;
    return window;
  }

  /** What a call of an amount stands under, and whether it can ever pass the limit. */
  countedUnder(caps: readonly SpendCap[], amountNanoUsd: bigint): Counted[] {
    return caps
      .filter((cap) => cap.kind === 'breaker' || amountNanoUsd > 0n)
      .map((cap) => ({
        window: this.windowOf(cap),
        isFirm: cap.kind === 'cap' && amountNanoUsd <= cap.limitNanoUsd,
      }));
  }

  /** What open calls hold of a window, or, with `isFirm`, those of them that can never pass its limit. */
  held(window: Window, isFirm: boolean): bigint {
    return this.#sum(({ windows }) => windows.some((own) => own.window === window && (own.isFirm || !isFirm)));
  }

  take(index: number, isDurable: boolean): Open | undefined {
    const candidates = this.open.filter(({ ledger }) => (ledger === null) === isDurable);
    const taken = candidates[index % Math.max(1, candidates.length)];
    this.open = this.open.filter((each) => each !== taken);
    return taken;
  }

  charge(open: Open, chargedNanoUsd: bigint): void {
    this.chargedNanoUsd += chargedNanoUsd;
    if (chargedNanoUsd > 0n) this.charged.push({ id: open.id, chargedNanoUsd, isRefunded: false });
    for (const { window, isFirm } of open.windows) {
      window.spent += chargedNanoUsd;
      if (isFirm) window.firmSpent += chargedNanoUsd;
    }
  }

  /** Whether a window may refuse a call that acts alone, and whether it must. */
  judge(ledger: Ledger, order: Readonly<{ cap: SpendCap; amountNanoUsd: bigint }>): { may: boolean; must: boolean } {
    const { cap, amountNanoUsd } = order;
    const window = this.windowOf(cap);
    const used = window.spent + this.held(window, false);
    if (cap.kind === 'breaker') return { may: used >= cap.limitNanoUsd, must: window.spent >= cap.limitNanoUsd };
    if (amountNanoUsd === 0n) return { may: false, must: false };
    if (amountNanoUsd <= cap.limitNanoUsd) {
      // A soft hold beside it may be smaller than its call.
      const firm = window.spent + this.held(window, true);
      return { may: used + amountNanoUsd > cap.limitNanoUsd, must: firm + amountNanoUsd > cap.limitNanoUsd };
    }
    const isShared = this.open.some(
      (each) => each.ledger === ledger && each.windows.some((own) => own.window === window),
    );
    return { may: isShared || used >= cap.limitNanoUsd, must: isShared || window.spent >= cap.limitNanoUsd };
  }

  #sum(counts: (open: Open) => boolean): bigint {
    return this.open.reduce((sum, open) => (counts(open) ? sum + open.heldNanoUsd() : sum), 0n);
  }
}
