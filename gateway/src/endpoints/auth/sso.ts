// Signing in through an organization's own issuer, or the platform's: GET /api/auth/sso and its callback. An
// organization's issuer may only state addresses of the domains that the organization has confirmed; failures lead back
// to the sign-in page with a reason.

import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import { SIGN_ON_MS, type SignedOn, SignOnError } from '../../modules/signin/sign-on/issuers.ts';
import { placeOf } from '../../modules/signin/sign-on/rules.ts';
import type { AuthServices } from './auth-services.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { forgiveBegun, leadBack, mayBegin, type Problem, personOf, redirect, returnPage } from './external-person.ts';
import { openSession } from './open-session.ts';
import { beginSecondStep } from './second-step.ts';

const PLATFORM = '';

const domainOf = (emailNormalized: string): string => emailNormalized.slice(emailNormalized.lastIndexOf('@') + 1);

/**
 * Each issuer has its own redirect address: a hostile issuer that sends a browser on to another would otherwise get the
 * other's code, because many issuers do not name themselves in their answers.
 */
export const signOnRedirectUri = (siteUrl: string, orgId: string): string =>
  `${siteUrl}/api/auth/sso/callback${orgId === PLATFORM ? '' : `/${orgId}`}`;

export const beginSignOn =
  (services: AuthServices): Handler =>
  async (exchange) => {
    const { signOn, domains, siteUrl, logger } = services;
    if (!(await mayBegin(exchange, services))) {
      leadBack(exchange, services, 'throttled');
      return;
    }
    const query = new URLSearchParams(exchange.queryText);
    const email = normalizeEmail(query.get('email') ?? '');
    const orgId = query.get('issuer') === 'platform' ? PLATFORM : await domains.ownerOf(domainOf(email ?? ''));
    const issuer = orgId === null ? null : await signOn.issuerOf(orgId);
    if (issuer === null) {
      leadBack(exchange, services, 'unknown');
      return;
    }
    try {
      const redirectUri = signOnRedirectUri(siteUrl(), issuer.orgId);
      const begun = await signOn.issuers.begin(issuer, redirectUri, returnPage(query.get('returnTo')));
      const cookie = { name: 'tollgate_sso', value: begun.memory, ageMaxMs: SIGN_ON_MS } as const;
      redirect(exchange, begun.url, setCookie(siteUrl(), cookie));
    } catch (error) {
      if (!(error instanceof SignOnError)) throw error;
      logger.warn({ orgId: issuer.orgId, error }, 'an issuer could not be asked');
      leadBack(exchange, services, 'failed');
    }
  };

export const finishSignOn =
  (services: AuthServices): Handler =>
  async (exchange) => {
    const { siteUrl } = services;
    const result = await comeBack(exchange, services);
    const forget = clearCookie(siteUrl(), 'tollgate_sso');
    if (typeof result === 'string') {
      leadBack(exchange, services, result, forget);
      return;
    }
    await forgiveBegun(exchange, services);
    redirect(exchange, siteUrl() + result.returnTo, [...forget, ...result.cookie]);
  };

type Arrived = Readonly<{ returnTo: string; cookie: readonly [string, string] }>;

async function comeBack(exchange: Exchange, services: AuthServices): Promise<Problem | Arrived> {
  const { signOn, siteUrl, logger } = services;
  const memory = readCookie(exchange.request, siteUrl(), 'tollgate_sso');
  const orgId = memory === null ? null : signOn.issuers.orgOf(memory);
  const issuer = orgId === null ? null : await signOn.issuerOf(orgId);
  if (memory === null || issuer === null) return 'expired';
  if (issuer.orgId !== (exchange.params.orgId ?? PLATFORM)) return 'failed';
  let signedOn: SignedOn;
  try {
    const callback = new URL(`${signOnRedirectUri(siteUrl(), issuer.orgId)}?${exchange.queryText}`);
    signedOn = await signOn.issuers.finish(issuer, memory, callback);
  } catch (error) {
    if (!(error instanceof SignOnError)) throw error;
    logger.warn({ orgId: issuer.orgId, error }, 'a sign-in with an issuer failed');
    return 'failed';
  }
  const email = await provenEmail(signedOn, issuer.orgId, services);
  if (email === null) return 'unverified';
  const userId = await personFor(signedOn, { issuer, email }, services);
  if (userId === null) return 'suspended';
  if (issuer.orgId !== PLATFORM && !(await isSpokenFor(userId, issuer.orgId, services))) return 'unverified';
  const problem =
    issuer.orgId === PLATFORM ? null : await join(signedOn, { orgId: issuer.orgId, userId, email }, services);
  if (problem !== null) return problem;
  return arrive(exchange, signedOn, { orgId: issuer.orgId, userId }, services);
}

/** The address that the issuer may state; null for every other. */
async function provenEmail(
  { claims }: SignedOn,
  orgId: string,
  { signOn, domains }: AuthServices,
): Promise<string | null> {
  const email = typeof claims.email === 'string' ? normalizeEmail(claims.email) : null;
  if (email === null) return null;
  if (orgId === PLATFORM) return claims.email_verified === true ? email : null;
  const trusted = (await signOn.settingsOf(orgId))?.trustsEmail === true;
  const isVerified = claims.email_verified === true || (trusted && claims.email_verified === undefined);
  return isVerified && (await domains.ownerOf(domainOf(email))) === orgId ? email : null;
}

/**
 * An account that was opened through this issuer before may have an address of a domain that the organization has given
 * up since; another organization may have it now.
 */
async function isSpokenFor(userId: string, orgId: string, { identity, domains }: AuthServices): Promise<boolean> {
  const email = normalizeEmail((await identity.findUser(userId))?.email ?? '');
  return email !== null && (await domains.ownerOf(domainOf(email))) === orgId;
}

type Known = Readonly<{ issuer: Readonly<{ orgId: string; issuer: string }>; email: string }>;

const personFor = ({ claims }: SignedOn, { issuer, email }: Known, services: AuthServices): Promise<string | null> =>
  services.database.transaction((transaction) =>
    personOf(services, transaction, {
      provider: `sso:${issuer.orgId}`,
      profile: {
        // With the issuer's name: a later issuer of the organization may know other people by the same subject.
        subject: `${issuer.issuer} ${claims.sub}`,
        email,
        name: typeof claims.name === 'string' ? claims.name : email,
      },
    }),
  );

type Newcomer = Readonly<{ orgId: string; userId: string; email: string }>;

/** Null when they are a member now. */
async function join(
  { claims }: SignedOn,
  { orgId, userId, email }: Newcomer,
  { signOn, members }: AuthServices,
): Promise<Problem | null> {
  const settings = await signOn.settingsOf(orgId);
  if (settings === null) return 'expired';
  try {
    const place = placeOf(settings.rules, claims as unknown as JsonObject);
    await members.place(orgId, { userId, emailNormalized: email, ...place });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'http_409') return 'full';
    if (error.code === 'http_403') return 'suspended';
    throw error;
  }
}

/** A second factor that the person has set up here is still asked for: it protects the person's own account. */
async function arrive(
  exchange: Exchange,
  { refreshToken, returnTo }: SignedOn,
  { orgId, userId }: Readonly<{ orgId: string; userId: string }>,
  services: AuthServices,
): Promise<Arrived> {
  const sealed = refreshToken === null ? null : services.signOn.sealRefreshToken(orgId, refreshToken);
  const signOn = { orgId, refreshToken: sealed };
  const step = await beginSecondStep(services, userId, { signOn });
  if (step !== null) {
    const next = encodeURIComponent(returnTo.replace(/^\/console/, ''));
    return { returnTo: `/console/second-factor?next=${next}`, cookie: step };
  }
  return { returnTo, cookie: await openSession(exchange, services, userId, { hasSecondFactor: false, signOn }) };
}
