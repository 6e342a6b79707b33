// The operator's overview of a span of days: revenue, cost, who called and how much.

import { dayStartMs, daysBetween } from '../../canonical/calendar.ts';
import type { Database } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type CountsRow, type DayRow, type HourRow, readOverviewRows, type TopRow } from './store/overview.ts';

/** Hours are shown for at most this many days. */
const HOURLY_DAYS_MAX = 7;

type Money = { revenueNanoUsd: NanoUsd; markupNanoUsd: NanoUsd };

type OverviewTotals = CountsRow &
  Readonly<{ calls: bigint; failed: bigint; promptTokens: bigint; completionTokens: bigint } & Money>;

export type Overview = Readonly<{
  totals: OverviewTotals;
  days: readonly DayRow[];
  hours: readonly HourRow[];
  top: readonly TopRow[];
}>;

export type Overviews = Readonly<{ read(firstDay: string, lastDay: string): Promise<Overview> }>;

export const createOverviews = (database: Database): Overviews => ({
  async read(firstDay, lastDay) {
    const count = daysBetween(dayStartMs(firstDay) ?? 0, dayStartMs(lastDay) ?? 0);
    const { days, hours, top, counts } = await database.transaction((transaction) =>
      readOverviewRows(transaction, [firstDay, lastDay], count <= HOURLY_DAYS_MAX),
    );
    const sum = (of: (day: DayRow) => bigint): bigint => days.reduce((total, day) => total + of(day), 0n);
    return {
      totals: {
        ...counts,
        calls: sum(({ calls }) => calls),
        failed: sum(({ failed }) => failed),
        promptTokens: sum(({ promptTokens }) => promptTokens),
        completionTokens: sum(({ completionTokens }) => completionTokens),
        revenueNanoUsd: sum(({ revenueNanoUsd }) => revenueNanoUsd),
        markupNanoUsd: sum(({ markupNanoUsd }) => markupNanoUsd),
      },
      days,
      hours,
      top,
    };
  },
});
