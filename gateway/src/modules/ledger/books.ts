// The journal by months: closing them when they are over, and looking at one that is closed. Each works on a connection of
// its own, because together its statements take longer than any call may wait.

import type { Client } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { endClient } from '../../platform/db/connection.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { auditMonth, type MonthAudit } from './audit.ts';
import { closeMonths } from './close-months.ts';
import { asQueryable, type ConnectSession } from './process-session.ts';
import { lockMonthsForReading } from './store/audit/span.ts';

/** Months are named by their first days, `YYYY-MM-01`. */
export type Books = Readonly<{
  /** Null when the month is not closed. */
  checkMonth(firstDay: string): Promise<MonthAudit | null>;
  /** Closes what is over; answers what was sealed. Nothing happens while another process closes or checks. */
  closeMonths(): Promise<readonly string[]>;
  /** Lets go of what is under way. It goes on where it was. */
  stop(): Promise<void>;
}>;

export function createBooks(input: Readonly<{ connect: ConnectSession; clock: Clock; logger: Logger }>): Books {
  const { connect, clock, logger } = input;
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
    checkMonth: (firstDay) =>
      inSession(async (session) => {
        await lockMonthsForReading(session);
        return auditMonth(session, firstDay, clock);
      }),
    closeMonths: () => inSession((session) => closeMonths({ session, clock, logger })),
    async stop() {
      await Promise.all([...open].map(endClient));
    },
  };
}
