// Puts the parts of signing in together.

import type { Clock } from '../../platform/clock.ts';
import { deriveKey } from '../../platform/crypto.ts';
import type { Database, Notices } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { RootSecret } from '../../platform/root-secret.ts';
import { type Applications, createApplications } from './applications.ts';
import { createDevices, type Devices } from './devices.ts';
import { createSecondFactors, type SecondFactors } from './factors/second-factors.ts';
import { type Authorizations, createAuthorizations } from './oauth/authorization.ts';
import { createGitHub, type GitHubOptions } from './oauth/github.ts';
import { createGoogle, type GoogleOptions } from './oauth/google.ts';
import type { OAuthProvider } from './oauth/provider.ts';
import type { Passwords } from './password-flows.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createIssuers } from './sign-on/issuers.ts';
import { createOutboundFetch } from './sign-on/outbound-fetch.ts';
import { createSignOn, type SignOn } from './sign-on/sign-on.ts';
import { createSignIn, type SignIn } from './signin.ts';
import { createThrottle, type Throttle } from './throttle.ts';

/** Signing in with an account at another site; without providers it is off. */
type ExternalSignIn = Readonly<{
  providers: readonly OAuthProvider[];
  authorizations: Authorizations;
  /** The display name of the platform's issuer; null when there is none. */
  platformIssuerName: string | null;
}>;

export type SignInParts = Readonly<{
  signIn: SignIn;
  /** The sessions themselves; endpoints decide whose session a request has. */
  openSessions: Sessions;
  throttle: Throttle;
  devices: Devices;
  externalSignIn: ExternalSignIn;
  secondFactors: SecondFactors;
  signOn: SignOn;
  /** Programs that ask a user for a key. */
  applications: Applications;
}>;

type SignInPartsOptions = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  mailer: Mailer;
  passwords: Passwords;
  /** The root secret, from which each part gets its own key. */
  secret: RootSecret;
  siteUrl(): string;
  oauth: Readonly<{ github: GitHubOptions | null; google: GoogleOptions | null; oidc: PlatformIssuer | null }>;
  /** For issuers, whose addresses customers choose. */
  outbound: Pick<Outbound, 'request'>;
  /** Allows issuers without TLS, on a private network. */
  allowHttp: boolean;
  logger: Logger;
}>;

/** An issuer through which everybody may sign in. */
type PlatformIssuer = Readonly<{ name: string; issuer: string; clientId: string; clientSecret: string }>;

export function createSignInParts(options: SignInPartsOptions): SignInParts {
  const { database, notices, clock, secret, oauth } = options;
  const openSessions = createSessions({ database, notices, clock, pepper: deriveKey(secret.hashing, 'sessions') });
  const providers = [
    ...(oauth.github === null ? [] : [createGitHub(oauth.github)]),
    ...(oauth.google === null ? [] : [createGoogle(oauth.google)]),
  ];
  return {
    signIn: createSignIn({
      ...options,
      sessions: openSessions,
      pepper: deriveKey(secret.hashing, 'mail-tokens'),
    }),
    openSessions,
    throttle: createThrottle({ database, clock, pepper: deriveKey(secret.hashing, 'sign-in-attempts') }),
    devices: createDevices(deriveKey(secret.hashing, 'sign-in-devices')),
    externalSignIn: {
      providers,
      authorizations: createAuthorizations(secret.sealingKey('oauth'), clock),
      platformIssuerName: oauth.oidc?.name ?? null,
    },
    signOn: createIssuerSignOn(options, openSessions),
    secondFactors: createSecondFactors({
      database,
      clock,
      sealKey: secret.sealingKey('second-factors'),
      pepper: deriveKey(secret.hashing, 'second-factor-codes'),
    }),
    applications: createApplications({ database, clock, pepper: deriveKey(secret.hashing, 'applications') }),
  };
}

function createIssuerSignOn(options: SignInPartsOptions, sessions: Sessions): SignOn {
  const { database, clock, logger, secret, outbound, allowHttp, oauth } = options;
  const fetch = createOutboundFetch(outbound, allowHttp);
  const issuers = createIssuers({ fetch, allowHttp, sealKey: secret.sealingKey('sign-on-memory'), clock });
  const platform = oauth.oidc === null ? null : { ...oauth.oidc, orgId: '' };
  return createSignOn({ database, clock, logger, sealKey: secret.sealingKey('sign-on'), issuers, platform, sessions });
}
