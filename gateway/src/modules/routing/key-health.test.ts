// A key is quarantined when the provider refuses it, but not when one prompt or one model was refused.

import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../canonical/calendar.ts';
import { KeyHealth } from './key-health.ts';

test('ERR-56 a key that has not worked lately is quarantined for ten minutes by one refusal', () => {
  const key = new KeyHealth();
  expect(key.refused(0)).toBe(10 * MINUTE_MS);
  expect(key.isQuarantined(10 * MINUTE_MS - 1)).toBe(true);
  expect(key.isQuarantined(10 * MINUTE_MS)).toBe(false);
});

test('ERR-56 a key that works elsewhere is believed until three refusals in a row', () => {
  const key = new KeyHealth();
  key.succeeded(0);
  expect(key.refused(1)).toBeNull();
  expect(key.refused(2)).toBeNull();
  key.succeeded(3);
  expect(key.refused(4)).toBeNull();
  expect(key.refused(5)).toBeNull();
  expect(key.isQuarantined(5)).toBe(false);
  expect(key.refused(6)).not.toBeNull();
  expect(key.isQuarantined(6)).toBe(true);
});

test('ERR-56 a success ends the quarantine of the key, and counts as proof for a minute only', () => {
  const key = new KeyHealth();
  key.refused(0);
  key.succeeded(1);
  expect(key.isQuarantined(1)).toBe(false);
  expect(key.refused(MINUTE_MS + 1)).not.toBeNull();
});
