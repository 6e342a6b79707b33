import { expect, test } from 'vitest';
import { momentsOf } from './local-days.ts';

test('both days of a span count, from the first midnight to the one after the last', () => {
  const { from, to } = momentsOf({ from: '2026-03-01', to: '2026-03-01' });
  expect(new Date(to ?? '').getTime() - new Date(from ?? '').getTime()).toBe(86_400_000);
  expect(new Date(from ?? '').getHours()).toBe(0);
});

test('a month ends where the next one begins', () => {
  expect(momentsOf({ to: '2026-02-28' }).to).toBe(new Date('2026-03-01T00:00').toISOString());
  expect(momentsOf({ to: '2026-12-31' }).to).toBe(new Date('2027-01-01T00:00').toISOString());
});

test('what is no day is left for the gateway to refuse', () => {
  expect(momentsOf({ from: 'yesterday', to: '2026-03-01T12:00:00Z' })).toEqual({
    from: 'yesterday',
    to: '2026-03-01T12:00:00Z',
  });
  expect(momentsOf({})).toEqual({ from: undefined, to: undefined });
});
