// A gate whose places are shared between owners.

import { expect, test } from 'vitest';
import { createSharedGate } from './gate.ts';

test('an owner whose tasks hang takes only its places, and others do not wait behind it', async () => {
  const gate = createSharedGate({ atOnceMax: 3, ofOwnerMax: 2 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (owner: string, name: string): Promise<void> =>
    gate(owner, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const tasks = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => begin(name.slice(0, 1), name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  ends.get('b1')?.();
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  ends.get('a1')?.();
  await expect.poll(() => begun.at(-1)).toBe('a3');
  ends.get('b2')?.();
  await expect.poll(() => begun.at(-1)).toBe('c1');
  for (const name of ['a2', 'a3', 'c1']) ends.get(name)?.();
  await expect.poll(() => begun.at(-1)).toBe('a4');
  ends.get('a4')?.();
  await Promise.all(tasks);
});

test('a task that fails frees its place', async () => {
  const gate = createSharedGate({ atOnceMax: 1, ofOwnerMax: 1 });
  const failing = gate('a', () => Promise.reject(new Error('failed')));
  const other = gate('b', async () => 'done');
  await expect(failing).rejects.toThrow('failed');
  expect(await other).toBe('done');
});
