// The self-check: everything that is cached is computed again from the rows it is a cache of. It begins at the last
// sealed month, and goes on in statements that are each of one moment and short: none keeps the database from tidying up
// behind it, and calls settle meanwhile. A closed month is checked by itself, against its checkpoints.

import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type CheckedAccounts, checkAccounts, checkMonthAccounts } from './store/audit/accounts.ts';
import {
  addCounts,
  type Counted,
  checkMonthCounters,
  checkReservations,
  compareCounters,
  readCounts,
} from './store/audit/counters.ts';
import {
  checkAllDuplicates,
  checkDropped,
  checkDuplicates,
  checkEntries,
  findExactly,
  findUncharged,
  findUnrecorded,
  listRecordSpans,
  nextStretch,
  readSettledId,
  type Stretch,
} from './store/audit/entries.ts';
import { type JournalSpan, lockMonthsForReading, readMonthSpan, readOpenSpan } from './store/audit/span.ts';

export type Audit = Readonly<{
  accounts: number;
  entries: number;
  heldReservations: number;
  discrepancies: readonly string[];
}>;

/** A statement is to take about so long; what it is asked for follows. */
const STATEMENT_MS = 300;
const ROWS_MIN = 100;
const ROWS_MAX = 20_000;
const COUNTERS_TOGETHER = 5_000;
/** Of each kind. More would say nothing new. */
const FOUND_MAX = 100;
/** How often counters are looked at again, and after how long: an entry may have come late. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 2_000;

type Batch = Readonly<{ afterId: string; limit: number }>;

/** How many rows a statement is asked for. */
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
  /** By account. */
  readonly #unrecorded = new Map<string, NanoUsd>();

  constructor(session: Queryable, span: JournalSpan, clock: Clock) {
    this.session = session;
    this.span = span;
    this.#clock = clock;
  }

  /** A discrepancy that is seen from two sides is told once. */
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
  ): Promise<void> {
    const pace = new Pace(this.#clock);
    let afterId: string | null = '';
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
    await this.#batches(check, ({ accounts, discrepancies }) => {
      this.add('accounts', discrepancies);
      count += Number(accounts);
    });
    return count;
  }

  /** Entries, and charges without a record. Answers how many entries there are. */
  async entries(counted: Counted, countedId: bigint): Promise<number> {
    const { session, span } = this;
    const pace = new Pace(this.#clock);
    let count = 0n;
    let stretch = await nextStretch(session, span, { afterId: span.afterId, limit: pace.rows });
    while (stretch !== null) {
      count += stretch.entries;
      const { afterId, lastId, isLast } = stretch;
      if (stretch.entries > 0n) await this.#stretch(stretch, pace);
      const countableId = lastId < countedId ? lastId : countedId;
      if (afterId < countableId) await addCounts(session, counted, { afterId, lastId: countableId }, span);
      stretch = isLast ? null : await nextStretch(session, span, { afterId: lastId, limit: pace.rows });
    }
    return Number(count);
  }

  async #stretch(stretch: Stretch, pace: Pace): Promise<void> {
    const { session, span } = this;
    await pace.timed(async () => {
      this.add('entries', await checkEntries(session, stretch, span));
      this.add('duplicates', await checkDuplicates(session, stretch, span));
    });
    await this.#exactly(await pace.timed(() => findUnrecorded(session, stretch, span)));
  }

  /** Records without a charge. `isPart`: there are other spans whose charges have lost their records. */
  async records(isPart: boolean): Promise<void> {
    const spans = await listRecordSpans(this.session, this.span);
    for (const span of spans) await this.#recordsOf(span, false);
    await this.#recordsOf(this.span, true);
    this.add('dropped', await checkDropped(this.session, this.#unrecorded, isPart));
  }

  async #recordsOf(span: Readonly<{ since: string; until: string }>, isStray: boolean): Promise<void> {
    await this.#batches(
      (batch) => findUncharged(this.session, span, { ...batch, isStray }),
      ({ uncharged }) => this.#exactly(uncharged ?? []),
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

  async reservations(): Promise<void> {
    await this.#batches(
      (batch) => checkReservations(this.session, this.span, batch),
      ({ discrepancies }) => this.add('reservations', discrepancies),
    );
  }

  /** An entry that was still on its way when its stretch was read is found by the next look. */
  async counters(counted: Counted, countedId: bigint): Promise<void> {
    const compare = (sums: Counted, sumsId: bigint) =>
      compareCounters(
        this.session,
        { counted: sums, countedId: sumsId },
        { span: this.span, limit: COUNTERS_TOGETHER },
      );
    let found = await compare(counted, countedId);
    for (let look = 1; look < LOOKS && found.length > 0; look += 1) {
      await this.#clock.sleep(LOOK_AGAIN_MS);
      const settledId = await readSettledId(this.session);
      const again = await compare(await this.#count(settledId), settledId);
      const before = new Set(found.map(({ counterId }) => counterId));
      found = again.filter(({ counterId }) => before.has(counterId));
    }
    this.add(
      'counters',
      found.map(({ discrepancy }) => discrepancy),
    );
  }

  async #count(lastId: bigint): Promise<Counted> {
    const counted: Counted = new Map();
    const span = { ...this.span, lastId };
    let stretch = await nextStretch(this.session, span, { afterId: span.afterId, limit: ROWS_MAX });
    while (stretch !== null) {
      await addCounts(this.session, counted, stretch, span);
      const { lastId: afterId, isLast } = stretch;
      stretch = isLast ? null : await nextStretch(this.session, span, { afterId, limit: ROWS_MAX });
    }
    return counted;
  }
}

/** On a connection of its own: it takes longer than a call may wait, though none of its statements does. */
export async function auditLedger(session: Queryable, clock: Clock): Promise<Audit> {
  await lockMonthsForReading(session);
  const span = await readOpenSpan(session);
  const auditor = new Auditor(session, span, clock);
  const counts = await readCounts(session, span);
  const accounts = await auditor.accounts((batch) => checkAccounts(session, span, batch));
  const counted: Counted = new Map();
  const settledId = await readSettledId(session);
  const entries = await auditor.entries(counted, settledId);
  await auditor.counters(counted, settledId);
  await auditor.reservations();
  await auditor.records(span.baseMonth !== null);
  auditor.add('duplicates', await checkAllDuplicates(session));
  return {
    accounts,
    entries: entries + Number(counts.sealedEntries),
    heldReservations: Number(counts.heldReservations),
    discrepancies: auditor.discrepancies,
  };
}

export type MonthAudit = Readonly<{ accounts: number; entries: number; discrepancies: readonly string[] }>;

/** Whoever calls it keeps months from being written meanwhile. Null when the month is not closed. */
export async function auditMonth(session: Queryable, firstDay: string, clock: Clock): Promise<MonthAudit | null> {
  const span = await readMonthSpan(session, firstDay);
  if (span === null) return null;
  const auditor = new Auditor(session, span, clock);
  const accounts = await auditor.accounts((batch) => checkMonthAccounts(session, span, firstDay, batch));
  const counted: Counted = new Map();
  const entries = await auditor.entries(counted, span.lastId ?? 0n);
  auditor.add('counters', await checkMonthCounters(session, firstDay, counted));
  await auditor.records(true);
  return { accounts, entries, discrepancies: auditor.discrepancies };
}
