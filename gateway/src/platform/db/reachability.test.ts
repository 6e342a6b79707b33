// When a server counts as away: not after one lost connection, but after silence as well as after refusals.

import { expect, test } from 'vitest';
import { silentLogger } from '../logger.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { watchReachability } from './reachability.ts';

/** A server that answers probes as the test says, on a clock that the test moves. */
function watch() {
  let nowMs = 0;
  let tick = (): void => {};
  const probes: { resolve(): void; reject(error: Error): void }[] = [];
  const clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    every: (_: number, run: () => void) => {
      tick = run;
      return () => {};
    },
    sleep: () => Promise.resolve(),
  };
  const probe = () =>
    new Promise<void>((resolve, reject) => {
      probes.push({ resolve, reject });
    });
  const reachability = watchReachability({ probe, clock, logger: silentLogger });
  const pass = (durationMs: number): void => {
    nowMs += durationMs;
    tick();
  };
  return { reachability, probes, pass };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('PGLOSS a statement that waits for long has the server asked, and hears when it does not answer', async () => {
  const { reachability, probes, pass } = watch();
  const heard: Error[] = [];
  const end = reachability.begin((error) => heard.push(error));
  pass(250);
  expect(probes).toHaveLength(0);
  pass(250);
  expect(probes).toHaveLength(1);
  probes[0]?.reject(new Error('timeout expired'));
  await settled();
  expect(reachability.isReachable()).toBe(false);
  expect(heard.map(isConnectionFailure)).toEqual([true]);
  end();
  pass(250);
  probes[1]?.resolve();
  await settled();
  expect(reachability.isReachable()).toBe(true);
});

test('a slow statement on a server that answers is left alone', async () => {
  const { reachability, probes, pass } = watch();
  const heard: Error[] = [];
  reachability.begin((error) => heard.push(error));
  pass(500);
  probes[0]?.resolve();
  await settled();
  expect(reachability.isReachable()).toBe(true);
  expect(heard).toEqual([]);
});

test('one lost connection has the server asked at once and does not count as an outage', async () => {
  const { reachability, probes } = watch();
  reachability.doubt();
  expect(reachability.isReachable()).toBe(true);
  expect(probes).toHaveLength(1);
  probes[0]?.resolve();
  await settled();
  expect(reachability.isReachable()).toBe(true);
});

test('a probe that fails while statements are answered proves nothing', async () => {
  const { reachability, probes, pass } = watch();
  reachability.doubt();
  pass(10);
  reachability.succeeded();
  probes[0]?.reject(new Error('timeout expired'));
  await settled();
  expect(reachability.isReachable()).toBe(true);
});

test('a server to which no connection can be made is away at once, for those who wait too', () => {
  const { reachability } = watch();
  const heard: Error[] = [];
  reachability.begin((error) => heard.push(error));
  reachability.failed(new Error('refused'));
  expect(reachability.isReachable()).toBe(false);
  expect(heard).toHaveLength(1);
});
