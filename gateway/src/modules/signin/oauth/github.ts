// Sign-in with GitHub, or with a company's own GitHub server where the addresses say so.

import { fetchJson } from './fetch-json.ts';
import type { OAuthClient, OAuthProvider, Profile } from './provider.ts';

const SITE = 'https://github.com';
const API = 'https://api.github.com';

export type GitHubOptions = OAuthClient & Readonly<{ baseUrl: string | null; apiBaseUrl: string | null }>;

type Address = Readonly<{ email: unknown; primary: unknown; verified: unknown }>;

export function createGitHub({ clientId, clientSecret, baseUrl, apiBaseUrl }: GitHubOptions): OAuthProvider {
  const site = baseUrl ?? SITE;
  const api = apiBaseUrl ?? API;
  return {
    id: 'github',
    name: 'GitHub',
    clientId,
    clientSecret,
    authorizeUrl: `${site}/login/oauth/authorize`,
    tokenUrl: `${site}/login/oauth/access_token`,
    scope: 'read:user user:email',
    async readProfile(accessToken): Promise<Profile | null> {
      const headers = { authorization: `Bearer ${accessToken}` };
      const [user, addresses] = await Promise.all([
        fetchJson({ method: 'GET', url: `${api}/user`, headers }),
        fetchJson({ method: 'GET', url: `${api}/user/emails`, headers }),
      ]);
      const { id, name, login } = user as Readonly<{ id?: unknown; name?: unknown; login?: unknown }>;
      const email = provenAddress(addresses);
      if (typeof id !== 'number' || email === null) return null;
      return { subject: String(id), email, name: firstText(name, login) ?? email };
    },
  };
}

/** The primary address of the account; others may be from former employers. */
function provenAddress(addresses: unknown): string | null {
  if (!Array.isArray(addresses)) return null;
  const main = (addresses as (Address | null)[]).find((it) => it?.primary === true && it.verified === true);
  return typeof main?.email === 'string' ? main.email : null;
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
