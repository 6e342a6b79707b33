// `query` of the operator's lists. Nothing to look for means everything.

import { ApiError } from '../../errors/api-error.ts';

const LENGTH_MAX = 200;

export function searchText(query: URLSearchParams): string | null {
  const text = query.get('query')?.trim() ?? '';
  if (text.length <= LENGTH_MAX && !text.includes('\0')) return text === '' ? null : text;
  throw new ApiError('http_400', `query: must be text of at most ${LENGTH_MAX} characters.`);
}
