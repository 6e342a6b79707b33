// GET and PATCH /v1/account/circuit-breaker: a person's own spend breaker. It covers all their keys, those of
// organizations too, and any of their keys may read and change it.

import { type BreakerLayer, breakerWindows, resolveBreaker } from '../../canonical/breaker.ts';
import { type BreakerAnswer, BreakerBody } from '../../contract/breaker.ts';
import { sendJson } from '../../http/respond.ts';
import type { UserBreaker } from '../../modules/identity/caller-caps.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import type { CallerHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { usdField } from '../usd-field.ts';

export type CircuitBreakerServices = Readonly<{
  identity: Pick<Identity, 'breakerOf' | 'changeBreaker'>;
  ledger: Pick<Ledger, 'used'>;
}>;

export const readCircuitBreaker =
  (services: CircuitBreakerServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, await toAnswer(await services.identity.breakerOf(caller.userId), services));
  };

export function changeCircuitBreaker(services: CircuitBreakerServices): CallerHandler {
  const readBody = bodyReader(BreakerBody);
  return async (exchange, caller) => {
    const { cbEnabled, cbMinuteUsd, cbHourlyUsd } = await readBody(exchange);
    const minuteNanoUsd = usdField('cbMinuteUsd', cbMinuteUsd);
    const hourNanoUsd = usdField('cbHourlyUsd', cbHourlyUsd);
    const breaker = await services.identity.changeBreaker(caller.userId, {
      ...(cbEnabled === undefined ? {} : { isEnabled: cbEnabled }),
      ...(minuteNanoUsd === undefined ? {} : { minuteNanoUsd }),
      ...(hourNanoUsd === undefined ? {} : { hourNanoUsd }),
    });
    sendJson(exchange, 200, await toAnswer(breaker, services));
  };
}

async function toAnswer({ layer, subject }: UserBreaker, { ledger }: CircuitBreakerServices): Promise<BreakerAnswer> {
  const resolved = resolveBreaker([layer]);
  const [minuteCap, hourCap] = breakerWindows(subject, resolved);
  const [minuteSpend, hourSpend] = await Promise.all([ledger.used(minuteCap), ledger.used(hourCap)]);
  return {
    settings: settingsAnswer(layer),
    resolvedSettings: {
      cbEnabled: resolved.isEnabled,
      cbMinuteUsd: usdNumber(resolved.minuteNanoUsd),
      cbHourlyUsd: usdNumber(resolved.hourNanoUsd),
    },
    liveSpend: { minuteSpend: usdNumber(minuteSpend), hourSpend: usdNumber(hourSpend) },
  };
}

function settingsAnswer({ isEnabled, minuteNanoUsd, hourNanoUsd }: BreakerLayer): BreakerAnswer['settings'] {
  const usdOrNull = (amount: NanoUsd | null): number | null => (amount === null ? null : usdNumber(amount));
  return { cbEnabled: isEnabled, cbMinuteUsd: usdOrNull(minuteNanoUsd), cbHourlyUsd: usdOrNull(hourNanoUsd) };
}
