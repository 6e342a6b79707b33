// Who may still follow a recorded answer.

import { expect, test } from 'vitest';
import { RecordedResponse } from './recorded-response.ts';

const begun = (): RecordedResponse => {
  const recorded = new RecordedResponse(1_000);
  recorded.writeHead(200, []);
  recorded.write('a');
  return recorded;
};

test('a client that comes after the end follows no more: what was kept is gone, and no end would come', () => {
  const given = begun();
  given.end('b');
  expect(given.isFollowable).toBe(true);
  given.release();
  expect(given.isFollowable).toBe(false);
  const failed = begun();
  failed.fail(new Error('no answer'));
  expect(failed.isFollowable).toBe(false);
});
