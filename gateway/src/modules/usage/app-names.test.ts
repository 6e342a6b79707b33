// However many names clients invent, an account has a bounded number of them a day.

import { expect, test } from 'vitest';
import { DAY_MS } from '../../canonical/calendar.ts';
import { createAppNames } from './app-names.ts';

const NOON_MS = Date.parse('2026-03-10T12:00:00Z');

test('AUTH-09 the first 200 names of an account and day are kept, later ones are the others', () => {
  const names = createAppNames();
  const record = (name: string, accountId = 'a', atMs = NOON_MS) => names.recorded(accountId, name, atMs);
  for (let index = 0; index < 200; index += 1) expect(record(`app ${index}`)).toBe(`app ${index}`);
  expect(record('app 200')).toBe('other');
  expect(record('app 0')).toBe('app 0');
  expect(record('app 200', 'b')).toBe('app 200');
  expect(record('app 200', 'a', NOON_MS + DAY_MS)).toBe('app 200');
  // A call of the day before that ends late does not start that day's names anew.
  expect(record('app 201')).toBe('other');
});
