// Batches: many calls, run by the gateway one by one. Each line is held, charged and recorded like any call, once,
// whatever process dies in between: it keeps its generation from its first turn on. Requests and answers are kept
// sealed.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { HandedReply } from '../../canonical/handed-line.ts';
import type { PriceSchedule } from '../../canonical/price.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { createSharedGate, LARGE_READS } from '../../platform/gate.ts';
import { newId, newMessageBatchId, newTimedId } from '../../platform/ids.ts';
import { type Files, KEPT_MS, type Owner } from './files.ts';
import { type HasHadCredit, keptBounds } from './kept-bounds.ts';
import { readPrices } from './kept-prices.ts';
import { KeptResults } from './kept-results.ts';
import { readIn } from './read-in.ts';
import type { LinePlace, LineSeal } from './sealing.ts';
import * as store from './store/batches.ts';
import { type FileRow, insertFile } from './store/files.ts';
import { type HandedPartRow, readHandedOf } from './store/handed.ts';
import { makeCallbackDue } from './store/jobs.ts';
import * as lineStore from './store/lines.ts';
import { AccountTurns } from './turns.ts';

export type { BatchForm, BatchKey, LineTokens } from './store/batches.ts';
export type Batch = store.BatchRow & store.BatchCounts & Readonly<{ handed: readonly HandedPart[] }>;

/** Lines that a provider's own batch interface has taken, and their prices where those are known. */
export type HandedPart = Omit<HandedPartRow, 'batchId' | 'prices'> & Readonly<{ prices: PriceSchedule | null }>;
type BatchSearch = store.BatchSearch;

type NewBatch = Owner &
  Pick<store.NewBatch, 'keyId' | 'network' | 'endpoint' | 'inputFileId' | 'metadata' | 'resultsKeptSeconds'>;

type NewLines = Owner &
  Pick<store.NewBatch, 'keyId' | 'network' | 'endpoint'> &
  Readonly<{ lines: readonly Readonly<{ customId: string; body: string }>[] }>;

/** A line whose turn it is. */
export type DueLine = Omit<lineStore.LineRow, 'request' | 'calledAt' | 'expiresAt'> &
  Readonly<{
    body: Buffer;
    generationId: string;
    calledAtMs: number;
    /** The end of the time that its batch has. */
    expiresAtMs: number;
    /** The provider's answer, for a line that was handed to it. */
    reply?: HandedReply;
  }>;

export type Batches = Readonly<{
  /** Null where the account has as many batches under way as it may. */
  create(batch: NewBatch): Promise<Batch | null>;
  /** The same, for lines that come with the request. */
  createOfLines(batch: NewLines): Promise<Batch | null>;
  find(key: store.BatchKey): Promise<Batch | null>;
  list(search: BatchSearch): Promise<readonly Batch[]>;
  /** False when there is nothing left to cancel. */
  cancel(key: store.BatchKey): Promise<boolean>;
  /** False when it is not over. */
  remove(key: store.BatchKey): Promise<boolean>;
  /** Ends batches that are over. False where none is under way. */
  look(): Promise<boolean>;
  /** Reads the lines of a new batch; accounts take turns. False where none waits for it. */
  readNext(): Promise<boolean>;
  /** How many lines this process runs at once. */
  readonly linesAtOnce: number;
  /** The lines that run here already count towards an account's share. */
  claimLines(linesMax: number, running: Iterable<DueLine>): Promise<readonly DueLine[]>;
  beat(lines: readonly DueLine[]): Promise<void>;
  /** Ends a line with its result. */
  answer(line: DueLine, result: LineResult): Promise<void>;
  /** Puts a line off for another turn, as another call unless it has been charged. */
  postpone(line: DueLine, delayMs: number, isCharged: boolean): Promise<void>;
  /** The same, where a limit or a provider wants fewer calls: the account's other lines wait a moment too. */
  holdBack(line: DueLine, delayMs: number, isCharged: boolean): Promise<void>;
  /** The results, line by line. */
  results(batchId: string, wanted: WantedResults): AsyncIterable<Buffer>;
  sweep(): Promise<number>;
}>;

export type LineResult = Readonly<{ isFailed: boolean; content: Buffer; tokens: store.LineTokens }>;

type ResultFile = Readonly<{ kind: 'output' | 'errors'; row: FileRow }>;

type WantedResults = Readonly<{
  states: readonly store.LineState[];
  /** The result of a line that was cancelled before its turn. */
  left?(customId: string): string;
}>;

const WINDOW_MS = DAY_MS;
/** A process that runs a line and has not renewed it for so long is taken for dead. */
const LEASE_MS = 20_000;
/** Reading the largest file takes less. */
const READING_MS = 120_000;
const LOOK_MS = 1_000;
const LOOKED_AT_ONCE = 20;
/** The share of a process's lines that one account may have at once, so that no other waits for its calls to end. */
const ACCOUNT_SHARE = 0.75;
const REST_MS_MAX = 5_000;
const ACCOUNTS_MAX = 1_000;
const ACCOUNTS_ASKED_AT_ONCE = 32;
const ADDED_AT_ONCE = 500;
const READ_AT_ONCE = 200;
/** A batch may have 50,000 lines with their answers, which go with it in one statement; a job has one. */
const SWEPT_AT_ONCE = { batches: 1, jobs: 200 };
/** Counted from the end of the job. */
const JOB_KEPT_MS = DAY_MS;
const NEWLINE = Buffer.from('\n');
const NO_FILES = { errors: null, outputFileId: null, errorFileId: null, counts: null };

type BatchesInput = Readonly<{
  database: Database;
  clock: Clock;
  lineSeal: LineSeal;
  files: Pick<Files, 'read'>;
  linesAtOnce: number;
  hasHadCredit: HasHadCredit;
}>;

export const createBatches = (input: BatchesInput): Batches => new KeptBatches(input);

class KeptBatches implements Batches {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #lineSeal: LineSeal;
  readonly #input: BatchesInput;
  readonly linesAtOnce: number;
  readonly #turns = new AccountTurns();
  readonly #results: KeptResults;
  readonly #reads = createSharedGate(LARGE_READS);
  #accountsAfter = '';

  constructor(input: BatchesInput) {
    const { database, clock, lineSeal, linesAtOnce } = input;
    this.#database = database;
    this.linesAtOnce = linesAtOnce;
    this.#clock = clock;
    this.#lineSeal = lineSeal;
    this.#input = input;
    this.#results = new KeptResults(input);
  }

  create(batch: NewBatch): Promise<Batch | null> {
    const row = { ...batch, ...this.#newRow(newId('batch')), form: 'file', status: 'validating' } as const;
    const unread = { ...row, lineCount: 0, begunAt: null, dueAt: row.createdAt };
    return this.#make(row, (transaction) => store.insertBatch(transaction, unread));
  }

  createOfLines({ lines, ...batch }: NewLines): Promise<Batch | null> {
    const row = { ...batch, ...this.#newRow(newMessageBatchId()), form: 'messages', status: 'running' } as const;
    const { createdAt } = row;
    const rest = { inputFileId: '', metadata: null, resultsKeptSeconds: null, begunAt: createdAt, dueAt: createdAt };
    return this.#make(row, async (transaction) => {
      await store.insertBatch(transaction, { ...row, ...rest, lineCount: lines.length });
      for (let from = 0; from < lines.length; from += ADDED_AT_ONCE) {
        const some = lines.slice(from, from + ADDED_AT_ONCE).map(({ customId, body }, index) => {
          const lineNo = from + index + 1;
          return { lineNo, customId, request: this.#seal(body, { batchId: row.id, lineNo }) };
        });
        await lineStore.addLines(transaction, row.id, some, createdAt);
      }
    });
  }

  async #make(row: store.BatchKey, insert: (transaction: Queryable) => Promise<void>): Promise<Batch | null> {
    const bounds = await keptBounds(row.accountId, this.#input.hasHadCredit);
    const isMade = await withRoom(this.#database, row.accountId, async (transaction) => {
      if ((await store.countOpen(transaction, row.accountId)) >= bounds.openBatches) return false;
      await this.#results.refuseFull(transaction, row.accountId, bounds);
      await insert(transaction);
      return true;
    });
    return isMade ? this.find(row) : null;
  }

  async find(key: store.BatchKey): Promise<Batch | null> {
    const row = await store.findBatch(this.#database, key);
    return row === null ? null : ((await this.#withCounts([row]))[0] ?? null);
  }

  async list(search: BatchSearch): Promise<readonly Batch[]> {
    return this.#withCounts(await store.listBatches(this.#database, search));
  }

  cancel(key: store.BatchKey): Promise<boolean> {
    return store.cancelBatch(this.#database, key, this.#now());
  }

  remove(key: store.BatchKey): Promise<boolean> {
    return store.removeBatch(this.#database, key);
  }

  async look(): Promise<boolean> {
    const claim = { now: this.#now(), againAt: this.#later(LOOK_MS), limit: LOOKED_AT_ONCE };
    const failures: unknown[] = [];
    // One that cannot be ended keeps no other waiting.
    for (const batch of await store.claimBatches(this.#database, claim)) {
      await this.#endIfOver(batch).catch((error: unknown) => failures.push(error));
    }
    const accountIds = await store.readOpenAccounts(this.#database, this.#accountsAfter, ACCOUNTS_MAX);
    this.#accountsAfter = accountIds.length < ACCOUNTS_MAX ? '' : (accountIds.at(-1) ?? '');
    this.#turns.keep(accountIds);
    if (failures.length > 0) throw failures[0];
    return accountIds.length > 0;
  }

  async readNext(): Promise<boolean> {
    const batch = await store.claimUnread(this.#database, this.#now(), this.#later(READING_MS));
    if (batch !== null) await readIn(batch, this.#input);
    return batch !== null;
  }

  async claimLines(linesMax: number, running: Iterable<DueLine>): Promise<readonly DueLine[]> {
    const had = new Map<string, number>();
    for (const { accountId } of running) had.set(accountId, (had.get(accountId) ?? 0) + 1);
    const accountMax = Math.ceil(this.linesAtOnce * ACCOUNT_SHARE);
    const roomOf = (accountId: string): number => accountMax - (had.get(accountId) ?? 0);
    const nowMs = this.#clock.nowMs();
    const withRoomLeft = this.#turns.order(nowMs).filter((accountId) => roomOf(accountId) > 0);
    const waiting = await this.#results.thatMayHaveMore(withRoomLeft, nowMs);
    const claimed: lineStore.LineRow[] = [];
    for (let from = 0; from < waiting.length && claimed.length < linesMax; from += ACCOUNTS_ASKED_AT_ONCE) {
      const accounts = waiting.slice(from, from + ACCOUNTS_ASKED_AT_ONCE);
      const times = { now: this.#now(), until: this.#later(LEASE_MS) };
      const claim = { ...times, accounts, rooms: accounts.map(roomOf), linesMax: linesMax - claimed.length };
      claimed.push(...(await lineStore.claimLines(this.#database, claim)));
    }
    this.#turns.took(claimed.map(({ accountId }) => accountId));
    return this.#named(claimed);
  }

  async beat(lines: readonly DueLine[]): Promise<void> {
    if (lines.length > 0) await lineStore.beatLines(this.#database, lines, this.#later(LEASE_MS));
  }

  async answer(line: DueLine, { isFailed, content, tokens }: LineResult): Promise<void> {
    const { batchId, lineNo, generationId, attempts, form } = line;
    const state = isFailed ? 'failed' : 'succeeded';
    this.#results.note(line.accountId, content.length, this.#clock.nowMs());
    const answer = {
      ...{ batchId, lineNo, generationId, attempts },
      state,
      answer: this.#lineSeal.seal(content, line),
      bytes: content.length,
      tokens,
    } as const;
    if (form !== 'job') return void (await lineStore.answerLine(this.#database, answer));
    const end = { id: batchId, status: isFailed ? 'failed' : 'completed', ...NO_FILES } as const;
    // A job is over with its only line.
    await this.#database.transaction(async (transaction) => {
      if (!(await lineStore.answerLine(transaction, answer))) return;
      if (await store.endBatch(transaction, { ...end, endedAt: this.#now() })) {
        await makeCallbackDue(transaction, batchId, this.#now());
      }
    });
  }

  postpone(line: DueLine, delayMs: number, isCharged: boolean): Promise<void> {
    return lineStore.postponeLine(this.#database, line, this.#later(delayMs), isCharged);
  }

  holdBack(line: DueLine, delayMs: number, isCharged: boolean): Promise<void> {
    this.#turns.rest(line.accountId, this.#clock.nowMs() + Math.min(delayMs, REST_MS_MAX));
    return this.postpone(line, delayMs, isCharged);
  }

  async *results(batchId: string, { states, left }: WantedResults): AsyncIterable<Buffer> {
    for (let afterLine = 0; ; ) {
      const page = { afterLine, limit: READ_AT_ONCE };
      const rows = await this.#reads(batchId, () => lineStore.readAnswers(this.#database, batchId, states, page));
      for (const { lineNo, customId, answer } of rows) {
        const text =
          answer === null ? Buffer.from(left?.(customId) ?? '') : this.#lineSeal.open(answer, { batchId, lineNo });
        if (text !== null) yield Buffer.concat([text, NEWLINE]);
        afterLine = lineNo;
      }
      if (rows.length === 0) return;
    }
  }

  async sweep(): Promise<number> {
    let total = 0;
    for (;;) {
      const before = { madeBefore: this.#later(-KEPT_MS), jobsEndedBefore: this.#later(-JOB_KEPT_MS) };
      const count = await store.sweepBatches(this.#database, { ...before, ...SWEPT_AT_ONCE });
      total += count;
      if (count === 0) return total;
    }
  }

  async #endIfOver(batch: store.BatchRow): Promise<void> {
    const isExpired = batch.expiresAt.getTime() <= this.#clock.nowMs();
    const isCutOff = batch.status === 'cancelling' || isExpired;
    // Only batches of messages show what became of lines that had no turn.
    if (batch.begunAt === null || (isCutOff && batch.form === 'file'))
      await lineStore.dropLines(this.#database, batch.id);
    else if (isCutOff) await lineStore.leaveLines(this.#database, batch.id);
    if (await lineStore.hasOpenLines(this.#database, batch.id)) return;
    const lines = await store.countLines(this.#database, [batch.id]);
    const counts = store.countsOf(lines);
    const isWhole = counts.succeeded + counts.failed >= batch.lineCount;
    const status = batch.status === 'cancelling' ? 'cancelled' : isWhole ? 'completed' : 'expired';
    const files = batch.form !== 'file' ? [] : lines.flatMap((count) => this.#resultFile(batch, count) ?? []);
    const idOf = (kind: ResultFile['kind']): string | null => files.find((file) => file.kind === kind)?.row.id ?? null;
    const end = { status, errors: null, outputFileId: idOf('output'), errorFileId: idOf('errors'), counts } as const;
    await this.#database.transaction(async (transaction) => {
      // Another process that looked at the same moment has made its files.
      if (!(await store.endBatch(transaction, { id: batch.id, ...end, endedAt: this.#now() }))) return;
      for (const { row } of files) await insertFile(transaction, row);
      if (batch.form === 'job') await makeCallbackDue(transaction, batch.id, this.#now());
    });
  }

  /** Null for lines that have no result. */
  #resultFile(batch: store.BatchRow, { state, bytes }: store.LineCount): ResultFile | null {
    if (state !== 'succeeded' && state !== 'failed') return null;
    const kind = state === 'succeeded' ? 'output' : 'errors';
    const { id: batchId, accountId, userId, resultsKeptSeconds } = batch;
    const keptMs = resultsKeptSeconds === null ? KEPT_MS : resultsKeptSeconds * 1_000;
    const times = { createdAt: this.#now(), expiresAt: this.#later(keptMs) };
    const shown = { purpose: 'batch_output', fileName: `${batchId}_${kind}.jsonl`, bytes };
    return { kind, row: { id: newId('file'), accountId, userId, batchId, ...shown, ...times } };
  }

  async #withCounts(rows: readonly store.BatchRow[]): Promise<readonly Batch[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const uncounted = rows.filter(({ counts }) => counts === null).map(({ id }) => id);
    const [lines, handed] = await Promise.all([
      store.countLines(this.#database, uncounted),
      readHandedOf(this.#database, ids),
    ]);
    return rows.map((row) => ({
      ...row,
      ...(row.counts ?? store.countsOf(lines.filter(({ batchId }) => batchId === row.id))),
      handed: handed.filter(({ batchId }) => batchId === row.id).map(partOf),
    }));
  }

  async #named(claimed: readonly lineStore.LineRow[]): Promise<readonly DueLine[]> {
    const nowMs = this.#clock.nowMs();
    const unnamed = claimed.filter(({ generationId }) => generationId === null);
    const ids = unnamed.map(() => newTimedId('gen', nowMs));
    const given = await lineStore.nameLines(this.#database, unnamed, ids, new Date(nowMs));
    const named = new Map(unnamed.map((line, index) => [line, ids[index] ?? '']));
    return claimed.flatMap((line) => {
      const generationId = line.generationId ?? named.get(line) ?? '';
      // The claim had run out before the line was named, and it is another process's call.
      if (line.generationId === null && !given.has(generationId)) return [];
      const body = this.#lineSeal.open(line.request, line) ?? Buffer.from('{}');
      const times = { calledAtMs: line.calledAt?.getTime() ?? nowMs, expiresAtMs: line.expiresAt.getTime() };
      return [{ ...line, body, generationId, ...times }];
    });
  }

  #newRow(id: string) {
    return { id, createdAt: this.#now(), expiresAt: this.#later(WINDOW_MS) };
  }

  #seal = (text: string, place: LinePlace): Buffer => this.#lineSeal.seal(Buffer.from(text), place);

  #now(): Date {
    return new Date(this.#clock.nowMs());
  }

  #later(delayMs: number): Date {
    return new Date(this.#clock.nowMs() + delayMs);
  }
}

const partOf = ({ providerName, modelId, lines, isOver, prices }: HandedPartRow): HandedPart => ({
  ...{ providerName, modelId, lines, isOver },
  prices: prices === null ? null : readPrices(prices),
});
