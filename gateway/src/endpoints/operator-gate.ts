// The operator's door. Who guesses at the token is slowed down, logged and, when it is many, an alarm; a source that has
// shown the right token lately is not counted, so that nobody locks the operator out by guessing beside them.

import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { OperatorLog } from '../modules/audit/operator-log.ts';
import type { ClientAddress } from '../modules/identity/client-address.ts';
import { createRateLimiter } from '../modules/limits/rate-limit.ts';
import { hasBearerToken, isOperator, unauthorized } from '../pipeline/authenticate.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sourceOf } from './auth/visitor.ts';

const GUESSES_PER_MINUTE = 20;
const SOURCES_MAX = 10_000;
const KNOWN_MS = 3_600_000;

export type OperatorGate = Readonly<{
  /** Throws 401, or 429 for whoever has guessed too often. */
  admit(exchange: Exchange): void;
  /** The same, and what is done is on record before it is done. */
  enter(exchange: Exchange): Promise<void>;
}>;

export type OperatorGateOptions = Readonly<{
  operatorToken: string;
  operatorLog: Pick<OperatorLog, 'record'>;
  clientAddress: ClientAddress;
  clock: Clock;
  logger: Logger;
}>;

export function createOperatorGate(options: OperatorGateOptions): OperatorGate {
  const { operatorToken, operatorLog, clientAddress, clock, logger } = options;
  const limiter = createRateLimiter({ clock, hasPenalty: false, subjectsMax: SOURCES_MAX });
  const knownUntilMs = new Map<string, number>();

  const refuseGuesser = (source: string): void => {
    if ((knownUntilMs.get(source) ?? 0) > clock.monotonicMs()) return;
    const decision = limiter.take(source, GUESSES_PER_MINUTE);
    if (decision instanceof Promise || decision.outcome === 'allowed') return;
    throw new ApiError('http_429', 'Too many wrong operator tokens. Try again shortly.', {
      retryAfterSeconds: decision.retryAfterSeconds,
    });
  };

  const admit = (exchange: Exchange): void => {
    if (!hasBearerToken(exchange)) throw unauthorized();
    const source = sourceOf(exchange, clientAddress);
    refuseGuesser(source);
    if (!isOperator(exchange, operatorToken)) {
      const fields = { alert: 'operator-token', source, route: exchange.route.path, requestId: exchange.requestId };
      logger.error(fields, 'a wrong operator token was sent');
      throw unauthorized();
    }
    knownUntilMs.delete(source);
    knownUntilMs.set(source, clock.monotonicMs() + KNOWN_MS);
    const [oldest] = knownUntilMs.keys();
    if (knownUntilMs.size > SOURCES_MAX && oldest !== undefined) knownUntilMs.delete(oldest);
  };

  return {
    admit,
    enter(exchange) {
      admit(exchange);
      const { request, route, params, requestId } = exchange;
      const action = { method: request.method ?? '', route: route.path, params, requestId };
      return operatorLog.record({ ...action, ip: clientAddress(request) });
    },
  };
}
