// Checks of own upstreams take turns: organizations with many upstreams that hang keep nobody else's from being
// checked, and those who add many at once take little memory.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createByok } from '../../src/modules/byok/byok.ts';
import { deriveKey } from '../../src/platform/crypto.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { Outbound } from '../../src/platform/outbound/outbound.ts';
import { OutboundError } from '../../src/platform/outbound/outbound-error.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { MovableClock } from '../identity/movable-clock.ts';
import { rows } from '../identity/rows.ts';

const HOSTILE = Array.from({ length: 10 }, (_, index) => `org-hostile-${index}`);
const UPSTREAMS = 100;
const DUE_MS = 600_000;
/** Each takes five seconds where upstreams hang. */
const CLAIMS_A_MINUTE = 12;
const CHECKS_AT_ONCE = 8;

let fresh: FreshDatabase;
let database: Database;
const clock = new MovableClock('2026-03-10T12:00:00Z');
const asked: string[] = [];

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const byok = (request?: Outbound['request']) =>
  createByok({
    database,
    clock,
    logger: silentLogger,
    notices: { publish: async () => {}, subscribe() {}, onGap() {}, close: async () => {} },
    sealingKey: deriveKey('root secret', 'byok'),
    outbound: {
      request:
        request ??
        (async ({ url }) => {
          asked.push(String(url));
          throw new OutboundError('timeout');
        }),
    },
    lister: { call: () => ({ path: '/models', headers: [] }), read: () => null },
  });

async function add(orgId: string, count: number): Promise<void> {
  await rows(fresh.url, 'insert into accounts (id) values ($1)', [orgId]);
  await rows(fresh.url, 'insert into organizations (id, name) values ($1, $1)', [orgId]);
  const upstreams = byok();
  for (let index = 0; index < count; index += 1) {
    await upstreams.create(database, {
      ...{ orgId, name: 'ours', baseUrl: `https://${orgId}.example/${index}`, apiKey: 'key', protocol: 'openai' },
      ...{ fallbackMode: 'seamless', isEnabled: true, scopedKeyIds: [], mappings: [] },
    });
  }
}

test('DOS-1 a thousand upstreams that hang delay the check of others by no more than a round of turns', async () => {
  for (const orgId of HOSTILE) await add(orgId, UPSTREAMS);
  clock.move(1_000);
  await add('org-honest', 3);
  clock.move(DUE_MS);
  const upstreams = byok();
  const minute = async (): Promise<void> => {
    for (let claim = 0; claim < CLAIMS_A_MINUTE; claim += 1) {
      await upstreams.checkDue();
      clock.move(60_000 / CLAIMS_A_MINUTE);
    }
  };
  await minute();
  expect(asked.filter((url) => url.includes('honest'))).toHaveLength(3);
  // The time that nobody else needs is theirs, and each of them has its turn.
  expect(new Set(asked.map((url) => new URL(url).host)).size).toBe(HOSTILE.length + 1);
  await minute();
  expect(asked).toHaveLength(2 * CLAIMS_A_MINUTE * CHECKS_AT_ONCE);
});

test('DOS-1 of one organization two upstreams are asked at once for the list of their models, and of all eight', async () => {
  const orgIds = Array.from({ length: 6 }, (_, index) => `org-adding-${index}`);
  for (const orgId of orgIds) await add(orgId, 5);
  const underWay: string[] = [];
  const ends: (() => void)[] = [];
  const upstreams = byok(async ({ url }) => {
    underWay.push(new URL(url).host);
    await new Promise<void>((resolve) => ends.push(resolve));
    throw new OutboundError('timeout');
  });
  const checks = orgIds.map(async (orgId) => {
    const keys = await upstreams.list(orgId);
    await Promise.all(keys.map(({ id }) => upstreams.check({ orgId, id })));
  });
  await expect.poll(() => underWay.length).toBe(8);
  for (const orgId of orgIds) expect(underWay.filter((host) => host.startsWith(orgId)).length).toBeLessThanOrEqual(2);
  let ended = 0;
  while (ended < 30) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    expect(ends.length - ended).toBeLessThanOrEqual(8);
    ends[ended]?.();
    ended += 1;
  }
  await Promise.all(checks);
  expect(underWay).toHaveLength(30);
});
