// Where to go once somebody is signed in. What the address has after `#` (an invitation's token) goes along: browsers
// never send that part to any server, so it must not be moved into the query.

import { useLocation } from '@tanstack/react-router';

const BASE = '/console';

export function nextPage(next: string | undefined, hash: string): string {
  const path = next === undefined ? '/' : next;
  const page = path === BASE || path.startsWith(`${BASE}/`) ? path : BASE + path;
  return hash === '' ? page : `${page}#${hash}`;
}

/** The part of the address after `#`, without it. */
export const useHash = (): string => useLocation({ select: ({ hash }) => hash });

export const tokenOf = (hash: string): string | null => new URLSearchParams(hash).get('token');
