// The self-check: everything that is cached is computed again from the rows it is a cache of. A check of what is new
// goes on where the last one ended; a check of everything begins at the last sealed month and adds up in two ways. Each
// statement is short and reads one moment, so vacuum is not held up and calls go on settling. A closed month is checked
// by itself, against its checkpoints.

import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { LedgerAudit } from './ledger.ts';
import {
  type CheckedAccounts,
  checkAccounts,
  checkAddedUp,
  checkMonthAccounts,
  readByIndexes,
} from './store/audit/accounts.ts';
import { checkMonthCounters, checkReservations, compareCounters, readCounts } from './store/audit/counters.ts';
import {
  checkAllDuplicates,
  checkDropped,
  checkDuplicates,
  checkEntries,
  findExactly,
  findUncharged,
  findUnrecorded,
  firstCallSince,
  listRecordSpans,
  nextStretch,
  type Stretch,
} from './store/audit/entries.ts';
import {
  beginMark,
  forgetCounters,
  keepEverything,
  keepRecords,
  keepStretch,
  lockMark,
  readMark,
  readNewest,
} from './store/audit/mark.ts';
import { type JournalSpan, lockMonthsForReading, readMonthSpan, readOpenSpan } from './store/audit/span.ts';
import { addCounts, addMoved, type Counted, type Moved } from './store/audit/sums.ts';
import { listWriters } from './store/months.ts';

/**
 * What is new since the last check, everything since the last sealed month, or (`usual`) everything where that is
 * little.
 */
export type AuditScope = 'new' | 'everything' | 'usual';

/** Takes a second or two. */
const USUAL_ENTRIES_MAX = 50_000n;

/** How long a statement should take; the number of rows that it reads is adapted to that. */
const STATEMENT_MS = 300;
const ROWS_MIN = 100;
const ROWS_MAX = 20_000;
const COUNTERS_TOGETHER = 5_000;
/** Of each kind of discrepancy; more would say nothing new. */
const FOUND_MAX = 100;

type Batch = Readonly<{ afterId: string; limit: number }>;

/** Adapts how many rows a statement reads. */
class Pace {
  rows = 1_000;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async timed<Result>(run: () => Promise<Result>): Promise<Result> {
    const startMs = this.#clock.monotonicMs();
    const result = await run();
    const tookMs = this.#clock.monotonicMs() - startMs;
    if (tookMs > STATEMENT_MS) this.rows = Math.max(ROWS_MIN, this.rows >> 1);
    else if (tookMs < STATEMENT_MS / 3) this.rows = Math.min(ROWS_MAX, this.rows << 1);
    return result;
  }
}

class Auditor {
  readonly session: Queryable;
  readonly span: JournalSpan;
  readonly #discrepancies = new Set<string>();
  readonly #clock: Clock;
  readonly #found = new Map<string, number>();
  /** Keyed by account. */
  readonly #unrecorded = new Map<string, NanoUsd>();

  constructor(session: Queryable, span: JournalSpan, clock: Clock) {
    this.session = session;
    this.span = span;
    this.#clock = clock;
  }

  /** A discrepancy that two checks see is reported once. */
  add(kind: string, words: readonly string[]): void {
    for (const one of words) {
      const known = this.#found.get(kind) ?? 0;
      if (known === FOUND_MAX) return;
      if (this.#discrepancies.has(one)) continue;
      this.#discrepancies.add(one);
      this.#found.set(kind, known + 1);
    }
  }

  get discrepancies(): readonly string[] {
    return [...this.#discrepancies];
  }

  /** Reads all rows of a table in the order of their ids. */
  async #batches<Row extends { lastId: string | null }>(
    read: (batch: Batch) => Promise<Row>,
    mind: (row: Row) => void | Promise<void>,
    firstId = '',
  ): Promise<void> {
    const pace = new Pace(this.#clock);
    let afterId: string | null = firstId;
    while (afterId !== null) {
      const batch: Batch = { afterId, limit: pace.rows };
      const row: Row = await pace.timed(() => read(batch));
      await mind(row);
      afterId = row.lastId;
    }
  }

  /** Answers how many accounts there are. */
  async accounts(check: (batch: Batch) => Promise<CheckedAccounts>): Promise<number> {
    let count = 0;
    const mind = ({ accounts, discrepancies }: CheckedAccounts): void => {
      this.add('accounts', discrepancies);
      count += Number(accounts);
    };
    await readByIndexes(this.session, () => this.#batches(check, mind));
    return count;
  }

  /** Checks entries, and charges without a record, and passes each stretch on. Answers how many entries there are. */
  async entries(handOn: (stretch: Stretch, isSound: boolean) => Promise<void>): Promise<number> {
    const { session, span } = this;
    const pace = new Pace(this.#clock);
    let count = 0n;
    let stretch = await nextStretch(session, span, { afterId: span.afterId, limit: pace.rows });
    while (stretch !== null) {
      count += stretch.entries;
      const isSound = stretch.entries === 0n || (await this.#stretch(stretch, pace));
      await handOn(stretch, isSound);
      stretch = stretch.isLast ? null : await nextStretch(session, span, { afterId: stretch.lastId, limit: pace.rows });
    }
    return Number(count);
  }

  async #stretch(stretch: Stretch, pace: Pace): Promise<boolean> {
    const { session, span } = this;
    const known = this.#discrepancies.size;
    await pace.timed(async () => {
      this.add('entries', await checkEntries(session, stretch, span));
      this.add('duplicates', await checkDuplicates(session, stretch, span));
    });
    await this.#exactly(await pace.timed(() => findUnrecorded(session, stretch, span)));
    return this.#discrepancies.size === known;
  }

  /** Finds records without a charge. `isPart` says that charges of other spans may have lost their records. */
  async records(isPart: boolean, since = this.span.since): Promise<boolean> {
    const { session } = this;
    const known = this.#discrepancies.size;
    const read = { ...this.span, since };
    const firstId = since === this.span.since ? '' : await firstCallSince(session, since);
    for (const span of await listRecordSpans(session, read)) await this.#recordsOf(span, { isStray: false, firstId });
    await this.#recordsOf(read, { isStray: true, firstId });
    this.add('dropped', await checkDropped(session, this.#unrecorded, isPart));
    return this.#discrepancies.size === known;
  }

  async #recordsOf(
    span: Readonly<{ since: string; until: string }>,
    { isStray, firstId }: Readonly<{ isStray: boolean; firstId: string }>,
  ): Promise<void> {
    await this.#batches(
      (batch) => findUncharged(this.session, span, { ...batch, isStray }),
      ({ uncharged }) => this.#exactly(uncharged ?? []),
      firstId,
    );
  }

  async #exactly(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const charge of await findExactly(this.session, ids)) {
      const { accountId, amountNanoUsd, isRecorded, isDropped, discrepancy } = charge;
      if (isRecorded || !isDropped) this.add('charges', [discrepancy]);
      else this.#unrecorded.set(accountId, (this.#unrecorded.get(accountId) ?? 0n) + amountNanoUsd);
    }
  }

  async reservations(since = this.span.since): Promise<void> {
    await this.#batches(
      (batch) => checkReservations(this.session, since, batch),
      ({ discrepancies }) => this.add('reservations', discrepancies),
    );
  }
}

/** Where a check begins, and how far it goes. */
type AuditStart = Readonly<{
  span: JournalSpan;
  scope: AuditScope;
  entriesBefore: bigint;
  recordsSince: string;
  /** Entries above this id are only added up, at the moment of the comparison. */
  lastId: bigint;
  readAt: string;
  everythingAt: Date | null;
}>;

async function beginAudit(session: Queryable, clock: Clock, asked: AuditScope): Promise<AuditStart> {
  const known = asked === 'everything' ? null : await readMark(session);
  const mark = asked === 'usual' && known !== null && known.entries <= USUAL_ENTRIES_MAX ? null : known;
  const open = mark === null ? await readOpenSpan(session) : null;
  if (open !== null) await beginMark(session, open);
  const { id: lastId, readAt } = await readNewest(session);
  if (!(await writersAreGone(session, clock))) {
    throw new ApiError(
      'http_503',
      'A transaction has been writing to the journal for ten seconds. Check again once it has ended.',
    );
  }
  const common = { lastId, readAt };
  if (mark === null) {
    const span = { ...(open as JournalSpan), lastId };
    return { ...common, span, scope: 'everything', entriesBefore: 0n, recordsSince: span.since, everythingAt: null };
  }
  const { baseMonth, since, entryId: afterId, entries: entriesBefore, recordsSince, everythingAt } = mark;
  const span: JournalSpan = { since, until: 'infinity', afterId, lastId, baseMonth };
  return { ...common, span, scope: 'new', entriesBefore, recordsSince, everythingAt };
}

/** Sums that cannot be stored because an earlier stretch is not sound: the next check reads these entries again. */
type Unkept = Readonly<{ moved: Map<string, Moved>; counted: Counted }>;

/** Reads the entries, and stores their sums as far as they are sound. */
async function readEntries(auditor: Auditor, { span, lastId }: AuditStart, unkept: Unkept): Promise<number> {
  const { session } = auditor;
  let isKept = true;
  return auditor.entries(async (stretch, isSound) => {
    isKept &&= isSound;
    const ids = { afterId: stretch.afterId, lastId: stretch.isLast ? lastId : stretch.lastId };
    if (isKept) return keepStretch(session, ids, span.since);
    await addMoved(session, unkept.moved, ids, span);
    await addCounts(session, unkept.counted, ids, span);
  });
}

/** Runs on a connection of its own: all its statements together take longer than a call may wait. */
export async function auditLedger(session: Queryable, clock: Clock, asked: AuditScope): Promise<LedgerAudit> {
  await lockMonthsForReading(session);
  await lockMark(session);
  const start = await beginAudit(session, clock, asked);
  const { span, scope, lastId: countedId, recordsSince } = start;
  const auditor = new Auditor(session, span, clock);
  const counts = await readCounts(session, span);
  if (scope === 'everything') await auditor.accounts((batch) => checkAccounts(session, span, batch));
  const unkept: Unkept = { moved: new Map(), counted: new Map() };
  const entries = await readEntries(auditor, start, unkept);
  const { moved, counted } = unkept;
  const accounts = await auditor.accounts((batch) => checkAddedUp(session, span, { moved, countedId }, batch));
  await forgetCounters(session);
  auditor.add('counters', await compareCounters(session, { counted, countedId }, { span, limit: COUNTERS_TOGETHER }));
  await auditor.reservations(recordsSince);
  const isPart = scope === 'new' || span.baseMonth !== null;
  if (await auditor.records(isPart, recordsSince)) await keepRecords(session, start.readAt);
  auditor.add('duplicates', await checkAllDuplicates(session));
  const { discrepancies } = auditor;
  const isAllSound = scope === 'everything' && discrepancies.length === 0;
  if (isAllSound) await keepEverything(session);
  const entriesBefore = Number(start.entriesBefore + counts.sealedEntries);
  return {
    ...{ accounts, entries: entries + entriesBefore, entriesBefore, discrepancies },
    heldReservations: Number(counts.heldReservations),
    everythingAt: isAllSound ? new Date(clock.nowMs()) : start.everythingAt,
  };
}

export type MonthAudit = Readonly<{ accounts: number; entries: number; discrepancies: readonly string[] }>;

/** The caller keeps months from being sealed meanwhile. Null when the month is not closed. */
export async function auditMonth(session: Queryable, firstDay: string, clock: Clock): Promise<MonthAudit | null> {
  const span = await readMonthSpan(session, firstDay);
  if (span === null) return null;
  const auditor = new Auditor(session, span, clock);
  const accounts = await auditor.accounts((batch) => checkMonthAccounts(session, span, firstDay, batch));
  const counted: Counted = new Map();
  const entries = await auditor.entries((stretch) => addCounts(session, counted, stretch, span));
  auditor.add('counters', await checkMonthCounters(session, firstDay, counted));
  await auditor.records(true);
  return { accounts, entries, discrepancies: auditor.discrepancies };
}

// A transaction that is writing to the journal has ids whose entries others cannot see yet. After waiting for all such
// transactions, every id that was handed out before is final: it has its entry, or never will.

const PAUSE_MS = 50;
const TRIES = 200;

/** Waits for the transactions that had begun before; false when one of them takes too long. */
export async function writersAreGone(session: Queryable, clock: Clock): Promise<boolean> {
  let waitedFor = await listWriters(session);
  for (let attempt = 0; waitedFor.size > 0; attempt += 1) {
    if (attempt === TRIES) return false;
    await clock.sleep(PAUSE_MS);
    const now = await listWriters(session);
    waitedFor = new Set([...waitedFor].filter((writer) => now.has(writer)));
  }
  return true;
}
