// The journal by months: closing them when they are over, and looking at one that is closed. Each works on a connection
// of its own, because together its statements take longer than any call may wait.

import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { endClient } from '../../platform/db/connection.ts';
import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { auditMonth, type MonthAudit, writersAreGone } from './audit.ts';
import { asQueryable, type ConnectSession } from './process-session.ts';
import {
  type Checkpoint,
  finishArchive,
  listCheckpoints,
  listLines,
  listMonths,
  markArchived,
  readArchiveState,
  removeCharges,
  type SealedMonth,
} from './store/archive.ts';
import { type JournalSpan, lockMonthsForReading, lockMonthsForWriting, readMonthSpan } from './store/audit/span.ts';
import {
  beginJournalMonths,
  dropJournalMonth,
  ensureJournalMonth,
  findDueMonth,
  forgetCounterCheckpoints,
  sealMonth,
  settleMonth,
  shutMonth,
  sumStretch,
} from './store/months.ts';

const CHECKPOINTS_TOGETHER = 1_000;
/** The build before this one may be put back within this time. */
const AFTER_UPGRADE_MS = 7 * DAY_MS;

/** Months are named by their first days, `YYYY-MM-01`. */
export type Books = Readonly<{
  /** Null when the month is not closed. The charges of an archived month are only in its file. */
  checkMonth(firstDay: string): Promise<MonthAudit | 'archived' | null>;
  /** The sealed months, the oldest first. */
  months(): Promise<readonly SealedMonth[]>;
  /**
   * The entries of a closed month after an id or from its beginning, as the lines of its file; null when it is not
   * closed.
   */
  lines(
    firstDay: string,
    afterId: bigint | null,
  ): Promise<Readonly<{ lines: readonly string[]; nextId: bigint | null }> | null>;
  /** What each account after the given one moved in the month. */
  checkpoints(
    firstDay: string,
    afterId: string,
  ): Promise<Readonly<{ checkpoints: readonly Checkpoint[]; next: string | null }>>;
  /**
   * Removes the charges of a closed month that are in a file with this digest. It removes a part; called again, it goes
   * on.
   */
  archive(firstDay: string, sha256: string): Promise<Archived>;
  /**
   * Closes the months that are over and answers which were sealed. Does nothing while another process closes or checks.
   */
  closeMonths(): Promise<readonly string[]>;
  /** Makes the partitions of these months where partitions have begun; answers those that were missing. */
  ensureMonths(firstDays: readonly string[]): Promise<readonly string[]>;
  /** Begins partitions with a future month, once no older build needs the journal to be one table. */
  beginMonths(): Promise<void>;
  /** Runs on a connection of its own, which `stop` closes. */
  inSession<Result>(run: (session: Queryable) => Promise<Result>): Promise<Result>;
  /** Ends what is under way. The next run goes on from there. */
  stop(): Promise<void>;
}>;

type BooksInput = Readonly<{ connect: ConnectSession; database: Database; clock: Clock; logger: Logger }>;

export function createBooks({ connect, database, clock, logger }: BooksInput): Books {
  const open = new Set<Client>();

  async function inSession<Result>(run: (session: Queryable) => Promise<Result>): Promise<Result> {
    const client = await connect({ statementTimeoutMs: 0 });
    open.add(client);
    try {
      return await run(asQueryable(client));
    } finally {
      open.delete(client);
      await endClient(client);
    }
  }

  return {
    inSession,
    checkMonth: (firstDay) =>
      inSession(async (session) => {
        await lockMonthsForReading(session);
        const month = (await listMonths(session)).find((it) => `${it.month}-01` === firstDay);
        if (month !== undefined && month.archiveSha256 !== null) return 'archived';
        return auditMonth(session, firstDay, clock);
      }),
    months: () => listMonths(database),
    async lines(firstDay, afterId) {
      const span = await readMonthSpan(database, firstDay);
      if (span === null) return null;
      const rows = await listLines(database, span, { afterId: afterId ?? span.afterId, limit: LINES_TOGETHER });
      const nextId = rows.length < LINES_TOGETHER ? null : (rows.at(-1)?.id ?? null);
      return { lines: rows.map(({ line }) => line), nextId };
    },
    async checkpoints(firstDay, afterId) {
      const checkpoints = await listCheckpoints(database, firstDay, { afterId, limit: CHECKPOINTS_TOGETHER });
      const next = checkpoints.length < CHECKPOINTS_TOGETHER ? null : (checkpoints.at(-1)?.accountId ?? null);
      return { checkpoints, next };
    },
    archive: (firstDay, sha256) => inSession((session) => archiveMonth({ session, clock, firstDay, sha256 })),
    closeMonths: () => inSession((session) => closeMonths({ session, clock, logger })),
    async ensureMonths(firstDays) {
      const made: string[] = [];
      for (const firstDay of firstDays) if (await ensureJournalMonth(database, firstDay)) made.push(firstDay);
      return made;
    },
    beginMonths: () =>
      inSession(async (session) => {
        while (!(await beginJournalMonths(session, AFTER_UPGRADE_MS)));
      }),
    async stop() {
      await Promise.all([...open].map(endClient));
    },
  };
}

// Archiving: a closed month moves to a file. The operator who asks for it has the file already and names its digest;
// the database removes the charges only when the journal still gives the same digest and agrees with its checkpoints.

/** Old enough that no local journal can hold anything of the month. Calls are never looked up beyond a month. */
const AGE_MS = 62 * DAY_MS;
const LINES_TOGETHER = 5_000;
const CHARGES_TOGETHER = 5_000;
const LOCK_TIMED_OUT = '55P03';
/** After this time it answers, and is called again to go on. */
const ROUND_MS = 20_000;

type Archived = Readonly<{
  /** Charges that were removed now. */
  removed: number;
  /** All charges of the month have been removed. */
  isDone: boolean;
}>;

type ArchiveInput = Readonly<{ session: Queryable; clock: Clock; firstDay: string; sha256: string }>;

/** Of the lines of all entries in the span. */
async function digestOf(session: Queryable, span: JournalSpan): Promise<string> {
  const hash = createHash('sha256');
  for (let { afterId } = span; ; ) {
    const lines = await listLines(session, span, { afterId, limit: LINES_TOGETHER });
    for (const { line } of lines) hash.update(`${line}\n`);
    if (lines.length < LINES_TOGETHER) return hash.digest('hex');
    afterId = lines.at(-1)?.id ?? afterId;
  }
}

async function archiveMonth(input: ArchiveInput): Promise<Archived> {
  const { session, clock, firstDay, sha256 } = input;
  if (!(await lockMonthsForWriting(session))) {
    throw new ApiError('http_409', 'Months are being checked or sealed at this moment. Try again later.');
  }
  const state = await readArchiveState(session, firstDay, { nowMs: clock.nowMs(), ageMs: AGE_MS });
  const span = await readMonthSpan(session, firstDay);
  if (state === null || span === null || !state.isSealed) {
    throw new ApiError('http_409', 'The month is not sealed.');
  }
  if (!state.isNext) throw new ApiError('http_409', 'A month before it is not archived. Begin with the oldest.');
  if (!state.isOld) throw new ApiError('http_409', `A month is archived ${AGE_MS / DAY_MS} days after its end.`);
  if (state.sha256 === null) await verify(input, span);
  else if (state.sha256 !== sha256) throw new ApiError('http_409', 'The month was archived with another digest.');
  return remove(input, span);
}

async function verify({ session, clock, firstDay, sha256 }: ArchiveInput, span: JournalSpan): Promise<void> {
  const audit = await auditMonth(session, firstDay, clock);
  if (audit === null || audit.discrepancies.length > 0) {
    throw new ApiError('http_409', `The month does not add up: ${audit?.discrepancies[0] ?? 'it is not closed'}.`);
  }
  const own = await digestOf(session, span);
  if (own !== sha256)
    throw new ApiError('http_409', `The journal has another digest, ${own}: the file is not complete.`);
  await markArchived(session, firstDay, sha256);
}

/** The month's partition is dropped at once; entries of the month in other partitions are removed row by row. */
async function drop(session: Queryable, firstDay: string): Promise<bigint | null | 'busy'> {
  try {
    return await dropJournalMonth(session, firstDay);
  } catch (error) {
    if (errorCode(error) === LOCK_TIMED_OUT) return 'busy';
    throw error;
  }
}

async function remove({ session, clock, firstDay }: ArchiveInput, span: JournalSpan): Promise<Archived> {
  const startMs = clock.monotonicMs();
  const dropped = await drop(session, firstDay);
  if (dropped === 'busy') return { removed: 0, isDone: false };
  let total = Number(dropped ?? 0n);
  for (let { afterId } = span; clock.monotonicMs() - startMs < ROUND_MS; ) {
    const { removed, lastId } = await removeCharges(session, span, { afterId, limit: CHARGES_TOGETHER });
    total += Number(removed);
    if (lastId === null) {
      await finishArchive(session, firstDay);
      return { removed: total, isDone: true };
    }
    afterId = lastId;
  }
  return { removed: total, isDone: false };
}

// Closes the months of the journal that are over. An entry carries the time at which it is written, not that of its
// call: what is replayed after the end of a month belongs to the month of the replay, so no entry comes late. The wait
// is for transactions that were under way, and for an operator who wants to look at the month before it is sealed.

const GRACE_MS = 2 * DAY_MS;
/** Entries that are added up in one transaction. */
const ENTRIES_TOGETHER = 10_000;

type ClosingInput = Readonly<{ session: Queryable; clock: Clock; logger: Logger }>;

/** Closes what is due, oldest first; answers the months that were sealed, by their first days. */
async function closeMonths(input: ClosingInput): Promise<readonly string[]> {
  const sealed: string[] = [];
  if (!(await lockMonthsForWriting(input.session))) return sealed;
  for (;;) {
    const month = await findDueMonth(input.session, input.clock.nowMs(), GRACE_MS);
    if (month === null || !month.isOver) return sealed;
    if (month.isUnfolded) {
      input.logger.warn(
        { month: month.firstDay },
        'a month waits for calls that are not folded yet before it is closed',
      );
      return sealed;
    }
    if (!(await closeMonth(input, month.firstDay))) return sealed;
    sealed.push(month.firstDay);
  }
}

async function closeMonth(input: ClosingInput, firstDay: string): Promise<boolean> {
  const { session, clock, logger } = input;
  await shutMonth(session, firstDay);
  if (!(await writersAreGone(session, clock))) {
    logger.warn({ month: firstDay }, 'a month waits for a transaction that is still writing to the journal');
    return false;
  }
  await settleMonth(session, firstDay);
  while (!(await sumStretch(session, firstDay, ENTRIES_TOGETHER)));
  const audit = await auditMonth(session, firstDay, clock);
  if (audit === null || audit.discrepancies.length > 0) {
    const [first] = audit?.discrepancies ?? [];
    const count = audit?.discrepancies.length ?? 0;
    logger.error({ alert: 'ledger', month: firstDay, count, first }, 'a month is not sealed: it does not add up');
    return false;
  }
  await sealMonth(session, firstDay);
  await forgetCounterCheckpoints(session, firstDay);
  return true;
}
