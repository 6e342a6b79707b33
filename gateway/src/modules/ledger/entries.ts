// Statements: an account's entries with running balances, page by page, and what they come to. A page's cursor carries
// the balance at which it goes on, so that no page adds up the ones before it.

import { dayOf } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { readArchivedUntil } from './store/archive.ts';
import {
  type BalancesRow,
  beginReading,
  type EntryRow,
  type EntrySpan,
  listEntries,
  type MovementRow,
  readBalances,
  readMovements,
  sumEntries,
} from './store/entries.ts';

export type Entry = Omit<EntryRow, 'startNanoUsd' | 'micros'> & Readonly<{ balanceNanoUsd: NanoUsd }>;

export type StatementSpan = Readonly<{
  accountId: string;
  /** Null for the beginning and the end of time. `toMs` itself is not included. */
  fromMs: number | null;
  toMs: number | null;
  /** Nobody asked for this beginning, so it may be later where earlier entries are archived. */
  isFromUsual?: boolean;
  /** Shows the charges of a day in one row. */
  isByDay: boolean;
}>;

type StatementSums = Readonly<{
  openingNanoUsd: NanoUsd;
  closingNanoUsd: NanoUsd;
  kinds: readonly Readonly<{ kind: string; amountNanoUsd: NanoUsd }>[];
}>;

type Statement = Readonly<{
  /** As asked for, or later where earlier entries are archived. */
  fromMs: number | null;
  /** Null on every page but the first. */
  sums: StatementSums | null;
  entries: readonly Entry[];
  next: string | null;
}>;

export type Entries = Readonly<{
  /** Null when the cursor is not one of ours. */
  page(span: StatementSpan, page: Readonly<{ cursor: string | null; limit: number }>): Promise<Statement | null>;
  /** All entries; null when there are more than `limit`. */
  all(span: StatementSpan, limit: number): Promise<readonly Entry[] | null>;
}>;

const MICROS_PER_MS = 1000n;
/** The end of the year 9999; the database's own range is larger. */
const LAST_MICROS = 253_402_300_800_000_000n;
const CURSOR = /^(\d{1,18})_(\d{1,19})_(-?\d{1,19})$/;
const BATCH = 5_000;

type Place = Readonly<{ micros: bigint; id: bigint; balanceNanoUsd: NanoUsd }>;
type Rows = Readonly<{ entries: readonly Entry[]; end: Place | null }>;

/** `end` is null on the last page. */
async function readRows(
  queryable: Queryable,
  span: StatementSpan,
  { before, limit }: Readonly<{ before: Place | null; limit: number }>,
): Promise<Rows> {
  const rows = await listEntries(queryable, { ...spanOf(span), before, isByDay: span.isByDay, limit: limit + 1 });
  let balanceNanoUsd = rows[0]?.startNanoUsd ?? 0n;
  let end: Place | null = null;
  const entries = rows.slice(0, limit).map(({ startNanoUsd: _start, micros, ...row }) => {
    const entry = { ...row, balanceNanoUsd };
    balanceNanoUsd -= row.amountNanoUsd;
    end = { micros, id: row.id, balanceNanoUsd };
    return entry;
  });
  return { entries, end: rows.length > limit ? end : null };
}

async function readSums(queryable: Queryable, span: StatementSpan): Promise<StatementSums> {
  const isWhole = span.fromMs === null && span.toMs === null;
  const rows = await sumEntries(queryable, spanOf(span), isWhole);
  const closingNanoUsd = rows[0]?.closingNanoUsd ?? 0n;
  const moved = rows.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n);
  const kinds = rows.filter(({ amountNanoUsd }) => amountNanoUsd !== 0n);
  return { openingNanoUsd: closingNanoUsd - moved, closingNanoUsd, kinds };
}

/** A balance is computed from the entries since then, which is impossible where they are archived. */
async function begin(transaction: Queryable, asked: StatementSpan): Promise<StatementSpan> {
  await beginReading(transaction);
  const untilMs = await readArchivedUntil(transaction);
  if (untilMs === null || (asked.fromMs !== null && asked.fromMs >= untilMs)) return asked;
  const isMovable = asked.fromMs === null || asked.isFromUsual === true;
  if (isMovable && (asked.toMs === null || asked.toMs > untilMs)) return { ...asked, fromMs: untilMs };
  const day = dayOf(untilMs);
  throw new ApiError(
    'http_400',
    `from: entries before ${day} are archived. Begin there, or ask the operator for them.`,
  );
}

export const createEntries = (database: Database): Entries => ({
  async page(asked, { cursor, limit }) {
    const before = cursor === null ? null : placeOf(cursor);
    if (before === null && cursor !== null) return null;
    return database.transaction(async (transaction) => {
      const span = await begin(transaction, asked);
      const { entries, end } = await readRows(transaction, span, { before, limit });
      const next = end === null ? null : `${end.micros}_${end.id}_${end.balanceNanoUsd}`;
      return { fromMs: span.fromMs, sums: before === null ? await readSums(transaction, span) : null, entries, next };
    });
  },
  all: (asked, limit) =>
    database.transaction(async (transaction) => {
      const span = await begin(transaction, asked);
      const all: Entry[] = [];
      let before: Place | null = null;
      do {
        const { entries, end }: Rows = await readRows(transaction, span, { before, limit: BATCH });
        all.push(...entries);
        before = end;
        if (all.length > limit) return null;
      } while (before !== null);
      return all;
    }),
});

const spanOf = ({ accountId, fromMs, toMs }: StatementSpan): EntrySpan => ({
  accountId,
  fromMicros: fromMs === null ? 0n : BigInt(fromMs) * MICROS_PER_MS,
  toMicros: toMs === null ? LAST_MICROS : BigInt(toMs) * MICROS_PER_MS,
});

const BIGINT_MAX = 2n ** 63n;

function placeOf(cursor: string): Place | null {
  const [, micros, id, balance] = CURSOR.exec(cursor) ?? [];
  if (micros === undefined || id === undefined || balance === undefined) return null;
  const place = { micros: BigInt(micros), id: BigInt(id), balanceNanoUsd: BigInt(balance) };
  const isWithin = place.micros <= LAST_MICROS && place.id < BIGINT_MAX && place.balanceNanoUsd < BIGINT_MAX;
  return isWithin && place.balanceNanoUsd >= -BIGINT_MAX ? place : null;
}

// Movements of all accounts together, besides charges.

export type Movements = Readonly<{
  /** By kind and day; both days are included. */
  ofDays(firstDay: string, lastDay: string): Promise<readonly MovementRow[]>;
  balances(): Promise<BalancesRow>;
}>;

export const createMovements = (database: Queryable): Movements => ({
  ofDays: (firstDay, lastDay) => readMovements(database, firstDay, lastDay),
  balances: () => readBalances(database),
});
