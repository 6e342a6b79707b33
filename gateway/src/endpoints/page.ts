// Pages of a list: `limit` is how many, `after` (or `cursor`, by route) is the `next` of the previous page.

import { ApiError } from '../errors/api-error.ts';

type PageQuery = Readonly<{ after: string | null; limit: number }>;

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
const CURSOR = /^[\w-]{1,100}$/;

export function readPage(
  query: URLSearchParams,
  name: 'after' | 'cursor' | 'after_id' | 'before_id' = 'after',
  limitMax: number = LIMIT_MAX,
): PageQuery {
  const after = query.get(name);
  if (after !== null && !CURSOR.test(after)) {
    throw new ApiError('http_400', `${name}: must be the next cursor of a previous page.`);
  }
  const text = query.get('limit');
  const limit = text === null ? LIMIT_DEFAULT : Number(/^\d{1,5}$/.test(text) ? text : Number.NaN);
  if (!(limit >= 1 && limit <= limitMax)) {
    throw new ApiError('http_400', `limit: must be a whole number from 1 to ${limitMax}.`);
  }
  return { after, limit };
}

/** Cuts off the extra row and names the last one shown, when one more was found than asked for. */
export function cutPage<Row extends Readonly<{ id: string }>>(
  rows: readonly Row[],
  limit: number,
): Readonly<{ rows: readonly Row[]; next: string | null }> {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
