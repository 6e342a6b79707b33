// Whose settings apply, field by field, and what they limit.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BreakerLayer,
  breakerCaps,
  breakerWindows,
  levelBreakers,
  NO_BREAKER_LAYER,
  PLATFORM_BREAKER,
  resolveBreaker,
} from './breaker.ts';

test('BRK-04 without any settings it is off, at $5 a minute and $20 an hour', () => {
  const defaults = { isEnabled: false, minuteNanoUsd: 5_000_000_000n, hourNanoUsd: 20_000_000_000n };
  expect(resolveBreaker([])).toEqual(defaults);
  expect(resolveBreaker([NO_BREAKER_LAYER, NO_BREAKER_LAYER, NO_BREAKER_LAYER])).toEqual(defaults);
});

test('BRK-03 each field comes from the narrowest layer that sets it', () => {
  const member = { ...NO_BREAKER_LAYER, minuteNanoUsd: 1n };
  const team = { ...NO_BREAKER_LAYER, isEnabled: false, minuteNanoUsd: 2n };
  const org = { isEnabled: true, minuteNanoUsd: 3n, hourNanoUsd: 4n };
  expect(resolveBreaker([member, team, org])).toEqual({ isEnabled: false, minuteNanoUsd: 1n, hourNanoUsd: 4n });
  expect(resolveBreaker([team, org])).toEqual({ isEnabled: false, minuteNanoUsd: 2n, hourNanoUsd: 4n });
  expect(resolveBreaker([org])).toEqual(org);
});

test('BRK-03 a layer that sets nothing changes nothing, wherever it stands', () => {
  const amount = fc.option(fc.bigInt({ min: 1n, max: 100n }));
  const layer: fc.Arbitrary<BreakerLayer> = fc.record({
    isEnabled: fc.option(fc.boolean()),
    minuteNanoUsd: amount,
    hourNanoUsd: amount,
  });
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 4 }), fc.nat({ max: 4 }), (layers, place) => {
      const longer = layers.toSpliced(place, 0, NO_BREAKER_LAYER);
      expect(resolveBreaker(longer)).toEqual(resolveBreaker(layers));
      for (const field of ['isEnabled', 'minuteNanoUsd', 'hourNanoUsd'] as const) {
        const set = layers.map((each) => each[field]).filter((value) => value !== null);
        expect(resolveBreaker(layers)[field]).toBe(set[0] ?? PLATFORM_BREAKER[field]);
      }
    }),
  );
});

test('BRK-05 one that is enabled watches a minute and an hour, one that is not watches nothing', () => {
  const subject = { scope: 'team', scopeId: 'tea-1', sinceMs: 7, covers: { accountId: 'org-1' } } as const;
  const settings = { isEnabled: true, minuteNanoUsd: 1n, hourNanoUsd: 2n };
  expect(breakerCaps(subject, settings)).toEqual([
    { ...subject, kind: 'breaker', window: 'minute', limitNanoUsd: 1n },
    { ...subject, kind: 'breaker', window: 'hour', limitNanoUsd: 2n },
  ]);
  expect(breakerCaps(subject, { ...settings, isEnabled: false })).toEqual([]);
  expect(breakerWindows(subject, { ...settings, isEnabled: false })).toEqual(breakerCaps(subject, settings));
});

test('BRK-03 BRK-13 each level has what it inherits, its own spending, and the latest switch of those above', () => {
  const level = (scope: 'org' | 'team' | 'member', switchedMs: number, layer: Partial<BreakerLayer>) => ({
    scope,
    scopeId: `${scope}-1`,
    covers: { accountId: 'org-1' },
    switchedMs,
    layer: { ...NO_BREAKER_LAYER, ...layer },
  });
  const levels = [
    level('org', 5, { isEnabled: true, hourNanoUsd: 9n }),
    level('team', 3, { minuteNanoUsd: 2n }),
    level('member', 7, { isEnabled: false, hourNanoUsd: 1n }),
  ];
  const subject = (scope: string, sinceMs: number) => ({
    scope,
    scopeId: `${scope}-1`,
    covers: { accountId: 'org-1' },
    sinceMs,
  });
  expect(levelBreakers(levels).map(({ settings, subject }) => ({ settings, subject }))).toEqual([
    { subject: subject('org', 5), settings: { isEnabled: true, minuteNanoUsd: 5_000_000_000n, hourNanoUsd: 9n } },
    { subject: subject('team', 5), settings: { isEnabled: true, minuteNanoUsd: 2n, hourNanoUsd: 9n } },
    { subject: subject('member', 7), settings: { isEnabled: false, minuteNanoUsd: 2n, hourNanoUsd: 1n } },
  ]);
});
