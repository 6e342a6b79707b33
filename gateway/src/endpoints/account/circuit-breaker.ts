// GET and PATCH /v1/account/circuit-breaker: a person's own spend breaker. It covers all their keys, those of
// organizations too, and any key that they made or that the operator gave them may read and change it.

import { resolveBreaker } from '../../canonical/breaker.ts';
import { type BreakerAnswer, BreakerBody } from '../../contract/breaker.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { UserBreaker } from '../../modules/identity/caller-caps.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { breakerAnswer, breakerChange } from '../breaker-settings.ts';
import type { AccountHolder } from '../protect.ts';
import { bodyReader } from '../read-body.ts';

type CircuitBreakerServices = Readonly<{
  identity: Pick<Identity, 'breakerOf' | 'changeBreaker'>;
  ledger: Pick<Ledger, 'used'>;
  audit: Pick<Audit, 'read'>;
}>;

/** A session has no key. */
type BreakerHolder = AccountHolder & Readonly<{ keyId?: string }>;
type BreakerHandler = (exchange: Exchange, holder: BreakerHolder) => Promise<void>;

export const readCircuitBreaker =
  (services: CircuitBreakerServices): BreakerHandler =>
  async (exchange, holder) => {
    await refuseKeyOfAnother(holder, services);
    sendJson(exchange, 200, await toAnswer(await services.identity.breakerOf(holder.userId), services));
  };

export function changeCircuitBreaker(services: CircuitBreakerServices): BreakerHandler {
  const readBody = bodyReader(BreakerBody);
  return async (exchange, holder) => {
    await refuseKeyOfAnother(holder, services);
    const change = breakerChange(await readBody(exchange));
    sendJson(exchange, 200, await toAnswer(await services.identity.changeBreaker(holder.userId, change), services));
  };
}

/**
 * An administrator can make a key in a member's name and has its secret too. The log of the organization says who made
 * it; they would learn and decide about the person's calls in other accounts.
 */
async function refuseKeyOfAnother(
  { userId, accountId, keyId }: BreakerHolder,
  { audit }: Pick<CircuitBreakerServices, 'audit'>,
): Promise<void> {
  if (accountId === userId || keyId === undefined) return;
  const made = await audit.read({ orgId: accountId, action: 'org.key.create', targetId: keyId, limit: 1 });
  const maker = made?.entries[0]?.actor.userId ?? null;
  if (maker === null || maker === userId) return;
  throw new ApiError(
    'http_403',
    'Somebody else made this key in your name. Use a key of your own, or the console, for your own spend breaker.',
  );
}

const toAnswer = ({ layer, subject }: UserBreaker, { ledger }: CircuitBreakerServices): Promise<BreakerAnswer> =>
  breakerAnswer({ layer, subject, settings: resolveBreaker([layer]) }, ledger);
