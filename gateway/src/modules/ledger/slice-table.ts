// All slices that this process has of one kind of fund. It leases when what is free does not suffice, renews before
// that happens, and gives back what is idle or asked for. Each fund has one statement under way at a time, however many
// calls wait.

import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { lesserOf, type NanoUsd } from '../../platform/money.ts';
import type { Fund, FundReturn, FundStore, Lease } from './fund.ts';
import { ledgerUnavailable } from './ledger.ts';
import { Slice, type Waiter } from './slice.ts';
import type { SliceExchange } from './slice-exchange.ts';

const IDLE_MS = 60_000;
const IDLE_SCAN_MS = 5_000;
const RETURN_BATCH = 500;
/** Bounds the number of slices in memory; beyond it those unused for longest are given back. */
const SLICES_MAX = 20_000;
const LEASE_NANO_USD_MAX = 9_000_000_000_000_000_000n;
const LEARN_PATIENCE_MS = 2_000;
/**
 * Processes that did not answer are asked a second time: a call must not be refused while money lies idle elsewhere.
 */
const GATHER_ROUNDS_MAX = 2;

type SliceTableInput<Leased extends Fund> = Readonly<{
  store: FundStore<Leased>;
  clock: Clock;
  logger: Logger;
  /** The id under which this process is registered now. */
  processId: () => string;
  /** The database does not know this process any more. */
  onUnregistered: () => void;
  /** Returns what dead processes had leased. */
  sweep: () => Promise<void>;
  exchange: SliceExchange;
}>;

type AcquireRequest = Omit<Waiter, 'resolve' | 'reject' | 'isDone'> & Readonly<{ patienceMs: number }>;

export class SliceTable<Leased extends Fund> {
  readonly #input: SliceTableInput<Leased>;
  readonly #slices = new Map<string, Slice<Leased>>();
  readonly #stopScan: () => void;
  #pendingReturns: Promise<void> = Promise.resolve();
  #isTrimming = false;

  constructor(input: SliceTableInput<Leased>) {
    this.#input = input;
    this.#stopScan = input.clock.every(IDLE_SCAN_MS, () => {
      void this.giveBackIdle(IDLE_MS);
    });
    input.exchange.onAsked((fundId) => this.#giveBackFree(fundId));
  }

  get size(): number {
    return this.#slices.size;
  }

  find(fundId: string): Slice<Leased> | undefined {
    return this.#slices.get(fundId);
  }

  all(): Iterable<Slice<Leased>> {
    return this.#slices.values();
  }

  /** For a fund that `find` does not know. */
  add(fund: Leased): Slice<Leased> {
    if (this.#slices.size >= SLICES_MAX) this.#trim();
    const slice = new Slice(fund, this.#input.clock.monotonicMs());
    this.#slices.set(fund.id, slice);
    return slice;
  }

  /** Leases before it is needed; no call waits for this. */
  renew(slice: Slice<Leased>): void {
    if (slice.isBusy || slice.isVoid || slice.isBlocked) return;
    slice.isBusy = true;
    void this.#lease(slice)
      .catch((error: unknown) => this.#input.logger.debug({ error: asError(error) }, 'a slice was not renewed'))
      .finally(() => this.#finish(slice));
  }

  /** Holds an amount that is not free here, or the part of it that there is. Null when the fund cannot carry it. */
  acquire(slice: Slice<Leased>, request: AcquireRequest): Promise<NanoUsd | null> {
    const { patienceMs, ...wanted } = request;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (waiter.isDone) return;
        waiter.isDone = true;
        slice.forgetDone();
        reject(ledgerUnavailable('the lease of a slice took too long'));
      }, patienceMs);
      const waiter: Waiter = {
        ...wanted,
        isDone: false,
        resolve(heldNanoUsd) {
          clearTimeout(timer);
          resolve(heldNanoUsd);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      slice.wait(waiter);
      this.#pump(slice);
    });
  }

  /** Leases a little of a fund, to learn how much more could be leased. */
  async learn(slice: Slice<Leased>): Promise<void> {
    if (slice.remainingNanoUsd !== null || slice.isVoid) return;
    const manner = { acceptsLess: true, isHurried: true, comesBack: false, patienceMs: LEARN_PATIENCE_MS };
    const takenNanoUsd = await this.acquire(slice, { ...manner, amountNanoUsd: 1n });
    if (takenNanoUsd !== null) slice.beginSettling(takenNanoUsd, 0n);
  }

  /** The slices of this process are gone from the database. What is held under them is settled as far as possible. */
  voidAll(): void {
    const slices = [...this.#slices.values()];
    this.#slices.clear();
    for (const slice of slices) {
      slice.isVoid = true;
      slice.isListed = false;
      refuseAll(slice, slice.waiters, ledgerUnavailable('the process was registered anew'));
    }
  }

  async giveBackIdle(idleMs: number): Promise<void> {
    const sinceMs = this.#input.clock.monotonicMs() - idleMs;
    const idle = [...this.#slices.values()].filter((slice) => !slice.isBusy && slice.lastUsedMs <= sinceMs);
    await this.#giveBack(idle);
  }

  async close(): Promise<void> {
    this.#stopScan();
    await this.#pendingReturns;
  }

  #pump(slice: Slice<Leased>): void {
    if (slice.isBusy || slice.waiters.length === 0) return;
    slice.isBusy = true;
    void this.#supply(slice).finally(() => this.#finish(slice));
  }

  #finish(slice: Slice<Leased>): void {
    slice.isBusy = false;
    this.#pump(slice);
    if (!slice.isWanted || slice.isBusy) return;
    slice.isWanted = false;
    this.#giveBackFree(slice.fund.id);
  }

  /** Serves or refuses all calls that were waiting when it began; calls that come later are served by the next run. */
  async #supply(slice: Slice<Leased>): Promise<void> {
    const asking = [...slice.waiters];
    const isServed = () => asking.every((waiter) => waiter.isDone);
    try {
      let lease = await this.#leaseWithinLimit(slice);
      // A lost answer may have left money in the row that is not known here. When nothing is in use, the row can be
      // reset.
      if (!isServed() && slice.isUncertain && slice.usedNanoUsd === 0n) {
        await this.#drop([slice]);
        lease = await this.#lease(slice);
      }
      let isKnown = true;
      for (let round = 0; round < GATHER_ROUNDS_MAX && !isServed() && isLentElsewhere(slice, lease); round += 1) {
        ({ lease, isComplete: isKnown } = await this.#gather(slice, lease.sharers));
        if (isKnown) break;
      }
      // A process that hangs may still have some of the fund, so calls that can come back are asked to do so instead of
      // being told that the money is gone. A process that has died has none.
      const mayBeFound = !isKnown && isLentElsewhere(slice, lease);
      const returning = mayBeFound ? asking.filter((waiter) => waiter.comesBack && !waiter.acceptsLess) : [];
      refuseAll(slice, returning, ledgerUnavailable('another process did not say what it has left of a fund'));
      refuseAll(slice, asking, null);
    } catch (error) {
      refuseAll(slice, asking, this.#translate(error));
    }
  }

  /**
   * Tries once more with what other processes do not use. This process gives its own remainder back first: when several
   * processes are short at once, their remainders add up in the database, and the last to ask finds all of it.
   */
  async #gather(slice: Slice<Leased>, sharers: number): Promise<Readonly<{ lease: Lease; isComplete: boolean }>> {
    const { exchange, sweep } = this.#input;
    const fundId = slice.fund.id;
    const isHurried = slice.waiters.some((waiter) => waiter.isHurried);
    if (slice.freeNanoUsd > 0n && !isHurried) {
      await this.#lower([slice]);
      exchange.tellReturned(fundId);
    }
    slice.isGathering = true;
    const question = { fundId, sharers: Math.max(1, sharers), isHurried };
    const [isComplete] = await Promise.all([exchange.askOthers(question), sweep()]).finally(() => {
      slice.isGathering = false;
    });
    return { lease: await this.#lease(slice), isComplete };
  }

  async #leaseWithinLimit(slice: Slice<Leased>): Promise<Lease> {
    await this.#returnBlocked(slice);
    const lease = await this.#lease(slice);
    // The limit was lowered while the statement ran under the old one.
    if (!slice.isRecalled) return lease;
    await this.#returnBlocked(slice);
    return this.#lease(slice);
  }

  async #returnBlocked(slice: Slice<Leased>): Promise<void> {
    if (!slice.isBlocked) return;
    if (slice.freeNanoUsd > 0n) await this.#lower([slice]);
    else slice.surrender();
  }

  async #lease(slice: Slice<Leased>): Promise<Lease> {
    if (slice.isVoid) throw ledgerUnavailable('the process was registered anew');
    const { allNanoUsd, leastNanoUsd } = slice.missing();
    const { store, processId, onUnregistered } = this.#input;
    const request = {
      processId: processId(),
      missingNanoUsd: lesserOf(allNanoUsd, LEASE_NANO_USD_MAX),
      leastNanoUsd: lesserOf(leastNanoUsd, LEASE_NANO_USD_MAX),
    };
    let lease: Lease;
    try {
      lease = await store.lease(slice.fund, request);
    } catch (error) {
      slice.isUncertain = true;
      slice.remainingNanoUsd = null;
      throw error;
    }
    if (!lease.isRegistered) {
      onUnregistered();
      throw ledgerUnavailable('this process has been swept');
    }
    // A lease that was granted to an earlier registration went with it.
    if (slice.isVoid || request.processId !== processId()) throw ledgerUnavailable('the process was registered anew');
    slice.isOverdrawn = lease.remainingNanoUsd < 0n;
    slice.remainingNanoUsd = slice.isOverdrawn ? 0n : lease.remainingNanoUsd;
    slice.grant(lease.grantedNanoUsd);
    return lease;
  }

  #giveBackFree(fundId: string): void {
    const slice = this.#slices.get(fundId);
    if (slice === undefined) return;
    const { exchange } = this.#input;
    // The statement under way may still bring what is asked for; it is given back when that is known. A process that is
    // itself asking has given back before, and two processes that wait for each other's answer would both wait in vain.
    if (slice.isBusy && !slice.isGathering) {
      slice.isWanted = true;
      return;
    }
    // A row whose last answer was lost may have more than is known here; when nothing uses it, all of it is returned.
    const hasUnknown = slice.isUncertain && slice.isQuiet;
    if (slice.isBusy || (slice.freeNanoUsd === 0n && !hasUnknown)) exchange.tellReturned(fundId);
    else void this.#giveBack([slice]).then(() => exchange.tellReturned(fundId));
  }

  async #giveBack(slices: readonly Slice<Leased>[]): Promise<void> {
    for (const slice of slices) slice.isBusy = true;
    const work = this.#giveBackMarked(slices);
    this.#pendingReturns = Promise.allSettled([this.#pendingReturns, work]).then(() => {});
    await work;
  }

  async #giveBackMarked(slices: readonly Slice<Leased>[]): Promise<void> {
    for (let start = 0; start < slices.length; start += RETURN_BATCH) {
      const batch = slices.slice(start, start + RETURN_BATCH);
      try {
        await this.#drop(batch.filter((slice) => slice.isQuiet));
        await this.#lower(batch.filter((slice) => !slice.isQuiet && slice.freeNanoUsd > 0n));
      } catch (error) {
        this.#input.logger.warn({ error: asError(error), slices: batch.length }, 'slices could not be given back');
      } finally {
        for (const slice of batch) this.#afterReturn(slice);
      }
    }
  }

  #afterReturn(slice: Slice<Leased>): void {
    this.#finish(slice);
    const isForgettable = slice.isQuiet && !slice.isBusy && !slice.isUncertain && slice.grantedNanoUsd === 0n;
    if (!isForgettable || this.#slices.get(slice.fund.id) !== slice) return;
    slice.isListed = false;
    this.#slices.delete(slice.fund.id);
  }

  async #drop(slices: readonly Slice<Leased>[]): Promise<void> {
    await this.#change(slices, (processId, returns) => {
      const funds = returns.map(({ fund }) => fund);
      return this.#input.store.drop(processId, funds);
    });
    // The row is gone, with whatever it held beyond what was known.
    for (const slice of slices) slice.isUncertain = false;
  }

  async #lower(slices: readonly Slice<Leased>[]): Promise<void> {
    await this.#change(slices, (processId, returns) => this.#input.store.lower(processId, returns));
  }

  async #change(
    slices: readonly Slice<Leased>[],
    write: (processId: string, returns: readonly FundReturn<Leased>[]) => Promise<void>,
  ): Promise<void> {
    // A void slice has no row any more; the row of the same fund under the new registration belongs to another slice.
    const standing = slices.filter((slice) => !slice.isVoid);
    if (standing.length === 0) return;
    const returns = standing.map((slice) => ({ fund: slice.fund, amountNanoUsd: slice.surrender() }));
    for (const slice of standing) slice.remainingNanoUsd = null;
    try {
      await write(this.#input.processId(), returns);
    } catch (error) {
      for (const slice of slices) slice.isUncertain = true;
      throw error;
    }
  }

  #trim(): void {
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    const quiet = [...this.#slices.values()].filter((slice) => slice.isQuiet && !slice.isBusy);
    quiet.sort((left, right) => left.lastUsedMs - right.lastUsedMs);
    void this.#giveBack(quiet.slice(0, Math.ceil(SLICES_MAX / 10))).finally(() => {
      this.#isTrimming = false;
    });
  }

  #translate(error: unknown): Error {
    if (isConnectionFailure(error)) return ledgerUnavailable('the database is away', error);
    return asError(error);
  }
}

/** More is leased of the fund than this process has. */
const isLentElsewhere = (slice: Slice, lease: Lease): boolean =>
  lease.leasedBeforeNanoUsd + lease.grantedNanoUsd > slice.grantedNanoUsd;

/** Ends the wait of all waiters: with the error, or with the answer that the fund cannot carry the amount. */
function refuseAll(slice: Slice, waiters: readonly Waiter[], error: Error | null): void {
  for (const waiter of waiters) {
    if (waiter.isDone) continue;
    waiter.isDone = true;
    if (error !== null) waiter.reject(error);
    else waiter.resolve(waiter.acceptsLess ? slice.takeUpTo(waiter.amountNanoUsd) : null);
  }
  slice.forgetDone();
}
