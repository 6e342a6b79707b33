// The journal by months: closing them when they are over, and looking at one that is closed. Each works on a connection of
// its own, because together its statements take longer than any call may wait.

import type { Client } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { endClient } from '../../platform/db/connection.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Archived, archiveMonth, LINES_TOGETHER } from './archive.ts';
import { auditMonth, type MonthAudit } from './audit.ts';
import { closeMonths } from './close-months.ts';
import { asQueryable, type ConnectSession } from './process-session.ts';
import { type Checkpoint, listCheckpoints, listLines, listMonths, type SealedMonth } from './store/archive.ts';
import { lockMonthsForReading, readMonthSpan } from './store/audit/span.ts';
import { beginJournalMonths, ensureJournalMonth } from './store/partitions.ts';

const CHECKPOINTS_TOGETHER = 1_000;
/** For so long the build before this one may come back. */
const AFTER_UPGRADE_MS = 7 * 86_400_000;

/** Months are named by their first days, `YYYY-MM-01`. */
export type Books = Readonly<{
  /** Null when the month is not closed. Of an archived one only the file can tell. */
  checkMonth(firstDay: string): Promise<MonthAudit | 'archived' | null>;
  /** Those that are sealed, in their order. */
  months(): Promise<readonly SealedMonth[]>;
  /** The entries of a closed month after an id or from its beginning, as the lines of its file; null when it is not closed. */
  lines(
    firstDay: string,
    afterId: bigint | null,
  ): Promise<Readonly<{ lines: readonly string[]; nextId: bigint | null }> | null>;
  /** What accounts after this one moved in the month. */
  checkpoints(
    firstDay: string,
    afterId: string,
  ): Promise<Readonly<{ checkpoints: readonly Checkpoint[]; next: string | null }>>;
  /** Removes the charges of a closed month that are in a file with this digest; asked again, it goes on. */
  archive(firstDay: string, sha256: string): Promise<Archived>;
  /** Closes what is over; answers what was sealed. Nothing happens while another process closes or checks. */
  closeMonths(): Promise<readonly string[]>;
  /** Makes the partitions of these months where partitions have begun; answers those that were missing. */
  ensureMonths(firstDays: readonly string[]): Promise<readonly string[]>;
  /** Has partitions begin with a month to come, once nobody needs the journal to be one table. */
  beginMonths(): Promise<void>;
  /** On a connection of its own, which stopping lets go of. */
  inSession<Result>(run: (session: Queryable) => Promise<Result>): Promise<Result>;
  /** Lets go of what is under way. It goes on where it was. */
  stop(): Promise<void>;
}>;

type BooksInput = Readonly<{ connect: ConnectSession; database: Database; clock: Clock; logger: Logger }>;

export function createBooks({ connect, database, clock, logger }: BooksInput): Books {
  const open = new Set<Client>();

  async function inSession<Result>(run: (session: Queryable) => Promise<Result>): Promise<Result> {
    const client = await connect({});
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
