// Spend breakers: how the settings of several layers are combined, field by field, and what they limit.

import { NANO_PER_USD, type NanoUsd } from '../platform/money.ts';
import { NO_CAPS, type SpendCap, type SpendCoverage, type SpendScope } from './spend-cap.ts';

export type BreakerSettings = Readonly<{ isEnabled: boolean; minuteNanoUsd: NanoUsd; hourNanoUsd: NanoUsd }>;

/** One layer's own settings; null inherits. */
export type BreakerLayer = Readonly<{ [Field in keyof BreakerSettings]: BreakerSettings[Field] | null }>;

/** A field that is left out stays as it is; null inherits. */
export type BreakerChange = Partial<BreakerLayer>;

export const NO_BREAKER_LAYER: BreakerLayer = { isEnabled: null, minuteNanoUsd: null, hourNanoUsd: null };

/** Specification, Limits: $5 a minute and $20 an hour, for those who opt in. */
export const PLATFORM_BREAKER: BreakerSettings = {
  isEnabled: false,
  minuteNanoUsd: 5n * NANO_PER_USD,
  hourNanoUsd: 20n * NANO_PER_USD,
};

/** The narrowest layer comes first: for a member the member's own, then the team's, then the organization's. */
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

/** Both windows of a breaker, whether or not it is enabled: its spending is counted by them. */
export function breakerWindows(subject: BreakerSubject, settings: BreakerSettings): readonly [SpendCap, SpendCap] {
  return [
    { ...subject, kind: 'breaker', window: 'minute', limitNanoUsd: settings.minuteNanoUsd },
    { ...subject, kind: 'breaker', window: 'hour', limitNanoUsd: settings.hourNanoUsd },
  ];
}

export function breakerCaps(subject: BreakerSubject, settings: BreakerSettings): readonly SpendCap[] {
  return settings.isEnabled ? breakerWindows(subject, settings) : NO_CAPS;
}

/** A scope with settings of its own, and when it was last switched on, off, or to inherit. */
export type BreakerLevel = Omit<BreakerSubject, 'sinceMs'> & Readonly<{ layer: BreakerLayer; switchedMs: number }>;

/** The combined settings of the levels above, and which level each field comes from. */
type InheritedSettings = Readonly<{
  [Field in keyof BreakerSettings]: Readonly<{ value: BreakerSettings[Field]; from: SpendScope }>;
}>;

export type LevelBreaker = Readonly<{
  layer: BreakerLayer;
  settings: BreakerSettings;
  inherited: InheritedSettings;
  subject: BreakerSubject;
}>;

/**
 * The breaker of each level, the broadest level first: a level inherits from all before it. Any of them may have
 * switched it, so it counts from the latest switch.
 */
export function levelBreakers(levels: readonly BreakerLevel[]): readonly LevelBreaker[] {
  return levels.map(({ scope, scopeId, covers, layer }, index) => {
    const chain = levels.slice(0, index + 1).reverse();
    const sinceMs = Math.max(...chain.map((level) => level.switchedMs));
    return {
      layer,
      settings: resolveBreaker(chain.map((level) => level.layer)),
      inherited: inheritedFrom(chain.slice(1)),
      subject: { scope, scopeId, covers, sinceMs },
    };
  });
}

/** The nearest level comes first. */
function inheritedFrom(above: readonly BreakerLevel[]): InheritedSettings {
  const settings = resolveBreaker(above.map(({ layer }) => layer));
  const field = <Field extends keyof BreakerSettings>(name: Field) => {
    const from = above.find(({ layer }) => layer[name] !== null)?.scope ?? 'platform';
    return { value: settings[name], from };
  };
  return { isEnabled: field('isEnabled'), minuteNanoUsd: field('minuteNanoUsd'), hourNanoUsd: field('hourNanoUsd') };
}
