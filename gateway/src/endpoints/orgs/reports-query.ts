// The query parameters of reports. A parameter that is not understood is refused, because a report about another month
// would be believed.

import {
  DAY_MS,
  dayOf,
  isMonth,
  type Month,
  monthEndMs,
  monthStartMs,
  YEAR_MAX,
  YEAR_MIN,
} from '../../canonical/calendar.ts';
import { REPORT_VIEWS, type ReportView } from '../../contract/reports.ts';
import { refused } from '../request-fields.ts';

/** The current month where it is left out. */
export function monthOrCurrent(query: URLSearchParams, nowMs: number): Month {
  const now = new Date(nowMs);
  return checked({
    year: numberOf(query, 'year') ?? now.getUTCFullYear(),
    month: numberOf(query, 'month') ?? now.getUTCMonth() + 1,
  });
}

export function requiredMonth(query: URLSearchParams): Month {
  const required = (name: string): number => {
    const value = numberOf(query, name);
    if (value === null) throw refused(name, 'this query parameter is required.');
    return value;
  };
  return checked({ year: required('year'), month: required('month') });
}

export function requiredView(query: URLSearchParams): ReportView {
  const given = query.get('view');
  const view = REPORT_VIEWS.find((known) => known === given);
  if (view === undefined) throw refused('view', `must be one of ${REPORT_VIEWS.join(', ')}.`);
  return view;
}

/** Null when it is left out; text that is not a whole number becomes an impossible month or year. */
function numberOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
}

function checked(month: Month): Month {
  if (isMonth(month)) return month;
  if (!isMonth({ ...month, month: 1 })) throw refused('year', `must be from ${YEAR_MIN} to ${YEAR_MAX}.`);
  throw refused('month', 'must be from 1 to 12.');
}

/** Both days are included. */
export const daysOfMonth = (month: Month): Readonly<{ firstDay: string; lastDay: string }> => ({
  firstDay: dayOf(monthStartMs(month)),
  lastDay: dayOf(monthEndMs(month) - DAY_MS),
});

/** The days of the month that have begun; none for a future month. */
export function begunDays(month: Month, nowMs: number): readonly string[] {
  const days: string[] = [];
  const endMs = Math.min(monthEndMs(month) - 1, nowMs);
  for (let dayMs = monthStartMs(month); dayMs <= endMs; dayMs += DAY_MS) days.push(dayOf(dayMs));
  return days;
}
