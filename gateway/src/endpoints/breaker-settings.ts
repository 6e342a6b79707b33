// Breakers as management routes read and answer them, for every kind of owner.

import {
  type BreakerChange,
  type BreakerLayer,
  type BreakerSettings,
  type BreakerSubject,
  breakerWindows,
} from '../canonical/breaker.ts';
import type { BreakerAnswer, BreakerBody } from '../contract/breaker.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { type NanoUsd, usdNumber } from '../platform/money.ts';
import { given, usdField } from './request-fields.ts';

export function breakerChange({ cbEnabled, cbMinuteUsd, cbHourlyUsd }: BreakerBody): BreakerChange {
  const minuteNanoUsd = usdField('cbMinuteUsd', cbMinuteUsd);
  const hourNanoUsd = usdField('cbHourlyUsd', cbHourlyUsd);
  return given({ isEnabled: cbEnabled, minuteNanoUsd, hourNanoUsd });
}

type AnsweredBreaker = Readonly<{ layer: BreakerLayer; settings: BreakerSettings; subject: BreakerSubject }>;

export async function breakerAnswer(
  { layer, settings, subject }: AnsweredBreaker,
  ledger: Pick<Ledger, 'used'>,
): Promise<BreakerAnswer> {
  const [minuteCap, hourCap] = breakerWindows(subject, settings);
  const [minuteSpend, hourSpend] = await Promise.all([ledger.used(minuteCap), ledger.used(hourCap)]);
  return {
    settings: layerAnswer(layer),
    resolvedSettings: {
      cbEnabled: settings.isEnabled,
      cbMinuteUsd: usdNumber(settings.minuteNanoUsd),
      cbHourlyUsd: usdNumber(settings.hourNanoUsd),
    },
    liveSpend: { minuteSpend: usdNumber(minuteSpend), hourSpend: usdNumber(hourSpend) },
  };
}

export function layerAnswer({ isEnabled, minuteNanoUsd, hourNanoUsd }: BreakerLayer): BreakerAnswer['settings'] {
  const usdOrNull = (amount: NanoUsd | null): number | null => (amount === null ? null : usdNumber(amount));
  return { cbEnabled: isEnabled, cbMinuteUsd: usdOrNull(minuteNanoUsd), cbHourlyUsd: usdOrNull(hourNanoUsd) };
}
