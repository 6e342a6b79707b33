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

/** Several tasks of so many characters each, of which a piece takes a millisecond; answers for how long they rested. */
async function restMsOf(pieceCount: number): Promise<number> {
  const clock = stillClock();
  let restedMs = 0;
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((goOn: () => void, durationMs: number) => {
    restedMs += durationMs;
    clock.pass(durationMs);
    setImmediate(goOn);
  }) as unknown as typeof setTimeout);
  const work = async (owner: string): Promise<void> => {
    const task = new LongTask(owner, 1_024);
    for (let piece = 0; piece < pieceCount; piece += 1) {
      await task.before(1_024);
      clock.pass(1);
    }
  };
  await Promise.all(['one', 'one', 'two', 'three', 'four', 'five', 'six', 'six'].map(work));
  timers.mockRestore();
  return restedMs;
}

test('where several very long tasks wait, most of the time is left to others', async () => {
  // Of 512 pieces of each, the first 128 are followed by no rest.
  expect(await restMsOf(512)).toBeGreaterThan(8 * 384 * 3);
});

test('what a long prompt comes to is done without a rest', async () => {
  expect(await restMsOf(128)).toBe(0);
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

test('a task that waits alone does not rest', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const clock = stillClock();
  for (let piece = 0; piece < 20; piece += 1) {
    await takeTurn('one');
    clock.pass(1);
  }
  expect(timers).not.toHaveBeenCalled();
});
