import { expect, test } from 'vitest';
import { newCodesOf } from './new-codes.ts';

const formOf = (expiresAt: string): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ count: '10', amountUsd: ' 5.00 ', note: 'Workshop', expiresAt })) {
    form.set(name, value);
  }
  return form;
};

test('codes are valid on the whole of the day that was chosen, in the zone of the reader', () => {
  const { expiresAt } = newCodesOf(formOf('2026-12-31'));
  expect(expiresAt).toBe(new Date(2027, 0, 1).toISOString());
  expect(newCodesOf(formOf('2028-02-29')).expiresAt).toBe(new Date(2028, 2, 1).toISOString());
});

test('without a day they have no end', () => {
  expect(newCodesOf(formOf(''))).toEqual({ count: 10, amountUsd: '5.00', note: 'Workshop' });
});
