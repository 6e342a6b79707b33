// Applications on behalf of users: GET /auth leads to the page where a user agrees, POST /api/account/applications is
// that agreement, and POST /v1/auth/keys gives the application its key. The last is called without a credential, so
// guesses are counted.

import { DAY_MS } from '../../canonical/calendar.ts';
import { type ExchangeAnswer, ExchangeBody, type GrantAnswer, GrantBody } from '../../contract/applications.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendEmpty } from '../../http/respond.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { usdField } from '../request-fields.ts';
import type { AuthServices } from './auth-services.ts';
import { sendPrivate } from './private-answer.ts';
import { countGuess, sourceOf } from './visitor.ts';

const NAME_LENGTH_MAX = 200;
const QUERY_LENGTH_MAX = 4_000;

/** The console asks the user; the query is checked when they agree. */
export const beginConnect =
  ({ siteUrl }: AuthServices): Handler =>
  ({ queryText, ...exchange }) => {
    if (queryText.length > QUERY_LENGTH_MAX) throw new ApiError('http_400', 'The query is too long.');
    const location = `${siteUrl()}/console/connect?${new URLSearchParams(queryText)}`;
    sendEmpty({ queryText, ...exchange }, 302, ['Location', location, 'Cache-Control', 'no-store']);
  };

export function grantApplication({ applications, clock }: AuthServices): PrincipalHandler {
  const readBody = bodyReader(GrantBody);
  return async (exchange, { userId }) => {
    const body = await readBody(exchange);
    const callback = callbackOf(body.callbackUrl);
    const { codeChallenge, expiresInDays } = body;
    const code = await applications.grant({
      codeChallenge,
      key: {
        name: `Application: ${nameOf(callback)}`.slice(0, NAME_LENGTH_MAX),
        userId,
        spendLimitNanoUsd: usdField('limitUsd', body.limitUsd) ?? null,
        spendLimitPeriod: body.limitReset,
        expiresAtMs: expiresInDays === null ? null : clock.nowMs() + expiresInDays * DAY_MS,
      },
    });
    if (code === null)
      throw new ApiError('http_429', 'Too many applications wait for their key. Try again in ten minutes.');
    callback.searchParams.set('code', code);
    const answer: GrantAnswer = { redirectTo: callback.href };
    sendPrivate(exchange, 200, answer);
  };
}

export function exchangeCode({ applications, identity, database, throttle, clientAddress }: AuthServices): Handler {
  const readBody = bodyReader(ExchangeBody);
  return async (exchange) => {
    const { code, code_verifier: codeVerifier } = await readBody(exchange);
    const agreed = await applications.redeem(code, codeVerifier);
    if (agreed === null) {
      // Only these are counted: the server of an application exchanges the codes of all its users from one address.
      await countGuess(throttle, [{ kind: 'token-source', subject: sourceOf(exchange, clientAddress) }]);
      throw new ApiError(
        'http_403',
        'The code is unknown, used or older than ten minutes, or code_verifier does not fit. Ask for a new one.',
      );
    }
    const newKey = { ...agreed, keyType: 'standard', accountId: agreed.userId } as const;
    const { secret } = await withRoom(database, newKey.accountId, (transaction) =>
      identity.createKey(transaction, newKey),
    );
    const answer: ExchangeAnswer = { key: secret, user_id: agreed.userId };
    sendPrivate(exchange, 200, answer);
  };
}

/** Programs on the user's own machine listen there without a certificate, or have their own scheme. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that a browser runs or reads itself. */
const REFUSED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'filesystem:',
  'ws:',
  'wss:',
  'ftp:',
]);

function callbackOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw new ApiError('http_400', 'callbackUrl: must be a whole address, such as https://app.example/callback.', {
      cause: error,
    });
  }
  const isPlain = url.protocol === 'http:' && !LOOPBACK.has(url.hostname);
  if (isPlain || REFUSED_SCHEMES.has(url.protocol)) {
    throw new ApiError(
      'http_400',
      "callbackUrl: must begin with https:, with http://localhost, or with an application's own scheme.",
    );
  }
  if (url.username !== '' || url.password !== '')
    throw new ApiError('http_400', 'callbackUrl: must not hold a password.');
  if (url.hash !== '') throw new ApiError('http_400', 'callbackUrl: must not have a fragment.');
  return url;
}

/** The application's name as the user sees it, and the name of the key. */
const nameOf = ({ protocol, host }: URL): string =>
  (protocol === 'https:' ? host : `${protocol}//${host}`).replace(/[^\x21-\x7e]/g, '');
