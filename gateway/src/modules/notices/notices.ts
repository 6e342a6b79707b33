// Raises notices, once for each cause, whichever process sees it and however often. Causes that can be seen in the
// database are looked for now and then; those that only a process sees are noted by it, outside the path of the call.

import { DAY_MS, dayOf, HOUR_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { inTurn } from '../../platform/in-turn.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { type Cause, OPERATOR } from './owner.ts';
import { looksFor, readWanted } from './store/causes.ts';
import { forgetNotices, raiseNotices, takeRound } from './store/notices.ts';

/** For one address. Further notices are only in the log. */
export const PER_DAY_MAX = 100;
const LOOK_MS = 30_000;
const BOOKS_MS = DAY_MS;
/** After a check that could not be made. */
const BOOKS_AGAIN_MS = HOUR_MS;
const KEPT_MS = 90 * DAY_MS;
const REMEMBERED_MAX = 20_000;

export type OwnerNotices = Readonly<{
  /**
   * May be called on any path: it costs a look-up in memory when the cause was noted here before, and nothing waits for
   * it.
   */
  note(cause: Cause): void;
  /** Looks for causes, unless another process has just done so. */
  look(): Promise<void>;
}>;

export type OwnerNoticesOptions = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  /** The discrepancies that the check of the ledger finds. */
  checkBooks(): Promise<readonly string[]>;
}>;

export function createOwnerNotices(options: OwnerNoticesOptions): OwnerNotices {
  const { database, clock, logger, checkBooks } = options;
  const noted = new RecentMap<true>({ sizeMax: REMEMBERED_MAX });
  const raise = (causes: readonly Cause[]): Promise<void> =>
    raiseNotices(database, causes, { atMs: clock.nowMs(), perDayMax: PER_DAY_MAX });
  const lookAtBooks = async (nowMs: number): Promise<void> => {
    // Taken so that it is soon due again, until the check has been made: it may be refused, or its process die over it.
    const begun = { atMs: nowMs - BOOKS_MS + BOOKS_AGAIN_MS, everyMs: BOOKS_AGAIN_MS };
    if (!(await takeRound(database, 'books', begun))) return;
    const [first, ...others] = await checkBooks();
    if (first !== undefined) {
      const facts = { discrepancies: others.length + 1, first };
      await raise([{ owner: OPERATOR, kind: 'books.differ', cause: dayOf(nowMs), facts }]);
    }
    await takeRound(database, 'books', { atMs: nowMs, everyMs: BOOKS_MS - BOOKS_AGAIN_MS });
  };
  return {
    note(cause) {
      const name = `${cause.owner.kind}/${cause.owner.id}/${cause.kind}/${cause.cause}`;
      if (noted.get(name) !== undefined) return;
      noted.set(name, true);
      raise([cause]).catch((error: unknown) => {
        noted.delete(name);
        logger.warn({ kind: cause.kind, error: asError(error) }, 'a notice was not raised');
      });
    },
    async look() {
      const nowMs = clock.nowMs();
      if (!(await takeRound(database, 'causes', { atMs: nowMs, everyMs: LOOK_MS }))) return;
      const wanted = await readWanted(database);
      await inTurn([
        ...looksFor(database, wanted, nowMs).map((look) => async () => raise(await look())),
        async () => {
          if (wanted.has('books.differ')) await lookAtBooks(nowMs);
        },
        () => forgetNotices(database, nowMs - KEPT_MS),
      ]);
    },
  };
}
