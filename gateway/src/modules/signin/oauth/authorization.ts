// One sign-in through another site: the address that the browser is sent to, and the exchange when it comes back. What
// must be remembered in between is sealed into a cookie of that browser, so that a link from another person's sign-in
// does not work in it.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { open, type SealingKey, seal, timingSafeEqualText } from '../../../platform/crypto.ts';
import { fetchJson, ProviderError } from './fetch-json.ts';
import type { OAuthProvider, Profile } from './provider.ts';

export const AUTHORIZATION_MS = 600_000;

type Memory = Readonly<{ provider: string; state: string; verifier: string; returnTo: string; expiresAtMs: number }>;

type Begun = Readonly<{ url: string; memory: string }>;
export type Returned = Readonly<{ profile: Profile | null; returnTo: string }>;
type Return = Readonly<{ memory: string; state: string; code: string; redirectUri: string }>;

export type Authorizations = Readonly<{
  begin(provider: OAuthProvider, redirectUri: string, returnTo: string): Begun;
  /** Null when this browser did not begin this sign-in. The profile is null without a verified address. */
  finish(provider: OAuthProvider, answer: Return): Promise<Returned | null>;
}>;

const random = (): string => randomBytes(32).toString('base64url');

export function createAuthorizations(sealKey: SealingKey, clock: Clock): Authorizations {
  return {
    begin(provider, redirectUri, returnTo) {
      const expiresAtMs = clock.nowMs() + AUTHORIZATION_MS;
      const memory: Memory = { provider: provider.id, state: random(), verifier: random(), returnTo, expiresAtMs };
      const url = new URL(provider.authorizeUrl);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: provider.clientId,
        redirect_uri: redirectUri,
        scope: provider.scope,
        state: memory.state,
        code_challenge: createHash('sha256').update(memory.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value);
      }
      return { url: url.href, memory: seal(sealKey, JSON.stringify(memory), provider.id) };
    },
    async finish(provider, { memory: sealed, state, code, redirectUri }) {
      const text = open(sealKey, sealed, provider.id);
      const memory = text === null ? null : (JSON.parse(text) as Memory);
      if (memory === null || clock.nowMs() >= memory.expiresAtMs) return null;
      if (!timingSafeEqualText(memory.state, state)) return null;
      const accessToken = await exchangeCode(provider, { code, redirectUri, verifier: memory.verifier });
      return { profile: await provider.readProfile(accessToken), returnTo: memory.returnTo };
    },
  };
}

type Exchanged = Readonly<{ code: string; redirectUri: string; verifier: string }>;

async function exchangeCode(provider: OAuthProvider, { code, redirectUri, verifier }: Exchanged): Promise<string> {
  const answer = await fetchJson({
    method: 'POST',
    url: provider.tokenUrl,
    form: {
      grant_type: 'authorization_code',
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    },
  });
  // Some providers refuse a code with status 200 and an error in the body.
  const { access_token: accessToken } = answer as Readonly<{ access_token?: unknown }>;
  if (typeof accessToken !== 'string' || accessToken === '') throw new ProviderError('no access token was given');
  return accessToken;
}
