// Two gateways and one balance, with Redis beside them: nothing is spent that is not there, and nothing that is there
// is refused. Money is in the database alone, whatever happens to Redis.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { countStatuses, Gateways, type Seen, sumOfCosts } from './gateways.ts';
import { isRedisMissing, RedisServer } from './redis-server.ts';

const models = {
  'openai/dime': {
    commands: 'tokens-10-10+wait-30',
    entry: { pricing: { prompt: '0', completion: '0', request: '0.1' } },
  },
  'openai/stream': { commands: 'tokens-100-20+chunks-10+delay-300' },
};

let redis: RedisServer;
let database: FreshDatabase;
let gateways: Gateways;

describe.skipIf(isRedisMissing)('two gateways', () => {
  beforeAll(async () => {
    redis = await RedisServer.start();
    database = await freshDatabase();
    gateways = await Gateways.start({ databaseUrl: database.url, redisUrl: redis.url, count: 2, models });
  });

  afterAll(async () => {
    await gateways.close();
    await database.drop();
    await redis.kill();
  });

  const dime = (index: number, key: string) => gateways.callUntilDecided(index, key, { model: 'openai/dime' });

  test('BILL-16 RACE-1 200 calls at once spend a balance for 100 exactly', async () => {
    const { key } = await gateways.account(10);
    const seen = await Promise.all(Array.from({ length: 200 }, (_, index) => dime(index, key)));
    // Where calls take long, so many are under way that some are asked to come back before the money is gone.
    const { 200: served, 402: unfunded = 0, 429: tooMany = 0 } = countStatuses(seen);
    expect({ served, refused: unfunded + tooMany }).toEqual({ served: 100, refused: 100 });
    expect(await gateways.spentUsd(key)).toBe(10);
    expect(sumOfCosts(seen)).toBe(10);
  });

  test('BILL-16 the first refusal comes when 95 % and more are spent or in use', async () => {
    const { key } = await gateways.account(10);
    let firstRefusalMs = Number.POSITIVE_INFINITY;
    const seen: Seen[] = [];
    const client = async (place: number): Promise<void> => {
      for (let index = place; seen.length < 200; index += 1) {
        const one = await dime(index, key);
        if (one.status === 402) firstRefusalMs = Math.min(firstRefusalMs, one.endedMs);
        seen.push(one);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, place) => client(place)));
    const before = seen.filter(({ status, startedMs }) => status === 200 && startedMs < firstRefusalMs);
    expect(before.length).toBeGreaterThanOrEqual(95);
    expect(countStatuses(seen)[200]).toBe(100);
    expect(await gateways.spentUsd(key)).toBe(10);
  });

  test('a balance that lies idle with the other gateway refuses nobody', async () => {
    const { key } = await gateways.account(1);
    // Half of it is leased by the first gateway, which needs a tenth of it.
    expect((await dime(0, key)).status).toBe(200);
    const rest = [];
    for (let call = 0; call < 9; call += 1) rest.push(await dime(1, key));
    expect(countStatuses(rest)).toEqual({ 200: 9 });
    const refused = await dime(1, key);
    expect(refused.status).toBe(402);
    expect(await gateways.spentUsd(key)).toBe(1);
  });

  test('a balance that lies with a gateway that hangs is not called spent', async () => {
    const { key } = await gateways.account(1);
    expect((await dime(0, key)).status).toBe(200);
    for (let call = 0; call < 5; call += 1) expect((await dime(1, key)).status).toBe(200);
    const [hanging] = gateways.all;
    hanging?.freeze();
    const unknown = await gateways.call(1, key, { model: 'openai/dime' });
    hanging?.thaw();
    expect(unknown.status).toBe(503);
    const rest = [];
    for (let call = 0; call < 4; call += 1) rest.push(await dime(1, key));
    expect(countStatuses(rest)).toEqual({ 200: 4 });
    expect((await dime(1, key)).status).toBe(402);
  });

  test('CRASH-4 FLUSHALL under load changes no money', async () => {
    const { key } = await gateways.account(100);
    const flushing = (async () => {
      for (let round = 0; round < 5; round += 1) await redis.command('flushall');
    })();
    const calls = Array.from({ length: 150 }, (_, index) =>
      gateways.call(index, key, { model: 'openai/stream', stream: index % 2 === 0 }),
    );
    const seen = await Promise.all(calls);
    await flushing;
    await redis.command('flushall');
    expect(countStatuses(seen)).toEqual({ 200: 150 });
    expect(await gateways.spentUsd(key)).toBeCloseTo(sumOfCosts(seen), 9);
    expect(await gateways.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
      ok: true,
      discrepancies: [],
      heldReservations: 0,
    });
  });
});
