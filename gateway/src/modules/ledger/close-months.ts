// Closes the months of the journal that are over. An entry carries the time at which it is entered, not that of its call:
// what is replayed after the month's end belongs to the month in which it is replayed, so nothing comes late. The wait is
// for transactions that were under way, and for whoever wants to look at a month before it is sealed.

import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { auditMonth } from './audit.ts';
import { lockMonthsForWriting } from './store/audit/span.ts';
import {
  findDueMonth,
  forgetCounterCheckpoints,
  sealMonth,
  settleMonth,
  shutMonth,
  sumStretch,
} from './store/months.ts';
import { writersAreGone } from './writers.ts';

const GRACE_MS = 2 * 86_400_000;
/** In one transaction. */
const ENTRIES_TOGETHER = 10_000;

type ClosingInput = Readonly<{ session: Queryable; clock: Clock; logger: Logger }>;

/** Closes what is due, oldest first; answers the months that were sealed, by their first days. */
export async function closeMonths(input: ClosingInput): Promise<readonly string[]> {
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
    logger.warn({ month: firstDay }, 'a month waits for a transaction that is still entering something');
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
