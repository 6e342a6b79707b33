// Clients name their applications themselves and could send another name with every call, each a row in every sum. An
// account has a limited number of names a day; calls with further names are recorded under one. Every process counts by
// itself.

import { windowStartMs } from '../../canonical/spend-window.ts';

type AppNames = Readonly<{
  /** The name that a call is recorded under. */
  recorded(accountId: string, appName: string, atMs: number): string;
}>;

const NAMES_PER_DAY_MAX = 200;
const OTHER = 'other';
/** Calls that began before midnight end after it. */
const DAYS_KEPT = 2;
/** Bounds memory, whatever the number of accounts. Beyond it a new name is recorded as one of the others. */
const NAMES_MAX = 200_000;

type Day = { readonly byAccount: Map<string, Set<string>>; names: number };

export function createAppNames(): AppNames {
  const days = new Map<number, Day>();

  const dayOf = (atMs: number): Day => {
    const dayMs = windowStartMs('day', atMs);
    const known = days.get(dayMs);
    if (known !== undefined) return known;
    const day: Day = { byAccount: new Map(), names: 0 };
    days.set(dayMs, day);
    if (days.size > DAYS_KEPT) days.delete(Math.min(...days.keys()));
    return day;
  };

  return {
    recorded(accountId, appName, atMs) {
      const day = dayOf(atMs);
      const known = day.byAccount.get(accountId);
      if (known?.has(appName)) return appName;
      if ((known?.size ?? 0) >= NAMES_PER_DAY_MAX || day.names >= NAMES_MAX) return OTHER;
      day.names += 1;
      if (known === undefined) day.byAccount.set(accountId, new Set([appName]));
      else known.add(appName);
      return appName;
    },
  };
}
