// Signing in with an account at another site: GET /api/auth/providers, GET /api/auth/oauth/:provider and its callback.
// Browsers are redirected here, so a failure leads back to the sign-in page with a reason, not to a page of JSON.

import type { ProvidersAnswer } from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import { AUTHORIZATION_MS, type Returned } from '../../modules/signin/oauth/authorization.ts';
import { ProviderError } from '../../modules/signin/oauth/fetch-json.ts';
import type { OAuthProvider } from '../../modules/signin/oauth/provider.ts';
import type { AuthServices } from './auth-services.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { forgiveBegun, leadBack, mayBegin, type Problem, personOf, redirect, returnPage } from './external-person.ts';
import { openSession } from './open-session.ts';
import { sendPrivate } from './private-answer.ts';
import { beginSecondStep } from './second-step.ts';

export const listProviders =
  ({ externalSignIn }: AuthServices): Handler =>
  (exchange) => {
    const sites = externalSignIn.providers.map(({ id, name }) => ({ id, name, url: `/api/auth/oauth/${id}` }));
    const { platformIssuerName: name } = externalSignIn;
    const issuer = name === null ? [] : [{ id: 'oidc', name, url: '/api/auth/sso?issuer=platform' }];
    const providers = [...issuer, ...sites];
    const answer: ProvidersAnswer = { providers };
    sendPrivate(exchange, 200, answer);
  };

export const beginOAuth =
  (services: AuthServices): Handler =>
  async (exchange) => {
    const { externalSignIn, siteUrl } = services;
    const provider = knownProvider(exchange, services);
    if (!(await mayBegin(exchange, services))) {
      leadBack(exchange, services, 'throttled');
      return;
    }
    const returnTo = returnPage(new URLSearchParams(exchange.queryText).get('returnTo'));
    const { url, memory } = externalSignIn.authorizations.begin(provider, callbackUrl(provider, services), returnTo);
    const cookie = { name: 'tollgate_oauth', value: memory, ageMaxMs: AUTHORIZATION_MS } as const;
    redirect(exchange, url, setCookie(siteUrl(), cookie));
  };

export const finishOAuth =
  (services: AuthServices): Handler =>
  async (exchange) => {
    const { siteUrl } = services;
    const provider = knownProvider(exchange, services);
    const result = await comeBack(exchange, provider, services);
    const forget = clearCookie(siteUrl(), 'tollgate_oauth');
    if (result.problem !== null) {
      leadBack(exchange, services, result.problem, forget);
      return;
    }
    await forgiveBegun(exchange, services);
    redirect(exchange, siteUrl() + result.returnTo, [...forget, ...result.cookie]);
  };

type Result =
  | Readonly<{ problem: Problem }>
  | Readonly<{ problem: null; returnTo: string; cookie: readonly [string, string] }>;

async function comeBack(exchange: Exchange, provider: OAuthProvider, services: AuthServices): Promise<Result> {
  const query = new URLSearchParams(exchange.queryText);
  const code = query.get('code');
  const state = query.get('state');
  if (code === null || state === null) return { problem: 'denied' };
  const memory = readCookie(exchange.request, services.siteUrl(), 'tollgate_oauth');
  if (memory === null) return { problem: 'expired' };
  const answer = { memory, state, code, redirectUri: callbackUrl(provider, services) };
  let returned: Returned | null;
  try {
    returned = await services.externalSignIn.authorizations.finish(provider, answer);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    services.logger.warn({ provider: provider.id, error }, 'a sign-in through another site failed');
    return { problem: 'failed' };
  }
  if (returned === null) return { problem: 'expired' };
  const { profile, returnTo } = returned;
  if (profile === null || normalizeEmail(profile.email) === null) return { problem: 'unverified' };
  const userId = await services.database.transaction((transaction) =>
    personOf(services, transaction, { provider: provider.id, profile }),
  );
  if (userId === null) return { problem: 'suspended' };
  const step = await beginSecondStep(services, userId);
  if (step !== null) {
    const next = encodeURIComponent(returnTo.replace(/^\/console/, ''));
    return { problem: null, returnTo: `/console/second-factor?next=${next}`, cookie: step };
  }
  const cookie = await openSession(exchange, services, userId, { hasSecondFactor: false });
  return { problem: null, returnTo, cookie };
}

function knownProvider({ params }: Exchange, { externalSignIn }: AuthServices): OAuthProvider {
  const provider = externalSignIn.providers.find(({ id }) => id === params.provider);
  if (provider === undefined) throw new ApiError('http_404', 'Signing in with this site is not set up here.');
  return provider;
}

const callbackUrl = ({ id }: OAuthProvider, { siteUrl }: AuthServices): string =>
  `${siteUrl()}/api/auth/oauth/${id}/callback`;
