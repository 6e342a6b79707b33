// Makes the months of the calls' records and of the journal ahead of time, and removes hourly sums and entries of
// organizations' logs that are older than their retention. If a month is late nothing is lost: its rows go to the
// default partition and are moved when the month is made.

import type { Audit } from '../modules/audit/audit.ts';
import type { Books } from '../modules/ledger/books.ts';
import { monthsAhead, type UsageUpkeep } from '../modules/usage/upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import { inTurn } from '../platform/in-turn.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const MONTHS_INTERVAL_MS = 3_600_000;

type PartitionsJob = Readonly<{
  usageUpkeep: Pick<UsageUpkeep, 'ensureMonths' | 'forgetHours'>;
  books: Pick<Books, 'ensureMonths'>;
  audit: Pick<Audit, 'forget'>;
  /** 0: forever. */
  hoursKeepDays: number;
  /** 0: forever. */
  auditKeepDays: number;
  clock: Clock;
  logger: Logger;
}>;

/** Resolves after the first round, whether or not it succeeded. The returned function stops the job. */
export async function startPartitions(job: PartitionsJob): Promise<() => Promise<void>> {
  const { usageUpkeep, books, audit, hoursKeepDays, auditKeepDays, clock, logger } = job;
  const round = async (): Promise<void> => {
    try {
      await inTurn([
        async () => {
          const made = await usageUpkeep.ensureMonths(clock.nowMs());
          if (made.length > 0) logger.info({ months: made.join(', ') }, 'months of records were made');
        },
        async () => {
          const ahead = await books.ensureMonths(monthsAhead(clock.nowMs()));
          if (ahead.length > 0) logger.info({ months: ahead.join(', ') }, 'months of the journal were made');
        },
        async () => {
          const rows = hoursKeepDays === 0 ? 0 : await usageUpkeep.forgetHours(clock.nowMs(), hoursKeepDays);
          if (rows > 0) logger.info({ rows }, 'sums of old hours were removed');
        },
        async () => {
          const rows = await audit.forget(clock.nowMs(), auditKeepDays);
          if (rows > 0) logger.info({ rows }, "old entries of organizations' logs were removed");
        },
      ]);
    } catch (error) {
      logger.warn(
        { error: asError(error) },
        'months could not be made, or what is old not removed; it is tried again in an hour',
      );
    }
  };
  let running = round();
  await running;
  const stop = clock.every(MONTHS_INTERVAL_MS, () => {
    running = running.then(round);
  });
  return async () => {
    stop();
    await running;
  };
}
