import { expect, test } from 'vitest';
import { axisOf } from './axis.ts';

const texts = (largest: number, unit: 'usd' | 'count'): readonly string[] => {
  const { ticks, textOf } = axisOf(largest, unit);
  return ticks.map(textOf);
};

test.each([
  [0.0011, 'usd', ['$0.0000', '$0.0005', '$0.0010', '$0.0015']],
  [9.3, 'usd', ['$0.00', '$2.50', '$5.00', '$7.50', '$10.00']],
  [40_000, 'usd', ['$0K', '$10K', '$20K', '$30K', '$40K']],
  [3, 'count', ['0', '1', '2', '3']],
  [0, 'count', ['0', '1']],
  [0, 'usd', ['$0', '$1']],
  [2_300_000, 'count', ['0M', '1M', '2M', '3M']],
] as const)('up to %d %s the ticks are %j', (largest, unit, expected) => {
  expect(texts(largest, unit)).toEqual(expected);
});

test('steps are even and the largest value fits, whatever it is', () => {
  for (let power = -9; power < 12; power += 0.37) {
    const { ticks } = axisOf(10 ** power, 'usd');
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(10 ** power * (1 - 1e-6));
    expect(ticks.length).toBeLessThanOrEqual(6);
    const steps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
    for (const step of steps) expect(step / (steps[0] ?? 1)).toBeCloseTo(1, 6);
  }
});
