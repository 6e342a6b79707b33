// Where to go after signing in. The part of the address after `#` (an invitation's token) is kept there: browsers never
// send it to a server, so it must not be moved into the query.

import { useLocation } from '@tanstack/react-router';

const BASE = '/console';

export function nextPage(next: string | undefined, hash: string): string {
  const path = next === undefined ? '/' : next;
  const page = path === BASE || path.startsWith(`${BASE}/`) ? path : BASE + path;
  return hash === '' ? page : `${page}#${hash}`;
}

/** The part of the address after `#`, without the `#`. */
export const useHash = (): string => useLocation({ select: ({ hash }) => hash });

export const tokenOf = (hash: string): string | null => new URLSearchParams(hash).get('token');
