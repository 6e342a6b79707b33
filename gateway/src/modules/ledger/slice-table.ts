// All slices of this process: leases when what is free does not suffice, renews ahead of need, and gives back what is
// idle or asked for by another process. For one account, one statement at a time, whatever the number of waiting calls.

import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { asError, ledgerUnavailable } from './ledger-error.ts';
import { AccountSlice, lesser, type Waiter } from './slice.ts';
import type { SliceExchange } from './slice-exchange.ts';
import { dropSlices, type LeaseRow, leaseSlice, lowerSlices, type SliceReturn } from './store/slices.ts';

const IDLE_MS = 60_000;
const IDLE_SCAN_MS = 5_000;
const RETURN_BATCH = 500;
/** Bounds the memory of slices; the longest unused are given back beyond it. */
const SLICES_MAX = 20_000;
const LEASE_NANO_USD_MAX = 9_000_000_000_000_000_000n;

export type SliceTableInput = Readonly<{
  database: Database;
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

export type AcquireRequest = Readonly<{ amountNanoUsd: NanoUsd; acceptsLess: boolean; patienceMs: number }>;

export class SliceTable {
  readonly #input: SliceTableInput;
  readonly #slices = new Map<string, AccountSlice>();
  readonly #stopScan: () => void;
  #pendingReturns: Promise<void> = Promise.resolve();
  #isTrimming = false;

  constructor(input: SliceTableInput) {
    this.#input = input;
    this.#stopScan = input.clock.every(IDLE_SCAN_MS, () => {
      void this.giveBackIdle(IDLE_MS);
    });
    input.exchange.onAsked((accountId) => this.#giveBackFree(accountId));
  }

  get size(): number {
    return this.#slices.size;
  }

  find(accountId: string): AccountSlice | undefined {
    return this.#slices.get(accountId);
  }

  open(accountId: string): AccountSlice {
    const known = this.#slices.get(accountId);
    if (known !== undefined) return known;
    if (this.#slices.size >= SLICES_MAX) this.#trim();
    const slice = new AccountSlice(accountId, this.#input.clock.monotonicMs());
    this.#slices.set(accountId, slice);
    return slice;
  }

  /** Leases ahead of need; nobody waits for it. */
  renew(slice: AccountSlice): void {
    if (slice.isBusy || slice.isVoid) return;
    slice.isBusy = true;
    void this.#lease(slice)
      .catch((error: unknown) => this.#input.logger.debug({ error: asError(error) }, 'a slice was not renewed'))
      .finally(() => this.#finish(slice));
  }

  /** Holds an amount that is not free here, or as much of it as there is. Null when the account cannot carry it. */
  acquire(slice: AccountSlice, request: AcquireRequest): Promise<NanoUsd | null> {
    const { amountNanoUsd, acceptsLess, patienceMs } = request;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (waiter.isDone) return;
        waiter.isDone = true;
        slice.forgetDone();
        reject(ledgerUnavailable('the lease of a slice took too long'));
      }, patienceMs);
      const waiter: Waiter = {
        amountNanoUsd,
        acceptsLess,
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

  /** The slices of this process are gone from the database. What is held under them settles as far as it can. */
  voidAll(): void {
    const slices = [...this.#slices.values()];
    this.#slices.clear();
    for (const slice of slices) {
      slice.isVoid = true;
      refuseAll(slice, slice.waiters, ledgerUnavailable('the process was registered anew'));
    }
  }

  /** What was cached about accounts may be stale: ask again when it is needed. */
  forgetBalances(accountId: string | null): void {
    const slices = accountId === null ? this.#slices.values() : [this.#slices.get(accountId)];
    for (const slice of slices) {
      if (slice === undefined) continue;
      slice.balanceNanoUsd = null;
      slice.remainingNanoUsd = null;
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

  #pump(slice: AccountSlice): void {
    if (slice.isBusy || slice.waiters.length === 0) return;
    slice.isBusy = true;
    void this.#supply(slice).finally(() => this.#finish(slice));
  }

  #finish(slice: AccountSlice): void {
    slice.isBusy = false;
    this.#pump(slice);
    if (!slice.isWanted || slice.isBusy) return;
    slice.isWanted = false;
    this.#giveBackFree(slice.accountId);
  }

  /** Serves or refuses everyone who was waiting when it began; whoever comes later is pumped for again. */
  async #supply(slice: AccountSlice): Promise<void> {
    const asking = [...slice.waiters];
    const isServed = () => asking.every((waiter) => waiter.isDone);
    try {
      let lease = await this.#lease(slice);
      // A lost answer may have left money in the row that nobody here knows of; when nothing is open, it can be reset.
      if (!isServed() && slice.isUncertain && slice.grantedNanoUsd === 0n) {
        await this.#drop([slice]);
        lease = await this.#lease(slice);
      }
      const leasedNanoUsd = (lease.leasedBeforeNanoUsd ?? 0n) + (lease.grantedNanoUsd ?? 0n);
      if (!isServed() && leasedNanoUsd > slice.grantedNanoUsd) await this.#gather(slice);
      refuseAll(slice, asking, null);
    } catch (error) {
      refuseAll(slice, asking, this.#translate(error));
    }
  }

  /**
   * Tries once more with what other processes do not use. Its own remainder goes back first: when several processes
   * are short at once, the remainders add up in the database, and the last of them to ask finds all of it.
   */
  async #gather(slice: AccountSlice): Promise<void> {
    const { exchange, sweep } = this.#input;
    if (slice.freeNanoUsd > 0n && !slice.waiters.some((waiter) => waiter.acceptsLess)) {
      await this.#lower([slice]);
      exchange.tellReturned(slice.accountId);
    }
    await Promise.all([exchange.askOthers(slice.accountId), sweep()]);
    await this.#lease(slice);
  }

  async #lease(slice: AccountSlice): Promise<LeaseRow> {
    if (slice.isVoid) throw ledgerUnavailable('the process was registered anew');
    const { allNanoUsd, leastNanoUsd } = slice.missing();
    const { database, processId, onUnregistered } = this.#input;
    const request = {
      accountId: slice.accountId,
      processId: processId(),
      missingNanoUsd: lesser(allNanoUsd, LEASE_NANO_USD_MAX),
      leastNanoUsd: lesser(leastNanoUsd, LEASE_NANO_USD_MAX),
    };
    let lease: LeaseRow;
    try {
      lease = await leaseSlice(database, request);
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
    slice.kind = lease.kind ?? slice.kind;
    slice.balanceNanoUsd = lease.balanceNanoUsd ?? 0n;
    slice.remainingNanoUsd = lease.remainingNanoUsd ?? 0n;
    slice.grant(lease.grantedNanoUsd ?? 0n);
    return lease;
  }

  #giveBackFree(accountId: string): void {
    const slice = this.#slices.get(accountId);
    if (slice === undefined || slice.freeNanoUsd === 0n) return;
    // The statement under way may still bring what is asked for; it is given back when that is known.
    if (slice.isBusy) {
      slice.isWanted = true;
      return;
    }
    void this.#giveBack([slice]).then(() => this.#input.exchange.tellReturned(accountId));
  }

  async #giveBack(slices: readonly AccountSlice[]): Promise<void> {
    for (const slice of slices) slice.isBusy = true;
    const work = this.#giveBackMarked(slices);
    this.#pendingReturns = Promise.allSettled([this.#pendingReturns, work]).then(() => {});
    await work;
  }

  async #giveBackMarked(slices: readonly AccountSlice[]): Promise<void> {
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

  #afterReturn(slice: AccountSlice): void {
    this.#finish(slice);
    const isForgettable = slice.isQuiet && !slice.isBusy && !slice.isUncertain && slice.grantedNanoUsd === 0n;
    if (isForgettable && this.#slices.get(slice.accountId) === slice) this.#slices.delete(slice.accountId);
  }

  async #drop(slices: readonly AccountSlice[]): Promise<void> {
    await this.#change(slices, (processId, returns) => {
      const accountIds = returns.map(({ accountId }) => accountId);
      return dropSlices(this.#input.database, processId, accountIds);
    });
    // The row is gone, and with it whatever it may have held beyond what was known.
    for (const slice of slices) slice.isUncertain = false;
  }

  async #lower(slices: readonly AccountSlice[]): Promise<void> {
    await this.#change(slices, (processId, returns) => lowerSlices(this.#input.database, processId, returns));
  }

  async #change(
    slices: readonly AccountSlice[],
    write: (processId: string, returns: readonly SliceReturn[]) => Promise<void>,
  ): Promise<void> {
    // A void slice has no row any more; one of its account under the new registration is not its own.
    const standing = slices.filter((slice) => !slice.isVoid);
    if (standing.length === 0) return;
    const returns = standing.map((slice) => ({ accountId: slice.accountId, amountNanoUsd: slice.surrender() }));
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

/** Ends the wait of those that are still waiting: with the error, or with the answer that the account cannot. */
function refuseAll(slice: AccountSlice, waiters: readonly Waiter[], error: Error | null): void {
  for (const waiter of waiters) {
    if (waiter.isDone) continue;
    waiter.isDone = true;
    if (error !== null) waiter.reject(error);
    else waiter.resolve(waiter.acceptsLess ? slice.takeUpTo(waiter.amountNanoUsd) : null);
  }
  slice.forgetDone();
}
