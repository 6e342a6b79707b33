// The one place that decides who is an operator and whether their role suffices. Guessing at the token is slowed down,
// logged and, when there is much of it, raises an alarm; a source that has shown the right token recently is not
// counted, so that nobody can lock the operator out by guessing. The session of a person who is not an operator is
// ignored.

import { type ActingOperator, includesRole } from '../canonical/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { OperatorLog } from '../modules/audit/operator-log.ts';
import type { ClientAddress } from '../modules/identity/client-address.ts';
import { createRateLimiter } from '../modules/limits/rate-limit.ts';
import type { Operators } from '../modules/operators/operators.ts';
import { hasBearerToken, isOperator, unauthorized } from '../pipeline/authenticate.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { sourceOf } from './auth/visitor.ts';
import type { SessionServices } from './identify.ts';

const GUESSES_PER_MINUTE = 20;
const SOURCES_MAX = 10_000;
const KNOWN_MS = 3_600_000;

export type OperatorGate = Readonly<{
  /** For the token only. Throws 401, or 429 after too many guesses. */
  checkToken(exchange: Exchange): void;
  /**
   * For operators who are people too; 403 where the role does not suffice. The action is recorded before it is done.
   */
  enter(exchange: Exchange): Promise<ActingOperator>;
}>;

type OperatorGateOptions = SessionServices &
  Readonly<{
    operatorToken: string;
    operators: Pick<Operators, 'find'>;
    /** For operators who are people. */
    needsSecondFactor(): boolean;
    operatorLog: Pick<OperatorLog, 'record'>;
    clientAddress: ClientAddress;
    clock: Clock;
    logger: Logger;
  }>;

const NO_OPERATOR =
  'This is for operators. Sign in as one, or send the operator token as "Authorization: Bearer <token>".';
const WRONG_TOKEN = 'This is not the operator token.';

const BY_TOKEN: ActingOperator = { userId: null, email: null, role: 'owner' };

export function createOperatorGate(options: OperatorGateOptions): OperatorGate {
  const { operatorToken, operatorLog, clientAddress, clock, logger } = options;
  const limiter = createRateLimiter({ clock, hasPenalty: false, subjectsMax: SOURCES_MAX });
  const knownUntilMs = new RecentMap<number>({ sizeMax: SOURCES_MAX });

  const refuseGuesser = (source: string): void => {
    if ((knownUntilMs.get(source) ?? 0) > clock.monotonicMs()) return;
    const decision = limiter.take(source, GUESSES_PER_MINUTE);
    if (decision instanceof Promise || decision.outcome === 'allowed') return;
    throw new ApiError('http_429', 'Too many wrong operator tokens. Try again shortly.', {
      retryAfterSeconds: decision.retryAfterSeconds,
    });
  };

  const checkToken = (exchange: Exchange): void => {
    if (!hasBearerToken(exchange)) throw unauthorized(NO_OPERATOR);
    const source = sourceOf(exchange, clientAddress);
    refuseGuesser(source);
    if (!isOperator(exchange, operatorToken)) {
      const fields = { alert: 'operator-token', source, route: exchange.route.path, requestId: exchange.requestId };
      logger.error(fields, 'a wrong operator token was sent');
      throw unauthorized(WRONG_TOKEN);
    }
    knownUntilMs.set(source, clock.monotonicMs() + KNOWN_MS);
  };

  return {
    checkToken,
    async enter(exchange) {
      const { request, route, params, requestId } = exchange;
      const operator = await operatorOf(exchange, checkToken, options);
      if (!includesRole(operator.role, route.leastRole ?? 'owner')) {
        throw new ApiError(
          'http_403',
          `Your role as an operator is ${operator.role}, which does not allow this. Ask an owner.`,
        );
      }
      const action = { method: request.method ?? '', route: route.path, params, requestId };
      await operatorLog.record({ ...action, ip: clientAddress(request), operatorUserId: operator.userId });
      return operator;
    },
  };
}

/** A request with a token is judged by the token alone. */
async function operatorOf(
  exchange: Exchange,
  checkToken: OperatorGate['checkToken'],
  { sessions, operators, needsSecondFactor }: OperatorGateOptions,
): Promise<ActingOperator> {
  if (exchange.request.headers.authorization !== undefined) {
    checkToken(exchange);
    return BY_TOKEN;
  }
  const person = await sessions.find(exchange);
  const operator = person === null || person.isSuspended ? null : await operators.find(person.userId);
  if (person === null || operator === null) throw unauthorized(NO_OPERATOR);
  if (needsSecondFactor() && !person.hasSecondFactor) {
    throw new ApiError(
      'http_403',
      'Operators need a second factor here. Set one up in your settings, or sign in again with it.',
    );
  }
  return operator;
}
