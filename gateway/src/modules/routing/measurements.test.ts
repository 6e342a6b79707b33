// Live figures: the last minute's outcomes, averages that forget, and percentiles of the newest samples.

import { expect, test } from 'vitest';
import { DecayingAverage, RecentSamples } from './measurements.ts';
import { OutcomeWindow } from './route-health.ts';

test('ROUTE-12 outcomes count within their span and are gone after a minute', () => {
  const window = new OutcomeWindow();
  for (let second = 0; second < 90; second += 1) window.add(second >= 80, second * 1_000);
  expect(window.totals(10, 89_999)).toEqual({ calls: 10, failures: 10 });
  expect(window.totals(60, 89_999)).toEqual({ calls: 60, failures: 10 });
  expect(window.totals(10, 95_000)).toEqual({ calls: 4, failures: 4 });
  expect(window.totals(60, 1_000_000)).toEqual({ calls: 0, failures: 0 });
  window.add(true, 1_000_000);
  expect(window.totals(60, 1_000_000)).toEqual({ calls: 1, failures: 1 });
});

test('ROUTE-17 an average follows what is measured now and knows nothing after ten idle minutes', () => {
  const average = new DecayingAverage();
  expect(average.read(0)).toBeNull();
  average.add(100, 0);
  expect(average.read(0)).toBe(100);
  average.add(200, 60_000);
  expect(average.read(60_000)).toBe(150);
  for (let call = 1; call <= 100; call += 1) average.add(40, 60_000 + call);
  expect(average.read(61_000)).toBeCloseTo(40, 1);
  expect(average.read(700_000)).toBeNull();
  average.add(7, 700_000);
  expect(average.read(700_000)).toBe(7);
});

test('percentiles are of the newest samples', () => {
  const samples = new RecentSamples();
  expect(samples.percentile(0.5)).toBeNull();
  for (let value = 1; value <= 100; value += 1) samples.add(value);
  expect(samples.percentile(0.5)).toBe(51);
  expect(samples.percentile(0.95)).toBe(96);
  for (let value = 0; value < 128; value += 1) samples.add(5_000);
  expect(samples.percentile(0)).toBe(5_000);
});
