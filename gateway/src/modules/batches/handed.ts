// Lines of batches that a provider's own batch interface runs at its lower price: gathered here while their batch is read,
// sent together, and taken back one by one with their results. Every step can be repeated by another process.

import type { HandedLine } from '../../canonical/handed-line.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { DueLine } from './batches.ts';
import { readPrices, writePrices } from './kept-prices.ts';
import type { LineSeal } from './sealing.ts';
import * as store from './store/handed.ts';

export type HandedBatch = store.HandedRow;

type NewLine = HandedLine &
  Readonly<{ batchId: string; lineNo: number; generationId: string; path: string; body: string | Buffer }>;

/** A line that comes back, and what was agreed when it was handed over. */
type ReturnedLine = Readonly<{ line: DueLine; handed: HandedLine & Readonly<{ userId: string }> }>;

export type NamedLine = Readonly<{ lineNo: number; generationId: string }>;

/** A line as the provider gets it. */
type SentLine = NamedLine & Readonly<{ body: Buffer }>;

export type Handed = Readonly<{
  /** In the transaction that holds the line's money. Throws `NotHandedError` where the line cannot be handed over. */
  add(transaction: Queryable, line: NewLine): Promise<void>;
  /** How long the money of a line is held at most. */
  heldUntilMs(): number;
  /** What somebody should look at now. */
  claim(limit: number): Promise<readonly HandedBatch[]>;
  /** Null while lines may still be added. */
  close(handed: HandedBatch): Promise<HandedBatch | null>;
  /** It has a name at the provider. */
  sent(handed: HandedBatch, upstreamId: string): Promise<void>;
  /** Tried or asked in vain: again, a little later each time. */
  again(handed: HandedBatch): Promise<void>;
  /** It is under way: to be asked about again, the less often the longer it takes. */
  wait(handed: HandedBatch): Promise<void>;
  /** The money of its lines is not held any more. */
  isOverdue(handed: HandedBatch): boolean;
  end(handed: HandedBatch, state: 'over' | 'refused'): Promise<void>;
  beat(handed: HandedBatch): Promise<void>;
  /** Whether this name at a provider is that of something we know. */
  isKnown(providerName: string, upstreamId: string): Promise<boolean>;
  /** Whether its owner has cancelled it. */
  isCancelled(handed: HandedBatch): Promise<boolean>;
  /** What the provider gets, line by line, as often as one likes. */
  lines(handed: HandedBatch): AsyncIterable<SentLine>;
  /** Null where the line has its result already, or is none of these. */
  take(handed: HandedBatch, lineNo: number): Promise<ReturnedLine | null>;
  drop(handed: HandedBatch, lineNo: number): Promise<void>;
  /** Without a result: to be run here, or left with its batch. One that may have been charged keeps its generation. */
  giveBack(handed: HandedBatch, line: Pick<SentLine, 'lineNo' | 'generationId'>, mayBeCharged: boolean): Promise<void>;
}>;

/** The line stays as it was. */
export class NotHandedError extends Error {}

/** What both interfaces take, and no more than a sweep of the results should cost. */
const LINES_MAX = 50_000;
const BYTES_MAX = 100 * 1024 * 1024;
const GATHERED_MS = 600_000;
/** The providers' day, and time for the results. */
const HELD_MS = 30 * 3_600_000;
/** Lines with a turn as late as this are at a provider. */
const PARKED_MS = 3_600_000;
const LEASE_MS = 30_000;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
const READ_AT_ONCE = 200;

type HandedInput = Readonly<{ database: Database; clock: Clock; lineSeal: LineSeal }>;

export const createHanded = (input: HandedInput): Handed => new KeptHanded(input);

const LIMITS = { linesMax: LINES_MAX, bytesMax: BYTES_MAX };

class KeptHanded implements Handed {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #lineSeal: LineSeal;
  /** Until when those are claimed that took longer. */
  readonly #claims = new WeakMap<HandedBatch, Date>();

  constructor({ database, clock, lineSeal }: HandedInput) {
    this.#database = database;
    this.#clock = clock;
    this.#lineSeal = lineSeal;
  }

  async add(transaction: Queryable, { prices, body, ...line }: NewLine): Promise<void> {
    const sealed = this.#lineSeal.seal(Buffer.from(body), line);
    const row = { ...line, body: sealed, pricesText: JSON.stringify(writePrices(prices)) };
    if (!(await store.lockForHanding(transaction, row))) throw new NotHandedError();
    const open = await store.findOpen(transaction, row, LIMITS);
    const id = open ?? newId('handed');
    if (open === null) await store.openHanded(transaction, id, row, this.#later(0));
    if (!(await store.addLine(transaction, id, row, this.#later(HELD_MS)))) throw new NotHandedError();
  }

  heldUntilMs(): number {
    return this.#clock.nowMs() + HELD_MS;
  }

  claim(limit: number): Promise<readonly HandedBatch[]> {
    return store.claimHanded(this.#database, this.#later(0), this.#later(LEASE_MS), limit);
  }

  async close(handed: HandedBatch): Promise<HandedBatch | null> {
    const times = { openedBefore: this.#later(-GATHERED_MS), parkedFrom: this.#later(PARKED_MS) };
    const closed = await store.closeHanded(this.#database, handed.id, { ...times, ...LIMITS });
    if (closed === null) await this.#change(handed, { state: handed.state, tries: 0 }, FIRST_WAIT_MS);
    return closed;
  }

  sent(handed: HandedBatch, upstreamId: string): Promise<void> {
    return this.#change(handed, { state: 'sent', upstreamId, tries: 0 }, FIRST_WAIT_MS);
  }

  again(handed: HandedBatch): Promise<void> {
    const waitMs = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** Math.min(handed.tries, 10));
    return this.#change(handed, { state: handed.state, tries: handed.tries + 1 }, waitMs);
  }

  wait(handed: HandedBatch): Promise<void> {
    const ageMs = this.#clock.nowMs() - handed.createdAt.getTime();
    const waitMs = Math.max(FIRST_WAIT_MS, Math.min(WAIT_MS_MAX, ageMs / 10));
    return this.#change(handed, { state: handed.state, tries: 0 }, waitMs);
  }

  isOverdue({ createdAt }: HandedBatch): boolean {
    return createdAt.getTime() + HELD_MS <= this.#clock.nowMs();
  }

  end(handed: HandedBatch, state: 'over' | 'refused'): Promise<void> {
    return this.#change(handed, { state, tries: 0 }, 0);
  }

  async beat(handed: HandedBatch): Promise<void> {
    const until = this.#later(LEASE_MS);
    const claimedUntil = this.#claims.get(handed) ?? handed.dueAt;
    if (await store.beatHanded(this.#database, handed.id, claimedUntil, until)) this.#claims.set(handed, until);
  }

  isKnown(providerName: string, upstreamId: string): Promise<boolean> {
    return store.isKnown(this.#database, providerName, upstreamId);
  }

  isCancelled({ batchId }: HandedBatch): Promise<boolean> {
    return store.isCancelled(this.#database, batchId);
  }

  async *lines({ id, batchId }: HandedBatch): AsyncIterable<SentLine> {
    for (let afterLine = 0; ; ) {
      const rows = await store.readHandedLines(this.#database, id, { afterLine, limit: READ_AT_ONCE });
      for (const { lineNo, generationId, body } of rows) {
        afterLine = lineNo;
        const opened = this.#lineSeal.open(body, { batchId, lineNo });
        if (opened !== null) yield { lineNo, generationId, body: opened };
      }
      if (rows.length < READ_AT_ONCE) return;
    }
  }

  async take(handed: HandedBatch, lineNo: number): Promise<ReturnedLine | null> {
    const row = await store.takeLine(this.#database, handed.id, lineNo);
    if (row === null) return null;
    const { request, calledAt, modelId, heldNanoUsd, prices, userId, ...line } = row;
    const { providerName, upstreamModel } = handed;
    const body = this.#lineSeal.open(request, line) ?? Buffer.from('{}');
    return {
      line: { ...line, body, calledAtMs: calledAt.getTime() },
      handed: { modelId, providerName, upstreamModel, heldNanoUsd, prices: readPrices(prices), userId },
    };
  }

  drop(handed: HandedBatch, lineNo: number): Promise<void> {
    return store.dropLine(this.#database, handed.id, lineNo);
  }

  async giveBack(handed: HandedBatch, line: NamedLine, mayBeCharged: boolean): Promise<void> {
    const { lineNo, generationId } = line;
    const returned = { batchId: handed.batchId, lineNo, generationId, mayBeCharged };
    await store.returnLine(this.#database, returned, this.#later(0));
    await this.drop(handed, lineNo);
  }

  #change({ id }: HandedBatch, change: Omit<store.HandedChange, 'dueAt'>, waitMs: number): Promise<void> {
    return store.changeHanded(this.#database, id, { ...change, dueAt: this.#later(waitMs) });
  }

  #later(ms: number): Date {
    return new Date(this.#clock.nowMs() + ms);
  }
}
