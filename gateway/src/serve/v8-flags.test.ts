// The flags of workers: our own, those that the operator chose instead, and none that Node would refuse.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NODE_FLAGS, nodeFlags, OWN_FLAGS } from './v8-flags.ts';

test("the operator's own size stays, the other flags are added", () => {
  expect(nodeFlags([], '')).toEqual(NODE_FLAGS);
  expect(nodeFlags(['--max-semi-space-size=8', '--enable-source-maps'], '')).toEqual([
    '--max-semi-space-size=8',
    '--enable-source-maps',
    ...NODE_FLAGS.filter((flag) => !flag.startsWith('--max-semi')),
  ]);
});

test.each([
  ['--max_semi_space_size=8', '--max-semi-space-size=16'],
  ['--memory-reducer', '--no-memory-reducer'],
  ['--nomemory_reducer', '--no-memory-reducer'],
])('%s is a choice of the operator too', (given, ours) => {
  expect(nodeFlags([given], '')).toEqual([given, ...NODE_FLAGS.filter((flag) => flag !== ours)]);
});

test.each([
  ['--max-semi-space-size=32', ['--max-semi-space-size=16']],
  ['--enable-source-maps  --max_semi_space_size=32', ['--max-semi-space-size=16']],
  ['"--max-semi-space-size=32" --use-largepages=off', ['--max-semi-space-size=16', '--use-largepages=silent']],
  ['--require "a \\" --max-semi-space-size=32"', []],
])('of what NODE_OPTIONS says (%s) nothing is said to workers, whose command line would count', (options, ours) => {
  expect(nodeFlags(['--inspect'], options)).toEqual([
    '--inspect',
    ...NODE_FLAGS.filter((flag) => !ours.includes(flag)),
  ]);
});

test('a worker has the room for young objects that NODE_OPTIONS gives it', () => {
  const heapBytes = (flags: readonly string[], options: string): number =>
    Number(
      execFileSync(process.execPath, [...flags, '-p', 'v8.getHeapStatistics().heap_size_limit'], {
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: options },
      }),
    );
  const given = '--max-semi-space-size=32';
  expect(heapBytes(nodeFlags([], given), given)).toBe(heapBytes([given], ''));
  expect(heapBytes(nodeFlags([], ''), '')).toBeLessThan(heapBytes([given], ''));
});

test('Node takes them, and young objects have the room', () => {
  const script = `
    const spaces = require('node:v8').getHeapSpaceStatistics();
    console.log(spaces.find(({ space_name }) => space_name === 'new_space').space_size);
  `;
  const spaceBytes = (flags: readonly string[]): number =>
    Number(execFileSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' }));
  // Node ends at a flag that it does not know, and would not say a word if the program set it.
  expect(spaceBytes([...NODE_FLAGS, ...OWN_FLAGS])).toBeGreaterThanOrEqual(16 * 1024 * 1024);
  expect(spaceBytes(NODE_FLAGS)).toBeGreaterThan(spaceBytes([]));
});
