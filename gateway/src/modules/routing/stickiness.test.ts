// A conversation goes back to the provider that holds its cache, for ten minutes after its last call.

import { expect, test } from 'vitest';
import { RouteHealth } from './route-health.ts';
import { Stickiness } from './stickiness.ts';

const events = { random: () => 0, nowMs: () => 0, isolated() {}, keySetAside() {} };
const route = new RouteHealth({ providerName: 'a', upstreamModel: 'm' }, events);

test('ROUTE-16 held for ten idle minutes, each call anew', () => {
  const stickiness = new Stickiness();
  stickiness.hold('x', route, 0);
  expect(stickiness.find('x', 600_000)).toBe(route);
  expect(stickiness.find('y', 0)).toBeNull();
  stickiness.hold('x', route, 500_000);
  expect(stickiness.find('x', 1_000_000)).toBe(route);
  expect(stickiness.find('x', 1_100_001)).toBeNull();
});

test('bounded: conversations that have been idle longest are dropped first', () => {
  const stickiness = new Stickiness();
  for (let index = 0; index < 50_000; index += 1) stickiness.hold(`c${index}`, route, index);
  stickiness.hold('c0', route, 50_000);
  stickiness.hold('new', route, 50_001);
  expect(stickiness.find('c0', 50_001)).toBe(route);
  expect(stickiness.find('new', 50_001)).toBe(route);
  expect(stickiness.find('c1', 50_001)).toBeNull();
  expect(stickiness.find('c49999', 50_001)).toBe(route);
});
