// The limiter at the edges of its windows: turns of the minute, ends of a block, and a clock that jumps.

import { describe, expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import { createRateLimiter, type RateDecision } from './rate-limit.ts';

const start = () => {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  return { clock, limiter: createRateLimiter({ clock, hasPenalty: true }) };
};
const outcomes = (decisions: unknown[]): string[] => decisions.map((decision) => (decision as RateDecision).outcome);

describe('the in-process limiter', () => {
  test('LIM-05 the wait is never less than a second and never beyond the window', () => {
    const { clock, limiter } = start();
    limiter.take('u', 1);
    expect(limiter.take('u', 1)).toMatchObject({ outcome: 'exceeded', retryAfterSeconds: 60 });
    clock.move(59_999);
    expect(limiter.take('u', 1)).toMatchObject({ outcome: 'exceeded', retryAfterSeconds: 1 });
  });

  test('LIM-06 refusals spread over more than ten minutes lead to no block', () => {
    const { clock, limiter } = start();
    const seen: unknown[] = [];
    for (let minute = 0; minute < 12; minute++) {
      limiter.take('u', 1);
      if (minute % 3 === 0) seen.push(limiter.take('u', 1));
      clock.move(60_000);
    }
    limiter.take('u', 1);
    seen.push(limiter.take('u', 1), limiter.take('u', 2));
    expect(outcomes(seen)).toEqual(['exceeded', 'exceeded', 'exceeded', 'exceeded', 'exceeded', 'allowed']);
  });

  test('LIM-06 the block is of one user, ends by itself, and starts the count of refusals anew', () => {
    const { clock, limiter } = start();
    limiter.take('u', 1);
    const refused = Array.from({ length: 6 }, () => limiter.take('u', 1));
    expect(outcomes(refused)).toEqual([...Array(5).fill('exceeded'), 'penalized']);
    expect(limiter.take('v', 1)).toMatchObject({ outcome: 'allowed' });
    clock.move(300_000);
    expect(limiter.take('u', 1)).toMatchObject({ outcome: 'allowed' });
    expect(limiter.take('u', 1)).toMatchObject({ outcome: 'exceeded' });
    expect(limiter.take('u', 2)).toMatchObject({ outcome: 'allowed' });
  });

  test('a clock set back opens a new window instead of freezing the old one', () => {
    const { clock, limiter } = start();
    limiter.take('u', 1);
    clock.move(-3_600_000);
    expect(limiter.take('u', 1)).toMatchObject({ outcome: 'allowed' });
  });

  test('strangers cannot fill the memory: the oldest subject of a window gives way', () => {
    const clock = new MovableClock('2026-03-10T12:00:00Z');
    const limiter = createRateLimiter({ clock, hasPenalty: false, subjectsMax: 2 });
    for (const subject of ['a', 'b', 'c']) limiter.take(subject, 1);
    expect(limiter.take('b', 1)).toMatchObject({ outcome: 'exceeded' });
    expect(limiter.take('a', 1)).toMatchObject({ outcome: 'allowed' });
  });
});
