// Folds the charges that this process has added, a few times a second and outside the path of any answer. Until then
// they stay in the slices that carry them, so the same money cannot be spent twice; a fold whose answer was lost is
// asked for again.

import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { AccountSlices } from './cap-slices.ts';
import { isBadEntry } from './commit-settlements.ts';
import type { PendingSettlement } from './settlement-entry.ts';
import type { Slice } from './slice.ts';

/** A longer interval folds more charges of one account together; a shorter one leaves less unfolded at a crash. */
const FOLD_MS = 250;

type FoldingInput = Readonly<{
  logger: Logger;
  accounts: AccountSlices;
  /** Folds everything that this process has added; answers what its accounts can spend then. */
  foldAll: () => Promise<ReadonlyMap<string, NanoUsd>>;
  /** Folds one batch at a time; answers which could not be folded, each with the error. */
  foldEach: () => Promise<ReadonlyMap<bigint, unknown>>;
}>;

export class Folding {
  readonly #input: FoldingInput;
  /** The slices that have charges to fold. The settlements themselves are not kept. */
  #unfolded = new Set<Slice>();
  /** Records without a charge lower no slice, but the sums need them. */
  #hasRecords = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(input: FoldingInput) {
    this.#input = input;
  }

  /** Notes a settlement that the database has. */
  add(settlement: PendingSettlement): void {
    this.#unfolded.add(settlement.account);
    for (const { slice } of settlement.caps) this.#unfolded.add(slice);
    this.#schedule();
  }

  addRecords(): void {
    this.#hasRecords = true;
    this.#schedule();
  }

  /** Folds what has been added. What cannot be folded is left to the sweep that returns this process's slices. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
    if (this.#isPending) await this.#fold();
  }

  get #isPending(): boolean {
    return this.#hasRecords || this.#unfolded.size > 0;
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== null || this.#running !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running = this.#fold().finally(() => {
        this.#running = null;
        if (this.#isPending) this.#schedule();
      });
    }, FOLD_MS);
    this.#timer.unref();
  }

  async #fold(): Promise<void> {
    const parts = Array.from(this.#unfolded, (slice) => ({ slice, amountNanoUsd: slice.unfoldedNanoUsd }));
    this.#unfolded = new Set();
    this.#hasRecords = false;
    try {
      const spendables = await this.#input.foldAll();
      for (const { slice, amountNanoUsd } of parts) slice.fold(amountNanoUsd);
      this.#learn(spendables);
    } catch (error) {
      for (const { slice } of parts) this.#unfolded.add(slice);
      this.#hasRecords = true;
      await this.#mind(error);
    }
  }

  #learn(spendables: ReadonlyMap<string, NanoUsd>): void {
    for (const [accountId, rowNanoUsd] of spendables) {
      const slice = this.#input.accounts.table.find(accountId);
      const known = slice?.fund.spendableNanoUsd ?? null;
      if (slice === undefined || known === null) continue;
      // A charge that was being folded when the account was last read has been counted twice. A lower figure than the
      // known one may only be older than a credit.
      const spendableNanoUsd = rowNanoUsd - slice.unfoldedNanoUsd;
      if (spendableNanoUsd > known) slice.fund.spendableNanoUsd = spendableNanoUsd;
    }
  }

  /** One batch that cannot be folded must not hold up the others, so they are folded one by one. */
  async #mind(error: unknown): Promise<void> {
    const { logger, foldEach } = this.#input;
    if (!isBadEntry(error)) {
      const level = isConnectionFailure(error) ? 'debug' : 'warn';
      logger[level]({ error: asError(error) }, 'charges could not be folded yet');
      return;
    }
    try {
      const failures = await foldEach();
      const [first] = failures.values();
      if (failures.size > 0) {
        logger.error({ error: asError(first), batches: failures.size }, 'batches of charges cannot be folded');
      }
    } catch (again) {
      logger.warn({ error: asError(again) }, 'charges could not be folded yet');
    }
  }
}
