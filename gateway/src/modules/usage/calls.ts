// The log of calls. Records have no order across accounts, so a search without an account looks back in growing
// windows, from the newest on, and stops when the page is full. What it reads for a page is bounded: a search for
// something rare may end a page early, with a cursor to go on.

import type { Queryable } from '../../platform/db/database.ts';
import { accountsOf, type CallFilter, type CallRow, listCalls } from './store/calls.ts';

const FIRST_WINDOW_MS = 600_000;
const GROWTH = 4;
const WINDOWS_MAX = 9;
const CURSOR = /^(\d{1,15})_([\w-]{0,80})$/;

export type CallQuery = Readonly<{
  filter: CallFilter;
  fromMs: number;
  toMs: number;
  cursor: string | null;
  limit: number;
}>;

export type CallPage = Readonly<{ calls: readonly CallRow[]; next: string | null }>;

export type Calls = Readonly<{
  /** Null when the cursor is not one of ours. */
  list(query: CallQuery): Promise<CallPage | null>;
}>;

export const createCalls = (database: Queryable): Calls => ({
  async list(query) {
    const start = query.cursor === null ? { atMs: query.toMs, place: '' } : placeOf(query.cursor);
    if (start === null) return null;
    const filter = await withAccounts(database, query.filter);
    const isFound = filter.accountIds !== null || filter.id !== null;
    const calls: CallRow[] = [];
    let toMs = Math.min(query.toMs, start.atMs + 1);
    let widthMs = isFound ? toMs - query.fromMs : FIRST_WINDOW_MS;
    const before = { at: new Date(start.atMs), place: start.place };
    for (let windows = 0; windows < WINDOWS_MAX && toMs > query.fromMs; windows += 1) {
      const fromMs = Math.max(query.fromMs, toMs - widthMs);
      const limit = query.limit + 1 - calls.length;
      const window = { from: new Date(fromMs), to: new Date(toMs), before, limit };
      calls.push(...(await listCalls(database, filter, window)));
      if (calls.length > query.limit) return { calls: calls.slice(0, query.limit), next: cursorOf(calls, query.limit) };
      toMs = fromMs;
      widthMs *= GROWTH;
    }
    return { calls, next: toMs > query.fromMs ? `${toMs}_` : null };
  },
});

function cursorOf(calls: readonly CallRow[], limit: number): string | null {
  const last = calls[limit - 1];
  return last === undefined ? null : `${last.at.getTime()}_${last.place}`;
}

/** The records of an account have an index; a person or a key appears in few accounts. */
async function withAccounts(database: Queryable, filter: CallFilter): Promise<CallFilter> {
  const { accountIds, userId, keyId } = filter;
  if (accountIds !== null || (userId === null && keyId === null)) return filter;
  return { ...filter, accountIds: await accountsOf(database, userId, keyId) };
}

/** The end of a window has no place: everything before its moment is still to be read. */
function placeOf(cursor: string): Readonly<{ atMs: number; place: string }> | null {
  const [, time, place] = CURSOR.exec(cursor) ?? [];
  const atMs = Number(time);
  return place === undefined || atMs > 8.64e15 ? null : { atMs, place };
}
