// Which calls are made when: receivers that hang take a bounded number of places, whoever gave their addresses.

import { expect, test } from 'vitest';
import { type Busy, createPacedCalls, type PacedCalls } from './paced-calls.ts';

type Row = Readonly<{ name: string; host: string; ownerId: string }>;

type TestQueue = Readonly<{
  calls: PacedCalls;
  begun: string[];
  add(rows: readonly Row[]): void;
  end(name: string): void;
}>;

/** A queue in memory, from which rows are claimed in their order. */
function queueOf(rows: readonly Row[]): TestQueue {
  const waiting = [...rows];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const isFree = ({ host, ownerId }: Row, { hosts, ownerIds }: Busy): boolean =>
    !hosts.includes(host) && !ownerIds.includes(ownerId);
  const calls = createPacedCalls<Row>({
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
  return { calls, begun, add: (more) => void waiting.push(...more), end: (name) => ends.get(name)?.() };
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
