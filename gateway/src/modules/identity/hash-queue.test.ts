// Turns at hashing: requests of a source that floods the queue wait only for each other, and others go past them.

import { expect, test } from 'vitest';
import { HashQueue } from './hash-queue.ts';

/** Work that lasts until the test ends it. */
function gate(): { work: () => Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { work: () => opened, open };
}

test('sources take turns, whoever came first', async () => {
  const queue = new HashQueue(1);
  const order: string[] = [];
  const first = gate();
  const runs = [queue.run('flood', first.work)];
  for (let index = 0; index < 5; index += 1) {
    runs.push(queue.run('flood', async () => void order.push('flood')));
  }
  runs.push(queue.run('owner', async () => void order.push('owner')));
  first.open();
  await Promise.all(runs);
  expect(order.indexOf('owner')).toBeLessThanOrEqual(1);
  expect(order).toHaveLength(6);
});

test('a source has a share of the places, and gives way when they are all taken', async () => {
  const queue = new HashQueue(1);
  const first = gate();
  const running = queue.run('first', first.work);
  const outcomes = new Map<string, number>();
  const ask = (source: string): Promise<void> =>
    queue
      .run(source, async () => {})
      .then(
        () => void outcomes.set(source, (outcomes.get(source) ?? 0) + 1),
        () => {},
      );
  const asked = Array.from({ length: 60 }, () => ask('flood'));
  for (let source = 0; source < 9; source += 1) {
    asked.push(...Array.from({ length: 20 }, () => ask(`bot ${source}`)));
  }
  asked.push(ask('owner'));
  first.open();
  await Promise.all([running, ...asked]);
  expect(outcomes.get('owner')).toBe(1);
  expect(Math.max(...outcomes.values())).toBeLessThanOrEqual(40);
});
