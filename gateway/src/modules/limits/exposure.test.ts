// When unpaid calls keep a user out, for how long, and that processes tell each other.

import { expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import type { Notices } from '../../platform/db/database.ts';
import { silentLogger } from '../../platform/logger.ts';
import { createExposure, type ExposureRules } from './exposure.ts';

const USD = 1_000_000_000n;

/** Delivers to everybody at once, as one process would hear another. */
function openNotices(): Notices {
  const handlers: ((payload: string) => void)[] = [];
  return {
    publish: async (_, payload) => {
      for (const handler of handlers) handler(payload);
    },
    subscribe: (_, handler) => void handlers.push(handler),
    onGap: () => {},
    close: async () => {},
  };
}

function start(changes: Partial<ExposureRules> = {}) {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const rules = { costNanoUsd: USD, percent: 20, requestsMin: 50, blockMs: 600_000, ...changes };
  const notices = openNotices();
  const open = () => createExposure({ clock, notices, logger: silentLogger, rules: () => rules });
  return { clock, rules, exposure: open(), other: open() };
}

test('ABT-1 more than the allowance in an hour restricts for ten minutes, and exactly the allowance does not', () => {
  const { clock, exposure } = start();
  expect(exposure.enter('u')).toBe(0);
  exposure.add('u', USD);
  expect(exposure.enter('u')).toBe(0);
  exposure.add('u', 1n);
  expect(exposure.enter('u')).toBe(600_000);
  expect(exposure.enter('v')).toBe(0);
  clock.move(599_999);
  expect(exposure.enter('u')).toBe(1);
  clock.move(1);
  expect(exposure.enter('u')).toBe(0);
});

test('ABT-1 more than a fifth of requests restricts, once there are fifty of them', () => {
  const { exposure } = start();
  for (let index = 0; index < 49; index += 1) exposure.enter('u');
  for (let index = 0; index < 40; index += 1) exposure.add('u', 1n);
  expect(exposure.enter('u')).toBe(0);
  exposure.add('u', 1n);
  expect(exposure.enter('u')).toBe(600_000);
});

test('ABT-1 a fifth itself is allowed', () => {
  const { exposure } = start();
  for (let index = 0; index < 50; index += 1) exposure.enter('u');
  for (let index = 0; index < 10; index += 1) exposure.add('u', 1n);
  expect(exposure.enter('u')).toBe(0);
});

test('an hour has an allowance of its own, and so has whoever comes back', () => {
  const { clock, exposure } = start();
  exposure.add('u', USD);
  clock.move(3_600_000);
  exposure.add('u', USD);
  expect(exposure.enter('u')).toBe(0);
  exposure.add('u', USD);
  expect(exposure.enter('u')).toBeGreaterThan(0);
  clock.move(600_000);
  exposure.add('u', USD);
  expect(exposure.enter('u')).toBe(0);
});

test('what one process restricts is restricted in all', () => {
  const { exposure, other } = start();
  exposure.add('u', 2n * USD);
  expect(other.enter('u')).toBe(600_000);
});

test('the rules are asked each time', () => {
  const { rules, exposure } = start();
  rules.costNanoUsd = 10n;
  rules.blockMs = 1_000;
  exposure.add('u', 11n);
  expect(exposure.enter('u')).toBe(1_000);
});
