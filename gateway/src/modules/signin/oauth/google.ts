// Sign-in with Google. The profile is fetched with the access token over TLS, so no token has to be verified here.

import { fetchJson } from './fetch-json.ts';
import type { OAuthClient, OAuthProvider, Profile } from './provider.ts';

const AUTHORIZE_BASE = 'https://accounts.google.com';
const TOKEN_BASE = 'https://oauth2.googleapis.com';
const PROFILE_BASE = 'https://openidconnect.googleapis.com';

/** `baseUrl` replaces all three hosts. */
export type GoogleOptions = OAuthClient & Readonly<{ baseUrl: string | null }>;

export function createGoogle({ clientId, clientSecret, baseUrl }: GoogleOptions): OAuthProvider {
  return {
    id: 'google',
    name: 'Google',
    clientId,
    clientSecret,
    authorizeUrl: `${baseUrl ?? AUTHORIZE_BASE}/o/oauth2/v2/auth`,
    tokenUrl: `${baseUrl ?? TOKEN_BASE}/token`,
    scope: 'openid email profile',
    async readProfile(accessToken): Promise<Profile | null> {
      const url = `${baseUrl ?? PROFILE_BASE}/v1/userinfo`;
      const answer = await fetchJson({ method: 'GET', url, headers: { authorization: `Bearer ${accessToken}` } });
      const profile = answer as Readonly<Record<'sub' | 'email' | 'email_verified' | 'name', unknown>>;
      const { sub, email, email_verified: isVerified, name } = profile;
      if (typeof sub !== 'string' || sub === '' || typeof email !== 'string' || isVerified !== true) return null;
      return { subject: sub, email, name: typeof name === 'string' && name.trim() !== '' ? name : email };
    },
  };
}
