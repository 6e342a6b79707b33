// Group commit: all settlements that are ready are added in one statement, one statement at a time, while the next
// batch forms. When the database is away, settlements go to the journal file and are replayed when it is back. A
// replay, and charges that no slice carries any more, are written by the slower statement that locks the accounts.

import type { Clock } from '../../platform/clock.ts';
import { reportFailure } from '../../platform/db/report-failure.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { BATCH_MAX, CommitPace } from './commit-pace.ts';
import { type CommitClamped, type Doubtful, inTime, isBadEntry } from './commit-settlements.ts';
import type { Folding } from './folding.ts';
import type { Journal } from './journal.ts';
import type { KeptSettlements } from './kept-settlements.ts';
import {
  type Charged,
  type FinishedCall,
  type PendingSettlement,
  type SettlementEntry,
  settlementEntry,
} from './settlement-entry.ts';

/** Nobody waits for records, so they are written together with charges; without a charge they wait this long. */
const RECORD_DELAY_MS = 50;
const RECORDS_MAX = 100_000;
const RECORDS_DROPPED_TOGETHER = 1_000;
const RECOVERY_MS = 100;

type SettlementWriterInput = Readonly<{
  /** In one statement; false, with nothing added, where this process has no slices any more. */
  append: (calls: readonly FinishedCall[]) => Promise<boolean>;
  /** Stores the price lists that charges name; null when all of them are stored, which is nearly always so. */
  keepPriceLists: (calls: readonly FinishedCall[]) => Promise<void> | null;
  commitClamped: CommitClamped;
  folding: Pick<Folding, 'add' | 'addRecords' | 'close'>;
  journal: Journal;
  clock: Clock;
  logger: Logger;
  /** The ids of the processes that the database knows; rejects while it is away. */
  livingProcesses: () => Promise<ReadonlySet<string>>;
  /** Nothing is written while the claim on slices is in doubt, so that charges come out of the right ones. */
  isClaimed: () => boolean;
  /** Resolves when the claim is certain again, or after a short wait. */
  untilClaimed: () => Promise<void>;
  /** Notes what the database has taken. */
  kept: Pick<KeptSettlements, 'add' | 'flush'>;
  /** The number of processes that share the database. */
  processCount: () => number;
  /** Told of every batch that the database has taken, and how many charges it held. */
  onCommitted: (settlements: number) => void;
}>;

type Batch = Readonly<{ settlements: readonly PendingSettlement[]; records: readonly FinishedCall[] }>;

const entryOf = (call: FinishedCall): SettlementEntry => settlementEntry(call.record, call);

export class SettlementWriter {
  readonly #input: SettlementWriterInput;
  #settlements: PendingSettlement[] = [];
  #records: FinishedCall[] = [];
  /**
   * By generation id. A list, so that a second settlement of the same id, which would be a bug, does not lose its
   * slice.
   */
  readonly #journaled = new Map<string, PendingSettlement[]>();
  #isWriting = false;
  #isAway = false;
  #awaySinceMs = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #immediate: NodeJS.Immediate | null = null;
  readonly #pace = new CommitPace();
  #underWay = 0;
  #droppedRecords = 0;
  #onIdle: (() => void) | null = null;

  constructor(input: SettlementWriterInput) {
    this.#input = input;
  }

  /** True from the first failed batch until the journal has been replayed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** How long the oldest unwritten settlement has waited, for metrics. */
  get lagMs(): number {
    if (!this.#isAway && !this.#isWriting) return 0;
    return this.#input.clock.monotonicMs() - (this.#isAway ? this.#awaySinceMs : this.#pace.lastStartMs);
  }

  get droppedRecords(): number {
    return this.#droppedRecords;
  }

  get buriedCount(): number {
    return this.#input.journal.buriedCount;
  }

  get journaledCount(): number {
    return this.#journaled.size;
  }

  get queuedCount(): number {
    return this.#settlements.length + this.#records.length;
  }

  /** `underWay` is how many calls hold money that may have to be settled next. */
  add(settlement: PendingSettlement, underWay: number): void {
    this.#settlements.push(settlement);
    this.#underWay = underWay;
    this.#schedule();
  }

  /** A record without a charge. Under pressure the oldest are dropped; charges never are. */
  addRecord(call: FinishedCall): void {
    this.#records.push(call);
    this.#boundRecords();
    this.#schedule();
  }

  /** Writes what the journals of this process and of dead ones hold. Rejects while the database is away. */
  async replay(): Promise<void> {
    await this.#replayAll(await this.#input.livingProcesses());
  }

  async #replayAll(livingProcesses: ReadonlySet<string>): Promise<void> {
    const { journal } = this.#input;
    await journal.adopt(livingProcesses);
    await journal.setAside();
    // A file that was adopted while its owner still wrote to it has grown, so it is read again.
    for (let isWhole = false; !isWhole; ) {
      isWhole = true;
      for await (const file of journal.pending()) {
        await this.#replayFile(file.entries as readonly SettlementEntry[]);
        if (!(await journal.remove(file))) isWhole = false;
      }
    }
  }

  async #replayFile(entries: readonly SettlementEntry[]): Promise<void> {
    for (let start = 0; start < entries.length; start += BATCH_MAX) {
      const batch = entries.slice(start, start + BATCH_MAX).map((entry) => {
        const [settlement = null] = this.#journaled.get(entry.row.id) ?? [];
        return { entry, settlement };
      });
      await this.#input.commitClamped(batch, ({ entry }, charged) => this.#replayed(entry, charged));
    }
    if (entries.length > 0) this.#input.logger.info({ settlements: entries.length }, 'journal replayed');
  }

  /** Resolves when everything that was added is in the database, folded, or in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#isWriting || this.#settlements.length > 0 || (this.#records.length > 0 && !this.#isAway)) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#schedule();
      await idle;
    }
    this.#unschedule();
    await this.#input.folding.close();
    await this.#input.kept.flush();
  }

  /** The journal has entries that `add` did not write; nothing else is written before them. */
  replaySoon(): void {
    this.#setAway();
  }

  #schedule(): void {
    if (this.#isWriting || this.#immediate !== null) return;
    const waitMs = this.#waitMs();
    if (waitMs === null) return;
    if (waitMs <= 0) {
      this.#unschedule();
      this.#immediate = setImmediate(() => void this.#flush());
      return;
    }
    const dueMs = this.#input.clock.monotonicMs() + waitMs;
    if (dueMs >= this.#timerDueMs) return;
    this.#unschedule();
    this.#timerDueMs = dueMs;
    this.#timer = setTimeout(() => void this.#flush(), waitMs);
  }

  /** How long the next batch should wait for others to join; null when there is nothing to write. */
  #waitMs(): number | null {
    const ready = this.#settlements.length;
    if (this.#isClosed) return 0;
    if (ready > 0) {
      const { processCount, clock } = this.#input;
      return this.#pace.waitMs(ready, this.#underWay, processCount(), clock.monotonicMs());
    }
    if (this.#records.length === 0 || this.#isAway) return null;
    return this.#records.length >= BATCH_MAX ? 0 : RECORD_DELAY_MS;
  }

  #unschedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    this.#immediate = null;
  }

  async #flush(): Promise<void> {
    this.#unschedule();
    if (this.#isWriting) return;
    this.#isWriting = true;
    const batch = this.#takeBatch();
    this.#pace.begin(this.#input.clock.monotonicMs(), batch.settlements.length);
    if (!this.#isAway && !this.#input.isClaimed()) await this.#input.untilClaimed();
    if (this.#isAway || !this.#input.isClaimed()) await this.#divert(batch);
    else await this.#write(batch);
    this.#isWriting = false;
    this.#onIdle?.();
    this.#schedule();
  }

  #takeBatch(): Batch {
    const settlements = this.#settlements.splice(0, BATCH_MAX);
    const records = this.#isAway ? [] : this.#records.splice(0, BATCH_MAX - settlements.length);
    return { settlements, records };
  }

  async #write(batch: Batch): Promise<void> {
    const { settlements } = batch;
    let { records } = batch;
    try {
      // What slices carry is added; the rest, and what could not be added, is written under the accounts' locks.
      const backed = settlements.filter((settlement) => settlement.isBacked);
      const calls = [...backed, ...records];
      if (calls.length > 0 && (await this.#append(calls))) {
        for (const settlement of backed) {
          this.#input.kept.add(settlement);
          this.#end(settlement, () => settlement.appended());
        }
        if (records.length > 0) this.#input.folding.addRecords();
        records = [];
      }
      const open = settlements.filter((settlement) => !settlement.isSafe);
      if (open.length + records.length > 0) await this.#commitOpen(open, records);
      this.#pace.committed(this.#input.clock.monotonicMs());
      this.#input.onCommitted(settlements.length);
    } catch (error) {
      const open = settlements.filter((settlement) => !settlement.isSafe);
      this.#input.logger.error({ error: asError(error), settlements: open.length }, 'settlements go to the journal');
      await this.#divert({ settlements: open, records });
    }
  }

  /** False, with nothing added, when a call is there already or a value is bad: then each is written with care. */
  async #append(calls: readonly FinishedCall[]): Promise<boolean> {
    const { append, keepPriceLists, logger } = this.#input;
    try {
      const keeping = keepPriceLists(calls);
      if (keeping !== null) await inTime(keeping);
      return await inTime(append(calls));
    } catch (error) {
      if (!isBadEntry(error)) throw error;
      logger.warn(
        { error: asError(error), calls: calls.length },
        'calls could not be added together and are written one by one',
      );
      return false;
    }
  }

  async #commitOpen(open: readonly PendingSettlement[], records: readonly FinishedCall[]): Promise<void> {
    const doubtful: Doubtful[] = open.map((settlement) => ({ entry: entryOf(settlement), settlement }));
    for (const record of records) doubtful.push({ entry: entryOf(record), settlement: null });
    await this.#input.commitClamped(doubtful, ({ entry, settlement }, charged) => {
      if (settlement === null) return;
      this.#input.kept.add(entry);
      this.#commit(settlement, charged);
    });
  }

  #commit(settlement: PendingSettlement, charged: Charged): void {
    this.#end(settlement, () => settlement.committed(charged), charged.chargedNanoUsd);
  }

  /** A slice whose sums do not agree is a bug of ours, but the charge stands and its caller is waiting. */
  #end(settlement: PendingSettlement, end: () => void, chargedNanoUsd = settlement.chargeNanoUsd): void {
    try {
      end();
    } catch (error) {
      const generationId = settlement.record.id;
      this.#input.logger.error(
        { error: asError(error), generationId },
        'a charge was written, but its reservation did not end properly',
      );
      settlement.safe(chargedNanoUsd);
    }
    if (settlement.isUnfolded) this.#input.folding.add(settlement);
  }

  #setAway(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#awaySinceMs = this.#pace.lastStartMs;
    void this.#recover();
  }

  async #divert(batch: Batch): Promise<void> {
    this.#records = [...batch.records, ...this.#records];
    this.#boundRecords();
    this.#setAway();
    if (batch.settlements.length === 0) return;
    try {
      await this.#input.journal.append(batch.settlements.map(entryOf));
    } catch (error) {
      // Neither the database nor the disk takes the settlements: no client is told that a charge stands, and it is
      // tried again.
      this.#input.logger.error({ error: asError(error) }, 'the journal cannot be written');
      this.#settlements = [...batch.settlements, ...this.#settlements];
      await this.#input.clock.sleep(RECOVERY_MS);
      return;
    }
    for (const settlement of batch.settlements) {
      const { id } = settlement.record;
      this.#journaled.set(id, [...(this.#journaled.get(id) ?? []), settlement]);
      settlement.safe(settlement.chargeNanoUsd);
    }
  }

  #replayed(entry: SettlementEntry, charged: Charged): void {
    const { id, account_id: accountId, charge } = entry.row;
    this.#input.kept.add(entry);
    const settlements = this.#journaled.get(id) ?? [];
    this.#journaled.delete(id);
    for (const settlement of settlements) this.#commit(settlement, charged);
    const missingNanoUsd = BigInt(charge) - charged.chargedNanoUsd;
    if (missingNanoUsd <= 0n) return;
    this.#input.logger.error(
      { generationId: id, accountId, missingNanoUsd },
      'a journaled charge could not be collected in full',
    );
  }

  async #recover(): Promise<void> {
    while (this.#isAway) {
      await this.#input.clock.sleep(RECOVERY_MS);
      if (this.#isClosed) return;
      if (!this.#input.isClaimed()) continue;
      try {
        // Asked before anything waits for the replay, because a server that hangs would hold up the journal too.
        const living = await this.#input.livingProcesses();
        if (!this.#isWriting) await this.#replayAlone(living);
      } catch (error) {
        reportFailure(this.#input.logger, error, 'the journal cannot be replayed yet');
      }
    }
  }

  async #replayAlone(living: ReadonlySet<string>): Promise<void> {
    this.#isWriting = true;
    try {
      await this.#replayAll(living);
      this.#isAway = false;
      this.#input.logger.info({}, 'settlements are written to the database again');
    } finally {
      this.#isWriting = false;
      this.#onIdle?.();
      this.#schedule();
    }
  }

  #boundRecords(): void {
    if (this.#records.length <= RECORDS_MAX) return;
    this.#records.splice(0, RECORDS_DROPPED_TOGETHER);
    this.#droppedRecords += RECORDS_DROPPED_TOGETHER;
    this.#input.logger.error({ droppedRecords: this.#droppedRecords }, 'records without a charge were dropped');
  }
}
