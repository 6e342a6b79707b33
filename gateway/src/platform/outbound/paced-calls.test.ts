// Which calls are made when: receivers that hang take a bounded number of places, whoever gave their addresses.

import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { type Busy, createPacedCalls, type PacedCalls } from './paced-calls.ts';

type Row = Readonly<{ name: string; host: string; ownerId: string }>;

type TestQueue = Readonly<{
  calls: PacedCalls;
  begun: string[];
  add(rows: readonly Row[]): void;
  end(name: string): void;
  /** Time passes. */
  move(durationMs: number): void;
}>;

/** A queue in memory, from which rows are claimed in their order. */
function queueOf(rows: readonly Row[]): TestQueue {
  const waiting = [...rows];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  let nowMs = 0;
  const isFree = ({ host, ownerId }: Row, { hosts, ownerIds }: Busy): boolean =>
    !hosts.includes(host) && !ownerIds.includes(ownerId);
  const calls = createPacedCalls<Row>({
    clock: { ...systemClock, monotonicMs: () => nowMs },
    async claim(limit, busy) {
      const due = waiting.filter((row) => isFree(row, busy)).slice(0, limit);
      for (const row of due) waiting.splice(waiting.indexOf(row), 1);
      return due;
    },
    send({ name }) {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    onUnrecorded() {},
  });
  const move = (durationMs: number): void => {
    nowMs += durationMs;
  };
  return { calls, begun, add: (more) => void waiting.push(...more), end: (name) => ends.get(name)?.(), move };
}

async function sendAll(calls: PacedCalls): Promise<void> {
  while ((await calls.sendDue()) > 0);
}

const many = (count: number, make: (index: number) => Omit<Row, 'name'>): Row[] =>
  Array.from({ length: count }, (_, index) => ({ name: `call-${index}`, ...make(index) }));

test('a receiver that hangs takes one place at its host, and others get the rest as they come', async () => {
  const shared = many(6, (index) => ({ host: 'shared.example', ownerId: `owner-${index}` }));
  const { calls, begun, add, end } = queueOf(shared.slice(0, 1));
  await sendAll(calls);
  expect(begun).toEqual(['call-0']);
  add(shared.slice(1));
  await sendAll(calls);
  expect(begun).toEqual(['call-0', 'call-1', 'call-2', 'call-3']);
  end('call-1');
  // The end of a call is counted a moment after it.
  await expect.poll(() => sendAll(calls).then(() => begun)).toEqual([...begun.slice(0, 4), 'call-4']);
});

test('one owner with many hosts that hang leaves most places to others', async () => {
  const hanging = many(100, (index) => ({ host: `host-${index}.example`, ownerId: 'greedy' }));
  const { calls, begun } = queueOf([...hanging, { name: 'other', host: 'other.example', ownerId: 'b' }]);
  await sendAll(calls);
  expect(begun).toHaveLength(9);
  expect(begun).toContain('other');
});

test('DOS-1 many owners whose receivers hang leave half of the places to others, until they no longer hang', async () => {
  const hanging = many(200, (index) => ({ host: `host-${index}.example`, ownerId: `greedy-${index % 8}` }));
  const others = many(20, (index) => ({ host: `other-${index}.example`, ownerId: `other-${index}` }));
  const { calls, begun, add, end, move } = queueOf(hanging);
  add(others.map((row) => ({ ...row, name: `other-${row.name}` })));
  const restOf = async (names: readonly string[]): Promise<void> => {
    for (const name of names) end(name);
    await calls.idle();
    await new Promise((resolve) => setImmediate(resolve));
    begun.length = 0;
    await sendAll(calls);
  };
  await sendAll(calls);
  expect(begun.filter((name) => name.startsWith('other'))).toHaveLength(0);
  move(20_000);
  await restOf([...begun]);
  expect(begun).toHaveLength(32);
  expect(begun.filter((name) => name.startsWith('other'))).toHaveLength(16);
  move(1_000);
  await restOf([...begun]);
  move(600_000);
  for (const name of begun) end(name);
  await calls.idle();
});
