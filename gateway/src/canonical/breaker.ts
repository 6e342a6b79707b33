// Spend breakers: how settings of several layers become the ones that apply, field by field, and what they limit.

import { NANO_PER_USD, type NanoUsd } from '../platform/money.ts';
import { NO_CAPS, type SpendCap, type SpendCoverage, type SpendScope } from './spend-cap.ts';

export type BreakerSettings = Readonly<{ isEnabled: boolean; minuteNanoUsd: NanoUsd; hourNanoUsd: NanoUsd }>;

/** One layer's own settings; null inherits. */
export type BreakerLayer = Readonly<{ [Field in keyof BreakerSettings]: BreakerSettings[Field] | null }>;

export const NO_BREAKER_LAYER: BreakerLayer = { isEnabled: null, minuteNanoUsd: null, hourNanoUsd: null };

/** Specification, Limits: $5 a minute and $20 an hour, for those who opt in. */
export const PLATFORM_BREAKER: BreakerSettings = {
  isEnabled: false,
  minuteNanoUsd: 5n * NANO_PER_USD,
  hourNanoUsd: 20n * NANO_PER_USD,
};

/** The narrowest layer comes first: for a member that is the member's own, the team's, the organization's. */
export function resolveBreaker(layers: readonly BreakerLayer[]): BreakerSettings {
  const first = <Field extends keyof BreakerSettings>(field: Field): BreakerSettings[Field] => {
    for (const layer of layers) {
      const value = layer[field];
      if (value !== null) return value as BreakerSettings[Field];
    }
    return PLATFORM_BREAKER[field];
  };
  return { isEnabled: first('isEnabled'), minuteNanoUsd: first('minuteNanoUsd'), hourNanoUsd: first('hourNanoUsd') };
}

export type BreakerSubject = Readonly<{ scope: SpendScope; scopeId: string; sinceMs: number; covers: SpendCoverage }>;

/** Both windows of a breaker, whether or not it is enabled: what its spending is counted by. */
export function breakerWindows(subject: BreakerSubject, settings: BreakerSettings): readonly [SpendCap, SpendCap] {
  return [
    { ...subject, kind: 'breaker', window: 'minute', limitNanoUsd: settings.minuteNanoUsd },
    { ...subject, kind: 'breaker', window: 'hour', limitNanoUsd: settings.hourNanoUsd },
  ];
}

export function breakerCaps(subject: BreakerSubject, settings: BreakerSettings): readonly SpendCap[] {
  return settings.isEnabled ? breakerWindows(subject, settings) : NO_CAPS;
}
