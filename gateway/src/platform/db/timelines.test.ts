// A server whose timeline is older than one that was seen is refused, with words that an operator can search for.

import { expect, test } from 'vitest';
import { NoServerError } from './servers.ts';
import { Timelines } from './timelines.ts';

test('a server on an older timeline is refused, and the message says why', () => {
  const timelines = new Timelines();
  expect(timelines.judge({ systemId: '1', number: 3 })).toBe(null);
  expect(timelines.judge({ systemId: '1', number: 2 })).toBe(
    'is behind: it is on timeline 2, and a server on timeline 3 has been seen',
  );
});

test('when no server can be used, the message says what to check', () => {
  const error = new NoServerError('DATABASE_URL', [{ server: 'db1:5432', code: null, words: 'connection refused' }]);
  expect(error.message).toContain('  db1:5432: connection refused');
  expect(error.message).toContain('Check that PostgreSQL runs there, and that DATABASE_URL has its host');
});
