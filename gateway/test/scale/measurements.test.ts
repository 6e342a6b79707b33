// What one gateway measures of its providers is known to another one before it has asked any of them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RouteFigures } from '../../src/modules/routing/route-figures.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { Gateways } from './gateways.ts';
import { isRedisMissing, RedisServer } from './redis-server.ts';

test('ROUTE-17 samples that were heard count as if they had been measured here, and are not told back', () => {
  const [measuring, hearing] = [new RouteFigures(), new RouteFigures()];
  for (let sample = 0; sample < 20; sample += 1) measuring.measureLatency(100 + sample, true, 1_000);
  measuring.measureThroughput(50, 1_000);
  const fresh = measuring.takeFresh();
  expect(fresh).toMatchObject({ streamLatencyMs: { count: 20 }, wholeLatencyMs: null, tokensPerSecond: { mean: 50 } });
  expect(measuring.takeFresh()).toBeNull();
  hearing.hear(fresh!, 2_000);
  expect(hearing.latencyMs(true, 2_000)).toBeCloseTo(109.5, 5);
  expect(hearing.takeFresh()).toBeNull();
  // Twenty samples outweigh what was measured before, one does not.
  hearing.hear({ streamLatencyMs: { mean: 1_000, count: 1 }, wholeLatencyMs: null, tokensPerSecond: null }, 2_000);
  expect(hearing.latencyMs(true, 2_000)).toBeLessThan(250);
  hearing.hear({ streamLatencyMs: { mean: 1_000, count: 20 }, wholeLatencyMs: null, tokensPerSecond: null }, 2_000);
  expect(hearing.latencyMs(true, 2_000)).toBeGreaterThan(850);
});

let redis: RedisServer;
let database: FreshDatabase;
let gateways: Gateways;

describe.skipIf(isRedisMissing)('two gateways', () => {
  beforeAll(async () => {
    redis = await RedisServer.start();
    database = await freshDatabase();
    const routes = [
      { provider: 'sim', upstream_model: 'sim-tokens-10-20+wait-1500' },
      { provider: 'quick', upstream_model: 'sim-tokens-10-20' },
    ];
    gateways = await Gateways.start({
      databaseUrl: database.url,
      redisUrl: redis.url,
      count: 2,
      models: { 'openai/two-ways': { routes } },
      providers: ['quick'],
    });
  });

  afterAll(async () => {
    await gateways.close();
    await database.drop();
    await redis.kill();
  });

  test('ROUTE-17 the second gateway takes the quicker provider with its first call', async () => {
    const { key } = await gateways.account(10);
    const call = (place: number, provider: object) => gateways.call(place, key, { model: 'openai/two-ways', provider });
    for (let round = 0; round < 3; round += 1) {
      for (const name of ['sim', 'quick']) await call(0, { only: [name] });
    }
    const figures = async () => {
      const { routes } = await gateways.operateAt(1, 'GET', '/admin/v1/health/routes');
      return (routes as { tokensPerSecond: number | null; calls: number }[]).filter(
        ({ tokensPerSecond }) => tokensPerSecond !== null,
      );
    };
    await expect.poll(figures).toHaveLength(2);
    expect((await figures()).map(({ calls }) => calls)).toEqual([0, 0]);
    const before = gateways.simulator.requests.length;
    for (let round = 0; round < 3; round += 1) {
      expect((await call(1, { sort: 'latency' })).status).toBe(200);
    }
    const models = gateways.simulator.requests.slice(before).map(({ json }) => (json as { model: string }).model);
    expect(models).toEqual(Array(3).fill('sim-tokens-10-20'));
  });
});
