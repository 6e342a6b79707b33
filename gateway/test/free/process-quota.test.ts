// The quota's arithmetic, compared with a plain list of what was taken: no order of takes, returns and passing time
// gives one unit too many or keeps one too long.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FreeDecision, FreeGrant, FreeQuota } from '../../src/modules/free-tier/free-quota.ts';
import { createProcessQuota } from '../../src/modules/free-tier/process-quota.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { freshDatabase } from '../database.ts';
import { MovableClock } from '../identity/movable-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LIMIT = { requestsPerMinute: 4, unitsPerDay: 9 };
const ADDRESS = { name: '192.0.2.1', requestsPerMinute: 5, unitsPerDay: 12 };

let database: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
  drop = fresh.drop;
});

afterAll(async () => {
  await database.close();
  await drop();
});

type Taken = { grant: FreeGrant; atMs: number };

/** The entries of a list that still count at a moment. */
function used(taken: readonly Taken[], nowMs: number, matches: (grant: FreeGrant) => boolean) {
  const counted = taken.filter(({ grant }) => matches(grant));
  const inWindow = (sizeMs: number) =>
    counted.filter(({ atMs }) => Math.floor(atMs / sizeMs) === Math.floor(nowMs / sizeMs));
  const units = inWindow(DAY_MS).reduce((sum, { grant }) => sum + grant.units, 0);
  return { requests: inWindow(MINUTE_MS).length, units };
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('take' as const),
    user: fc.constantFrom('u', 'v'),
    models: fc.subarray(['m', 'n'], { minLength: 1 }),
    units: fc.integer({ min: 1, max: 4 }),
    isAuto: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('return' as const), place: fc.nat() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 30_000, MINUTE_MS, DAY_MS / 3) }),
);

test('FREE-02 FREE-04 FREE-10 AUTO-09 it grants exactly what a list of takes has room for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.uuid(), async (steps, salt) => {
      const clock = new MovableClock('2026-03-10T23:58:30Z');
      const quota = createProcessQuota({ database, clock, logger: silentLogger });
      const taken: Taken[] = [];
      for (const it of steps) {
        if (it.kind === 'wait') clock.move(it.ms);
        if (it.kind === 'return' && taken.length > 0) {
          const [gone] = taken.splice(it.place % taken.length, 1);
          if (gone !== undefined) quota.giveBack(gone.grant);
        }
        if (it.kind !== 'take') continue;
        const subject = `${it.user} ${salt}`;
        const models = it.models.map((modelId) => ({ modelId, ...LIMIT }));
        const address = it.isAuto ? ADDRESS : null;
        const decision = await quota.take({ subject, units: it.units, models, address });
        const nowMs = clock.nowMs();
        const hasRoom = (limit: typeof LIMIT, matches: (grant: FreeGrant) => boolean): boolean => {
          const { requests, units } = used(taken, nowMs, matches);
          return requests < limit.requestsPerMinute && units + it.units <= limit.unitsPerDay;
        };
        const isAddressed = !it.isAuto || hasRoom(ADDRESS, (grant) => grant.addressName !== null);
        const first = it.models.find((modelId) =>
          hasRoom(LIMIT, (grant) => grant.subject === subject && grant.modelId === modelId),
        );
        expect(grantedModel(decision)).toBe(isAddressed ? (first ?? null) : null);
        if (decision.outcome === 'granted') taken.push({ grant: decision.grant, atMs: nowMs });
      }
    }),
    { numRuns: 150 },
  );
});

const grantedModel = (decision: FreeDecision): string | null =>
  decision.outcome === 'granted' ? decision.grant.modelId : null;

const TOKEN_COLUMNS = [
  'prompt',
  'completion',
  'cached',
  'cache_write',
  'reasoning',
  'prompt_audio',
  'completion_image',
].map((kind) => `${kind}_tokens`);
const MONEY_COLUMNS = ['subtotal', 'cache_discount', 'cost', 'absorbed'].map((kind) => `${kind}_nano_usd`);

const take = (quota: FreeQuota, subject: string) =>
  quota.take({ subject, units: 1, models: [{ modelId: 'm', requestsPerMinute: 100, unitsPerDay: 10 }], address: null });

test('RACE-2 a crowd that waits for the first reading shares it, and what was used before counts', async () => {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const quota = createProcessQuota({ database, clock, logger: silentLogger });
  const [accountId, userId] = [crypto.randomUUID(), crypto.randomUUID()];
  const subject = `${accountId} ${userId}`;
  const columns = ['upstream_status', 'duration_ms', 'attempts', ...TOKEN_COLUMNS, ...MONEY_COLUMNS];
  const insert = {
    name: 'test_insert_free_call',
    text: `insert into generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model,
             is_stream, is_failover, created_at, free_units, ${columns.join(', ')})
           values ($1, $2, $3, 'k', 'chat', 'm', 'p', 'm', false, false, '2026-03-10T08:00:00Z', 7,
             ${columns.map(() => '0').join(', ')})`,
  };
  await database.query(insert, [crypto.randomUUID(), accountId, userId]);
  // Usage of the same person in another account does not count here.
  await database.query(insert, [crypto.randomUUID(), crypto.randomUUID(), userId]);
  const decisions = await Promise.all(Array.from({ length: 50 }, () => take(quota, subject)));
  expect(decisions.filter(({ outcome }) => outcome === 'granted')).toHaveLength(3);
  // From now on there is nothing to wait for.
  expect(take(quota, subject)).not.toBeInstanceOf(Promise);
});

test('a day that turns while the first reading is under way counts as the new day', async () => {
  const clock = new MovableClock('2026-03-10T23:59:59.999Z');
  const quota = createProcessQuota({ database, clock, logger: silentLogger });
  const deciding = take(quota, crypto.randomUUID());
  clock.move(1);
  const decision = await deciding;
  const dayMs = Date.parse('2026-03-11T00:00:00Z');
  expect(decision).toMatchObject({ outcome: 'granted', grant: { dayMs } });
});

test('ERR-11 without a database nobody is let in for nothing, and the next try reads again', async () => {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  let isAway = true;
  const flaky: Database = {
    ...database,
    query: (statement, values) => (isAway ? Promise.reject(new Error('away')) : database.query(statement, values)),
  };
  const quota = createProcessQuota({ database: flaky, clock, logger: silentLogger });
  const subject = crypto.randomUUID();
  await expect(Promise.resolve(take(quota, subject))).rejects.toMatchObject({ code: 'http_503', retryAfterSeconds: 2 });
  isAway = false;
  expect(await take(quota, subject)).toMatchObject({ outcome: 'granted' });
});
