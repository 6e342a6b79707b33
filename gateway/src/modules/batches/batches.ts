// Batches: many calls in a file, run by the gateway one by one. Each line is held, charged and recorded like any call, once,
// whatever dies in between: it keeps its generation from its first turn on. What is asked and answered is kept sealed.

import type { Clock } from '../../platform/clock.ts';
import { deriveKey, openBytes, sealBytes } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { newId, newTimedId } from '../../platform/ids.ts';
import { type Files, KEPT_MS, type Owner } from './files.ts';
import { BadLineError, readLines } from './read-lines.ts';
import * as store from './store/batches.ts';
import { insertFile } from './store/files.ts';

export type Batch = store.BatchRow & Readonly<{ succeeded: number; failed: number }>;
export type BatchSearch = store.BatchSearch;

export type NewBatch = Owner &
  Readonly<{ keyId: string; endpoint: string; inputFileId: string; metadata: Readonly<Record<string, string>> | null }>;

/** A line whose turn it is. */
export type DueLine = Readonly<{
  batchId: string;
  lineNo: number;
  customId: string;
  keyId: string;
  endpoint: string;
  attempts: number;
  body: Buffer;
  generationId: string;
  calledAtMs: number;
}>;

export type Batches = Readonly<{
  /** Null where the account has as many under way as it may. */
  create(batch: NewBatch): Promise<Batch | null>;
  find(id: string, owner: Owner): Promise<Batch | null>;
  list(search: BatchSearch): Promise<readonly Batch[]>;
  /** False when there is nothing left to cancel. */
  cancel(id: string, owner: Owner): Promise<boolean>;
  /** Reads the lines of new batches, ends those that are over. */
  look(): Promise<void>;
  claimLines(linesMax: number): Promise<readonly DueLine[]>;
  beat(lines: readonly DueLine[]): Promise<void>;
  /** With the line of the results that it becomes. */
  answer(line: DueLine, isFailed: boolean, text: string): Promise<void>;
  /** For another turn, as another call. */
  postpone(line: DueLine, delayMs: number): Promise<void>;
  /** The results, line by line. */
  results(batchId: string, state: 'succeeded' | 'failed'): AsyncIterable<Buffer>;
  sweep(): Promise<number>;
}>;

const WINDOW_MS = 24 * 3_600_000;
const OPEN_MAX = 20;
/** Who runs a line and has shown no sign of life for so long has died. */
const LEASE_MS = 20_000;
/** Reading in the largest file takes less. */
const READING_MS = 120_000;
const LOOK_MS = 1_000;
const LOOKED_AT_ONCE = 20;
const LINES_OF_BATCH_MAX = 8;
const ADDED_AT_ONCE = 500;
const READ_AT_ONCE = 200;
const SWEPT_AT_ONCE = 20;
const NEWLINE = Buffer.from('\n');

type BatchesInput = Readonly<{ database: Database; clock: Clock; secretKey: Buffer; files: Pick<Files, 'read'> }>;

export const createBatches = (input: BatchesInput): Batches => new KeptBatches(input);

class KeptBatches implements Batches {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #files: Pick<Files, 'read'>;
  readonly #sealingKey: Buffer;

  constructor({ database, clock, secretKey, files }: BatchesInput) {
    this.#database = database;
    this.#clock = clock;
    this.#files = files;
    this.#sealingKey = deriveKey(secretKey, 'batches.content');
  }

  async create(batch: NewBatch): Promise<Batch | null> {
    if ((await store.countOpen(this.#database, batch.accountId)) >= OPEN_MAX) return null;
    const nowMs = this.#clock.nowMs();
    const id = newId('batch');
    const times = { createdAt: new Date(nowMs), expiresAt: new Date(nowMs + WINDOW_MS) };
    await store.insertBatch(this.#database, { ...batch, id, ...times });
    return this.find(id, batch);
  }

  async find(id: string, owner: Owner): Promise<Batch | null> {
    const row = await store.findBatch(this.#database, id, owner);
    return row === null ? null : ((await this.#withCounts([row]))[0] ?? null);
  }

  async list(search: BatchSearch): Promise<readonly Batch[]> {
    return this.#withCounts(await store.listBatches(this.#database, search));
  }

  cancel(id: string, owner: Owner): Promise<boolean> {
    return store.cancelBatch(this.#database, id, owner, this.#now());
  }

  async look(): Promise<void> {
    const due = await store.claimBatches(this.#database, {
      ...{ now: this.#now(), readUntil: this.#later(READING_MS), againAt: this.#later(LOOK_MS), limit: LOOKED_AT_ONCE },
    });
    for (const batch of due) {
      if (batch.status === 'validating') await this.#readIn(batch);
      else await this.#endIfOver(batch);
    }
  }

  async claimLines(linesMax: number): Promise<readonly DueLine[]> {
    const claim = { now: this.#now(), until: this.#later(LEASE_MS), perBatchMax: LINES_OF_BATCH_MAX, linesMax };
    const claimed = await store.claimLines(this.#database, claim);
    const nowMs = this.#clock.nowMs();
    const unnamed = claimed.filter(({ generationId }) => generationId === null);
    const ids = unnamed.map(() => newTimedId('gen', nowMs));
    if (unnamed.length > 0) await store.nameLines(this.#database, unnamed, ids, new Date(nowMs));
    const named = new Map(unnamed.map((line, index) => [line, ids[index]]));
    return claimed.map((line) => ({
      ...line,
      body: openBytes(this.#sealingKey, line.request, placeOf(line)) ?? Buffer.from('{}'),
      generationId: line.generationId ?? named.get(line) ?? '',
      calledAtMs: line.calledAt?.getTime() ?? nowMs,
    }));
  }

  async beat(lines: readonly DueLine[]): Promise<void> {
    if (lines.length > 0) await store.beatLines(this.#database, lines, this.#later(LEASE_MS));
  }

  async answer(line: DueLine, isFailed: boolean, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const { batchId, lineNo } = line;
    const answer = sealBytes(this.#sealingKey, bytes, placeOf(line));
    const state = isFailed ? 'failed' : 'succeeded';
    await store.answerLine(this.#database, { batchId, lineNo, state, answer, bytes: bytes.length });
  }

  postpone(line: DueLine, delayMs: number): Promise<void> {
    return store.postponeLine(this.#database, line, this.#later(delayMs));
  }

  async *results(batchId: string, state: 'succeeded' | 'failed'): AsyncIterable<Buffer> {
    for (let afterLine = 0; ; ) {
      const rows = await store.readAnswers(this.#database, batchId, state, { afterLine, limit: READ_AT_ONCE });
      for (const { lineNo, answer } of rows) {
        const text = openBytes(this.#sealingKey, answer, placeOf({ batchId, lineNo }));
        if (text !== null) yield Buffer.concat([text, NEWLINE]);
        afterLine = lineNo;
      }
      if (rows.length < READ_AT_ONCE) return;
    }
  }

  async sweep(): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await store.sweepBatches(this.#database, this.#later(-KEPT_MS), SWEPT_AT_ONCE);
      total += count;
      if (count < SWEPT_AT_ONCE) return total;
    }
  }

  /** Again from the beginning after a crash: a line that is there already stays as it is. */
  async #readIn(batch: store.BatchRow): Promise<void> {
    const { id, endpoint, inputFileId } = batch;
    let lines: store.NewLine[] = [];
    let lineCount = 0;
    const add = async (): Promise<void> => {
      await store.addLines(this.#database, id, lines, this.#now());
      lines = [];
    };
    try {
      for await (const { lineNo, customId, body } of readLines(this.#files.read(inputFileId), endpoint)) {
        const request = sealBytes(this.#sealingKey, Buffer.from(body), placeOf({ batchId: id, lineNo }));
        lines.push({ lineNo, customId, request });
        lineCount += 1;
        if (lines.length === ADDED_AT_ONCE) await add();
      }
      if (lines.length > 0) await add();
    } catch (error) {
      if (!(error instanceof BadLineError)) throw error;
      await store.leaveLines(this.#database, id);
      const end = { id, status: 'failed', errors: [error.problem], outputFileId: null, errorFileId: null } as const;
      await store.endBatch(this.#database, { ...end, endedAt: this.#now() });
      return;
    }
    await store.beginBatch(this.#database, id, this.#now(), lineCount);
  }

  async #endIfOver(batch: store.BatchRow): Promise<void> {
    const isExpired = batch.expiresAt.getTime() <= this.#clock.nowMs();
    if (batch.status === 'cancelling' || isExpired) await store.leaveLines(this.#database, batch.id);
    if (await store.hasOpenLines(this.#database, batch.id)) return;
    const counts = await store.countLines(this.#database, [batch.id]);
    const left = counts.some(({ state }) => state === 'left');
    const status = batch.status === 'cancelling' ? 'cancelled' : left ? 'expired' : 'completed';
    await this.#database.transaction(async (transaction) => {
      const files = { outputFileId: null as string | null, errorFileId: null as string | null };
      for (const { state, bytes } of counts) {
        if (state !== 'succeeded' && state !== 'failed') continue;
        const id = newId('file');
        const [name, member] =
          state === 'succeeded' ? (['output', 'outputFileId'] as const) : (['errors', 'errorFileId'] as const);
        files[member] = id;
        await insertFile(transaction, {
          ...{
            id,
            accountId: batch.accountId,
            userId: batch.userId,
            purpose: 'batch_output',
            batchId: batch.id,
            bytes,
          },
          fileName: `${batch.id}_${name}.jsonl`,
          ...{ createdAt: this.#now(), expiresAt: this.#later(KEPT_MS) },
        });
      }
      await store.endBatch(transaction, { id: batch.id, status, errors: null, ...files, endedAt: this.#now() });
    });
  }

  async #withCounts(rows: readonly store.BatchRow[]): Promise<readonly Batch[]> {
    if (rows.length === 0) return [];
    const counts = await store.countLines(
      this.#database,
      rows.map(({ id }) => id),
    );
    const countOf = (batchId: string, wanted: store.LineState): number =>
      counts.find((each) => each.batchId === batchId && each.state === wanted)?.lines ?? 0;
    return rows.map((row) => ({ ...row, succeeded: countOf(row.id, 'succeeded'), failed: countOf(row.id, 'failed') }));
  }

  #now(): Date {
    return new Date(this.#clock.nowMs());
  }

  #later(delayMs: number): Date {
    return new Date(this.#clock.nowMs() + delayMs);
  }
}

const placeOf = ({ batchId, lineNo }: Readonly<{ batchId: string; lineNo: number }>): string =>
  `batch:${batchId}:${lineNo}`;
