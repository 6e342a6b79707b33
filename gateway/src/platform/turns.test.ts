// Turns of the main thread: one piece of work in a round of the event loop, owners in rotation.

import { expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../test/patience.ts';
import { LongTask, ownersWaiting, takeTurn } from './turns.ts';

test('owners take turns, whatever each has waiting', async () => {
  const served: string[] = [];
  const work = async (owner: string, pieces: number): Promise<void> => {
    for (let piece = 0; piece < pieces; piece += 1) {
      await takeTurn(owner);
      served.push(owner);
    }
  };
  const greedy = Array.from({ length: 10 }, () => work('greedy', 5));
  await Promise.all([...greedy, work('honest', 5)]);
  expect(served).toHaveLength(55);
  // Each piece of the honest owner waits for one piece of the other, and not for fifty.
  expect(served.lastIndexOf('honest')).toBeLessThanOrEqual(10);
});

test('owners are counted while they wait, each once', async () => {
  const pieces = ['one', 'one', 'one', 'other'].map((owner) => takeTurn(owner));
  expect(ownersWaiting()).toBe(2);
  await Promise.all(pieces);
  expect(ownersWaiting()).toBe(0);
});

test('others are heard between any two pieces', async () => {
  let rounds = 0;
  let isOver = false;
  const count = (): void => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 20 }, (_, owner) => takeTurn(String(owner))));
  isOver = true;
  expect(rounds).toBeGreaterThanOrEqual(19);
});

test('a long task waits for a turn only where its pieces come to more than one', async () => {
  const task = new LongTask('somebody', 100);
  const waits = [60, 40, 1, 99, 100, 250, 0].map((amount) => task.before(amount) !== undefined);
  expect(waits).toEqual([false, false, true, false, true, true, true]);
  while (ownersWaiting() > 0) await takeTurn('somebody');
});

/** A clock that only work moves. */
function stillClock(): { pass(durationMs: number): void } {
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    pass(durationMs) {
      nowMs += durationMs;
    },
  };
}

const SEVERAL = ['one', 'one', 'two', 'three', 'four', 'five', 'six', 'six'];
const PIECES = 6;

async function workInTurns(owner: string, work: () => void): Promise<void> {
  for (let piece = 0; piece < PIECES; piece += 1) {
    await takeTurn(owner);
    work();
  }
}

test('where several tasks wait, most of the time is left to others who have something to do', async () => {
  const clock = stillClock();
  let othersMs = 0;
  let isOver = false;
  const other = (): void => {
    clock.pass(1);
    othersMs += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  await Promise.all(SEVERAL.map((owner) => workInTurns(owner, () => clock.pass(2))));
  isOver = true;
  const workedMs = SEVERAL.length * PIECES * 2;
  expect(othersMs).toBeGreaterThan(workedMs * 3);
  expect(othersMs).toBeLessThan(workedMs * 5);
});

test('where nobody else has anything to do, each task goes on after a round of the event loop', async () => {
  const clock = stillClock();
  const rounds = vi.spyOn(globalThis, 'setImmediate');
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await Promise.all(SEVERAL.map((owner) => workInTurns(owner, () => clock.pass(2))));
  expect(rounds.mock.calls.length).toBeLessThanOrEqual(2 * SEVERAL.length * PIECES);
  expect(timers).not.toHaveBeenCalled();
});

test('after a piece that took very long the others wait for a moment only', async () => {
  const begunMs = performance.now();
  const now = vi.spyOn(performance, 'now');
  const tasks = ['one', 'two', 'three', 'four', 'five', 'six'].map(async (owner) => {
    await takeTurn(owner);
    // The first is interrupted for a day, and a clock that was another one before is back in the past afterwards.
    if (owner === 'one') now.mockReturnValueOnce(begunMs + 86_400_000);
  });
  await Promise.all(tasks);
  await takeTurn('one');
  now.mockRestore();
  expect(performance.now() - begunMs).toBeLessThan(PATIENCE_MS);
});
