// OpenID Connect with any issuer, by the usual library. State, nonce and the code's verifier are sealed into a cookie
// of the browser that began, with the name of the issuer: an answer from another issuer, or in another browser, is
// refused. An issuer's metadata is cached for ten minutes.

import type { Configuration, IDToken } from 'openid-client';
import type { Clock } from '../../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../../platform/crypto.ts';
import { LoadingCache } from '../../../platform/loading-cache.ts';
import type { OutboundFetch } from './outbound-fetch.ts';

const ISSUERS_MAX = 1_000;
const DISCOVERY_MS = 600_000;
export const SIGN_ON_MS = 600_000;

/** An issuer through which people of an organization, or of the whole platform, sign in. */
export type Issuer = Readonly<{
  /** The organization; empty for the platform. */
  orgId: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
}>;

type Memory = Readonly<{
  orgId: string;
  issuer: string;
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  expiresAtMs: number;
}>;

export type SignedOn = Readonly<{ claims: IDToken; refreshToken: string | null; returnTo: string }>;

/** The issuer failed, or its answer does not fit the request. Its text is not repeated. */
export class SignOnError extends Error {
  readonly kind: 'unreachable' | 'refused';

  constructor(kind: SignOnError['kind'], cause: unknown) {
    super(`the issuer ${kind === 'refused' ? 'was not believed' : 'could not be asked'}`, { cause });
    this.name = 'SignOnError';
    this.kind = kind;
  }
}

export type Issuers = Readonly<{
  /** Throws `SignOnError` where the address is not a usable issuer. */
  check(issuer: Issuer): Promise<void>;
  begin(issuer: Issuer, redirectUri: string, returnTo: string): Promise<Readonly<{ url: string; memory: string }>>;
  /** The organization whose issuer a browser was sent to; null for a cookie that is too old or not ours. */
  orgOf(memory: string): string | null;
  /** Throws `SignOnError`. */
  finish(issuer: Issuer, memory: string, callbackUrl: URL): Promise<SignedOn>;
  /**
   * The next refresh token; null when the issuer no longer knows the person. Throws `SignOnError` where it cannot tell.
   */
  refresh(issuer: Issuer, refreshToken: string): Promise<string | null>;
}>;

type IssuersOptions = Readonly<{ fetch: OutboundFetch; allowHttp: boolean; sealKey: SealingKey; clock: Clock }>;

const SEAL_PURPOSE = 'sign-on';

export function createIssuers(options: IssuersOptions): Issuers {
  const { sealKey, clock } = options;
  const configurationOf = createDiscovery(options);

  const read = (memory: string): Memory | null => {
    const text = open(sealKey, memory, SEAL_PURPOSE);
    const found = text === null ? null : (JSON.parse(text) as Memory);
    return found === null || clock.nowMs() >= found.expiresAtMs ? null : found;
  };

  return {
    async check(issuer) {
      await configurationOf(issuer);
    },
    async begin(issuer, redirectUri, returnTo) {
      const client = await library();
      const memory: Memory = {
        orgId: issuer.orgId,
        issuer: issuer.issuer,
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        returnTo,
        expiresAtMs: clock.nowMs() + SIGN_ON_MS,
      };
      const url = await authorizationUrl(await configurationOf(issuer), memory, redirectUri);
      return { url, memory: seal(sealKey, JSON.stringify(memory), SEAL_PURPOSE) };
    },
    orgOf: (memory) => read(memory)?.orgId ?? null,
    async finish(issuer, sealed, callbackUrl) {
      const memory = read(sealed);
      if (memory === null || memory.orgId !== issuer.orgId || memory.issuer !== issuer.issuer) {
        throw new SignOnError('refused', new Error('begun with another issuer, or too long ago'));
      }
      return redeem(await configurationOf(issuer), memory, callbackUrl);
    },
    async refresh(issuer, refreshToken) {
      const client = await library();
      const configuration = await configurationOf(issuer);
      try {
        const tokens = await client.refreshTokenGrant(configuration, refreshToken);
        return tokens.refresh_token ?? refreshToken;
      } catch (error) {
        if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return null;
        throw new SignOnError('unreachable', error);
      }
    },
  };
}

type Discovery = (issuer: Issuer) => Promise<Configuration>;

function createDiscovery({ fetch, allowHttp, clock }: IssuersOptions): Discovery {
  const cache = new LoadingCache<Configuration>({ clock, sizeMax: ISSUERS_MAX, ageMaxMs: DISCOVERY_MS });
  const discover = async ({ issuer, clientId, clientSecret }: Issuer): Promise<Configuration> => {
    const client = await library();
    const options = {
      [client.customFetch]: fetch as never,
      ...(allowHttp ? { execute: [client.allowInsecureRequests] } : {}),
    };
    return client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
  };
  return async (issuer) => {
    try {
      return await cache.find(JSON.stringify(issuer), () => discover(issuer));
    } catch (error) {
      throw new SignOnError('unreachable', error);
    }
  };
}

async function authorizationUrl(configuration: Configuration, memory: Memory, redirectUri: string): Promise<string> {
  const client = await library();
  const isOfflineOffered = configuration.serverMetadata().scopes_supported?.includes('offline_access') ?? false;
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: `openid email profile${isOfflineOffered ? ' offline_access' : ''}`,
    // Without consent some issuers give no refresh token, and then people who have left could not be found.
    ...(isOfflineOffered ? { prompt: 'consent' } : {}),
    state: memory.state,
    nonce: memory.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(memory.verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

async function redeem(configuration: Configuration, memory: Memory, callbackUrl: URL): Promise<SignedOn> {
  const client = await library();
  try {
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
      pkceCodeVerifier: memory.verifier,
      expectedState: memory.state,
      expectedNonce: memory.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('no ID token');
    return { claims, refreshToken: tokens.refresh_token ?? null, returnTo: memory.returnTo };
  } catch (error) {
    throw new SignOnError('refused', error);
  }
}

/** Loaded at the first sign-in, because most gateways have no issuer. */
const library = () => import('openid-client');
