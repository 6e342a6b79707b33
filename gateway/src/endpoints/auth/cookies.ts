// The cookies of signing in. Over HTTPS their names begin with `__Host-`, so that browsers accept them only from this
// host; without HTTPS browsers would refuse such a name.

import type { HttpRequest } from '../../http/exchange.ts';

type CookieName = 'tollgate_session' | 'tollgate_oauth' | 'tollgate_device' | 'tollgate_step' | 'tollgate_sso';

const nameOn = (siteUrl: string, name: CookieName): string => (isSecure(siteUrl) ? `__Host-${name}` : name);

const isSecure = (siteUrl: string): boolean => siteUrl.startsWith('https:');

/** Null when the browser sent none. */
export function readCookie(request: HttpRequest, siteUrl: string, name: CookieName): string | null {
  const start = `${nameOn(siteUrl, name)}=`;
  for (const part of request.headers.cookie?.split(';') ?? []) {
    const pair = part.trim();
    if (pair.startsWith(start)) return pair.slice(start.length);
  }
  return null;
}

type NewCookie = Readonly<{ name: CookieName; value: string; ageMaxMs: number }>;

/** Header name and value, as responses take them. Lax: a person who follows a link to the site is signed in. */
export function setCookie(siteUrl: string, { name, value, ageMaxMs }: NewCookie): readonly [string, string] {
  const age = Math.floor(ageMaxMs / 1000);
  const secure = isSecure(siteUrl) ? '; Secure' : '';
  return ['Set-Cookie', `${nameOn(siteUrl, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`];
}

export const clearCookie = (siteUrl: string, name: CookieName): readonly [string, string] =>
  setCookie(siteUrl, { name, value: '', ageMaxMs: 0 });
