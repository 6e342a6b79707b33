// The query of the operator's lists: search text, sort order and page. Without a text everything is listed.

import type { ListQuery } from '../../platform/db/sorted-list.ts';
import { readPage } from '../page.ts';
import { oneOf, refused } from '../request-fields.ts';

const LENGTH_MAX = 200;

/** One more row is asked for than is shown, to know whether there are more. */
export function listQuery<Sort extends string>(
  query: URLSearchParams,
  sorts: readonly Sort[],
): ListQuery<Sort | 'created'> {
  const { after, limit } = readPage(query, 'cursor');
  const sort = oneOf('sort', query.get('sort') || null, ['created' as const, ...sorts]) ?? 'created';
  // Names are sorted from A on, amounts and days from the largest.
  const usual = sort === 'created' || sort === 'balance' ? 'desc' : 'asc';
  const order = oneOf('order', query.get('order') || null, ['asc', 'desc']) ?? usual;
  return { text: searchText(query), sort, isDescending: order === 'desc', after, limit: limit + 1 };
}

export function searchText(query: URLSearchParams): string | null {
  const text = query.get('query')?.trim() ?? '';
  if (text.length <= LENGTH_MAX && !text.includes('\0')) return text === '' ? null : text;
  throw refused('query', `must be text of at most ${LENGTH_MAX} characters.`);
}
