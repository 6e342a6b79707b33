// GET and PATCH /v1/account/circuit-breaker: a person's own spend breaker. It covers all their keys, those of
// organizations too, and any of their keys may read and change it.

import { resolveBreaker } from '../../canonical/breaker.ts';
import { type BreakerAnswer, BreakerBody } from '../../contract/breaker.ts';
import { sendJson } from '../../http/respond.ts';
import type { UserBreaker } from '../../modules/identity/caller-caps.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { breakerAnswer, breakerChange } from '../breaker-settings.ts';
import type { AccountHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';

type CircuitBreakerServices = Readonly<{
  identity: Pick<Identity, 'breakerOf' | 'changeBreaker'>;
  ledger: Pick<Ledger, 'used'>;
}>;

export const readCircuitBreaker =
  (services: CircuitBreakerServices): AccountHandler =>
  async (exchange, holder) => {
    sendJson(exchange, 200, await toAnswer(await services.identity.breakerOf(holder.userId), services));
  };

export function changeCircuitBreaker(services: CircuitBreakerServices): AccountHandler {
  const readBody = bodyReader(BreakerBody);
  return async (exchange, holder) => {
    const change = breakerChange(await readBody(exchange));
    sendJson(exchange, 200, await toAnswer(await services.identity.changeBreaker(holder.userId, change), services));
  };
}

const toAnswer = ({ layer, subject }: UserBreaker, { ledger }: CircuitBreakerServices): Promise<BreakerAnswer> =>
  breakerAnswer({ layer, subject, settings: resolveBreaker([layer]) }, ledger);
