// The query of the operator's lists: search text, sort order and page. Without a text everything is listed.

import { ApiError } from '../../errors/api-error.ts';
import type { ListQuery } from '../../platform/db/sorted-list.ts';
import { readPage } from '../page.ts';

const LENGTH_MAX = 200;

/** One more row is asked for than is shown, to know whether there are more. */
export function listQuery<Sort extends string>(
  query: URLSearchParams,
  sorts: readonly Sort[],
): ListQuery<Sort | 'created'> {
  const { after, limit } = readPage(query, 'cursor');
  const sort = oneOf(query, 'sort', ['created' as const, ...sorts]) ?? 'created';
  // Names are sorted from A on, amounts and days from the largest.
  const usual = sort === 'created' || sort === 'balance' ? 'desc' : 'asc';
  const order = oneOf(query, 'order', ['asc', 'desc'] as const) ?? usual;
  return { text: searchText(query), sort, isDescending: order === 'desc', after, limit: limit + 1 };
}

function searchText(query: URLSearchParams): string | null {
  const text = query.get('query')?.trim() ?? '';
  if (text.length <= LENGTH_MAX && !text.includes('\0')) return text === '' ? null : text;
  throw new ApiError('http_400', `query: must be text of at most ${LENGTH_MAX} characters.`);
}

function oneOf<Value extends string>(query: URLSearchParams, name: string, values: readonly Value[]): Value | null {
  const given = query.get(name);
  if (given === null || given === '') return null;
  const value = values.find((known) => known === given);
  if (value === undefined) throw new ApiError('http_400', `${name}: must be one of ${values.join(', ')}.`);
  return value;
}
