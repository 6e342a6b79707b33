// Lines that a provider's own batch interface runs at its lower price. They are gathered here while their batch is
// read, sent together, and taken back one by one with their results. Every step can be repeated by another process.

import { DAY_MS } from '../../canonical/calendar.ts';
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

/** A line that comes back, and the terms on which it was handed over. */
type ReturnedLine = Readonly<{ line: DueLine; handed: HandedLine & Readonly<{ userId: string }> }>;

export type NamedLine = Readonly<{ lineNo: number; generationId: string }>;

/** A line as the provider gets it. */
type SentLine = NamedLine & Readonly<{ body: Buffer }>;

export type Handed = Readonly<{
  /**
   * Runs in the transaction that holds the line's money. Throws `NotHandedError` where the line cannot be handed over.
   */
  add(transaction: Queryable, line: NewLine): Promise<void>;
  /** Until when the money of a line is held at most. */
  heldUntilMs(): number;
  /** Claims handed batches whose next step is due. */
  claim(limit: number): Promise<readonly HandedBatch[]>;
  /** Null while lines may still be added. */
  close(handed: HandedBatch): Promise<HandedBatch | null>;
  /** Notes its name at the provider. */
  sent(handed: HandedBatch, upstreamId: string): Promise<void>;
  /** A step failed: it is due again, a little later each time. */
  again(handed: HandedBatch): Promise<void>;
  /** The provider is at work: it is asked again, less often the longer it takes. */
  wait(handed: HandedBatch): Promise<void>;
  /** The money of its lines is no longer held. */
  isOverdue(handed: HandedBatch): boolean;
  /** From now on no further line of its batch is handed to its provider. It stays claimed, and due until its end. */
  refuse(handed: HandedBatch): Promise<void>;
  end(handed: HandedBatch, state: 'over' | 'refused'): Promise<void>;
  beat(handed: HandedBatch): Promise<void>;
  /** Whether this name at a provider belongs to a batch of ours. */
  isKnown(providerName: string, upstreamId: string): Promise<boolean>;
  /** Whether its owner has cancelled it. */
  isCancelled(handed: HandedBatch): Promise<boolean>;
  /** The lines as the provider gets them; may be read again. */
  lines(handed: HandedBatch): AsyncIterable<SentLine>;
  /** Null where the line has its result already, or does not belong to this batch. */
  take(handed: HandedBatch, lineNo: number): Promise<ReturnedLine | null>;
  drop(handed: HandedBatch, lineNo: number): Promise<void>;
  /**
   * Gives back a line without a result: it is run here, or cancelled with its batch. A line that has been charged keeps
   * its generation, and is run.
   */
  giveBack(handed: HandedBatch, line: Pick<SentLine, 'lineNo' | 'generationId'>, isCharged: boolean): Promise<void>;
}>;

/** The line stays as it was. */
export class NotHandedError extends Error {}

/** Both interfaces take this many, and sweeping more results at once would cost too much. */
const LINES_MAX = 50_000;
const BYTES_MAX = 100 * 1024 * 1024;
const GATHERED_MS = 600_000;
/** The day that providers take, and time to fetch the results. */
const HELD_MS = 30 * 3_600_000;
/** Lines whose turn is this far away are at a provider. */
const PARKED_MS = 3_600_000;
const LEASE_MS = 30_000;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
const READ_AT_ONCE = 200;
/** A century. */
const NEVER_MS = 36_525 * DAY_MS;

type HandedInput = Readonly<{ database: Database; clock: Clock; lineSeal: LineSeal }>;

export const createHanded = (input: HandedInput): Handed => new KeptHanded(input);

const LIMITS = { linesMax: LINES_MAX, bytesMax: BYTES_MAX };

class KeptHanded implements Handed {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #lineSeal: LineSeal;
  /** The end of the claim, for batches whose step took longer. */
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

  refuse({ id }: HandedBatch): Promise<void> {
    return store.refuseHanded(this.#database, id);
  }

  end(handed: HandedBatch, state: 'over' | 'refused'): Promise<void> {
    return this.#change(handed, { state, tries: 0 }, NEVER_MS);
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
    const { request, calledAt, expiresAt, modelId, heldNanoUsd, prices, userId, ...line } = row;
    const { providerName, upstreamModel } = handed;
    const body = this.#lineSeal.open(request, line) ?? Buffer.from('{}');
    return {
      line: { ...line, body, calledAtMs: calledAt.getTime(), expiresAtMs: expiresAt.getTime() },
      handed: { modelId, providerName, upstreamModel, heldNanoUsd, prices: readPrices(prices), userId },
    };
  }

  drop(handed: HandedBatch, lineNo: number): Promise<void> {
    return store.dropLine(this.#database, handed.id, lineNo);
  }

  async giveBack(handed: HandedBatch, line: NamedLine, isCharged: boolean): Promise<void> {
    const { lineNo, generationId } = line;
    const returned = { batchId: handed.batchId, lineNo, generationId, isCharged };
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
