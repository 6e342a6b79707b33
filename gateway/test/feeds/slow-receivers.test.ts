// Receivers that hang, or answer a byte at a time: each costs its own feed, never a call, and no feed of anybody else.
// What waits for one that is too slow is bounded.

import type { ServerResponse } from 'node:http';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilteredOrg, type GuardBed, startGuardBed } from '../guardrails/guard-bed.ts';
import type { Json } from '../harness.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { FEED_ADDRESS, FEED_HOST, type FeedReceiver, startFeedReceiver } from './feed-receiver.ts';

/** Calls that one process makes at the same time; there are more feeds than that. */
const PLACES = 32;
const HANGING_ORGS = 11;
const FEEDS_EACH = 3;
const WAITING_MAX = 100_000;
const HOUR_MS = 3_600_000;

const clock = new ShiftedClock();
let bed: GuardBed;
let receiver: FeedReceiver;
/** Those who wait for an answer of it. */
let open: Set<ServerResponse>;

beforeAll(async () => {
  // The receivers' certificates are their own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  bed = await startGuardBed({
    env: { TOLLGATE_SSRF_ALLOW: `${FEED_ADDRESS}/32` },
    start: { clock, lookup: async (name) => (name === FEED_HOST ? [FEED_ADDRESS] : Promise.reject(new Error(name))) },
  });
});
afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  await bed.harness.close();
});
beforeEach(async () => {
  receiver = await startFeedReceiver();
  open = new Set();
  receiver.answerWith((response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
  });
});
afterEach(() => receiver.close());

async function fed(org: FilteredOrg, url: string): Promise<string> {
  const body = { name: 'Ours', form: 'http', url };
  const made = await bed.harness.request('POST', `/api/orgs/${org.id}/feeds`, { key: org.adminKey, body });
  expect(made.status, made.text).toBe(201);
  return String(made.body.id);
}

async function seen(org: FilteredOrg): Promise<Json> {
  const { body } = await bed.harness.request('GET', `/api/orgs/${org.id}/feeds`, { key: org.adminKey });
  return (body.feeds as Json[])[0] ?? {};
}

async function call({ key }: FilteredOrg): Promise<string> {
  const answer = await bed.harness.chat(key, { model: 'openai/test' });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.headers.get('x-generation-id'));
}

async function rows(text: string, values: unknown[]): Promise<void> {
  const client = new Client({ connectionString: bed.harness.databaseUrl });
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}

test('many that hang at one host leave places free, and another organization’s feed goes on meanwhile', async () => {
  const orgs = await Promise.all(Array.from({ length: HANGING_ORGS }, () => bed.org()));
  for (const org of orgs) for (let feed = 0; feed < FEEDS_EACH; feed += 1) await fed(org, receiver.url);
  await Promise.all(orgs.map(call));
  await expect.poll(async () => (await Promise.all(orgs.map(seen))).every(({ waiting }) => waiting === 1)).toBe(true);
  await expect.poll(() => receiver.arrived.length).toBeGreaterThan(0);
  const healthy = await startFeedReceiver();
  let held: ServerResponse | null = null;
  healthy.answerWith((response) => {
    held = response;
  });
  const org = await bed.org();
  await fed(org, healthy.url);
  const id = await call(org);
  // Both are under way at the same time.
  await expect.poll(() => (held?.destroyed === false ? open.size : 0)).toBeGreaterThan(0);
  // It did not have to wait until all places had been taken by those that hang.
  expect(receiver.arrived.length).toBeLessThan(PLACES);
  (held as ServerResponse | null)?.end();
  await expect.poll(() => healthy.lines().map((line) => line.id)).toEqual([id]);
  await healthy.close();
});

test('one that answers a byte at a time is given up, and its feed is tried again later', async () => {
  const org = await bed.org();
  await fed(org, receiver.url);
  receiver.answerWith((response) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  });
  await call(org);
  await expect.poll(async () => (await seen(org)).failure).toBe('timeout');
  expect(await seen(org)).toMatchObject({ waiting: 1, delivered: 0, lost: 0 });
  receiver.answerWith((response) => response.end());
  clock.move(5_000);
  await expect.poll(() => seen(org)).toMatchObject({ waiting: 0, delivered: 1, failure: null });
});

test('what waits for one that takes everything, but too slowly, is bounded, and the oldest is given up', async () => {
  const org = await bed.org();
  const id = await fed(org, receiver.url);
  // Nothing is sent meanwhile.
  await rows("update call_feeds set next_attempt_at = '2999-01-01' where id = $1", [id]);
  await rows(
    `insert into call_feed_items (feed_id, generation_id, called_at)
     select $1, 'gen-' || lpad(n::text, 24, '0'), now() from generate_series(1, $2::int) n`,
    [id, WAITING_MAX + 7],
  );
  clock.move(HOUR_MS);
  await expect.poll(async () => (await seen(org)).lost).toBe(7);
  expect(await seen(org)).toMatchObject({ waiting: WAITING_MAX, delivered: 0, failure: null });
});

test('one that takes only small batches gets what has gathered in parts, and nothing is lost', async () => {
  const org = await bed.org();
  const id = await fed(org, receiver.url);
  await rows("update call_feeds set next_attempt_at = '2999-01-01' where id = $1", [id]);
  const ids: string[] = [];
  for (let calls = 0; calls < 9; calls += 1) ids.push(await call(org));
  await expect.poll(async () => (await seen(org)).waiting).toBe(ids.length);
  receiver.answerWith((response, { text }) => {
    response.writeHead(text.trim().split('\n').length > 2 ? 413 : 200).end();
  });
  await rows('update call_feeds set next_attempt_at = now() where id = $1', [id]);
  await expect.poll(() => seen(org)).toMatchObject({ waiting: 0, delivered: ids.length, lost: 0 });
  expect(new Set(receiver.lines().map((line) => line.id))).toEqual(new Set(ids));
});
