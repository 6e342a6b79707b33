// Calls that a client leaves before they are paid for are recorded, counted for the person in the account, and limited,
// whatever is tried. Calls that fail without the caller's doing do not count.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { SetClock } from './set-clock.ts';

const START = '2026-03-10T12:00:30Z';
const clock = new SetClock(START);
let harness: Harness;

const THINKER = 'tokens-10-30010+reasoning-hidden-30000';
const dear = { entry: { pricing: { prompt: '1', completion: '75' } } };

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/last-token': { commands: 'tokens-10-1000+chunks-20+stall-before-finish', ...dear },
      'openai/thinker': {
        commands: THINKER,
        entry: { pricing: { prompt: '1', completion: '10' } },
      },
      'openai/told': {
        commands: 'tokens-10-20010+reasoning-hidden-20000+usage-every-chunk+stall-before-finish',
        ...dear,
      },
      'openai/slow': { commands: 'tokens-10-2000+delay-20000', ...dear },
      'openai/exact': { commands: 'tokens-1000-50', entry: { max_completion_tokens: 100 } },
      'openai/broken': {
        commands: 'reset-after-2',
        entry: { pricing: { prompt: '1', completion: '2', request: '0.9' } },
      },
    },
    start: { clock },
  });
});

beforeEach(() => clock.set(START));

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

type Call = Readonly<{ key: string; model: string; body?: Json }>;

/** Leaves when `leave` has seen enough of the answer. */
async function leaving({ key, model, body }: Call, leave: (response: Response) => Promise<void>) {
  const control = new AbortController();
  try {
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body }),
      signal: control.signal,
    });
    if (response.status === 200) await leave(response);
    else await response.text();
    return response.status;
  } finally {
    control.abort();
  }
}

/** Leaves a whole call half a second after the upstream has got it. */
async function leaveWhole(key: string): Promise<number> {
  const control = new AbortController();
  const mark = crypto.randomUUID();
  const messages = [{ role: 'user', content: mark }];
  const answered = fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/slow', max_tokens: 2000, messages }),
    signal: control.signal,
  }).then(
    ({ status }) => status,
    () => 0,
  );
  const sent = harness.simulator.waitFor(({ json }) => (JSON.stringify(json) ?? '').includes(mark), PATIENCE_MS);
  const isSent = await Promise.race([answered.then(() => false), sent.then(() => true)]);
  sent.catch(() => {});
  if (isSent) await new Promise((resolve) => setTimeout(resolve, 500));
  control.abort();
  return answered;
}

/** Reads until the last of the words has come, and leaves before the finish. */
async function readToLastToken(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  for (let chunks = 0, text = ''; reader !== undefined && chunks < 20; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += Buffer.from(value).toString();
    chunks = text.split('"content":').length - 1;
  }
}

const cutStream = (key: string): Promise<number> =>
  leaving({ key, model: 'openai/last-token', body: { stream: true, max_tokens: 1000 } }, readToLastToken);

async function inParallel(total: number, width: number, run: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  const work = async (): Promise<void> => {
    while (statuses.length < total) {
      const place = statuses.push(-1) - 1;
      statuses[place] = await run();
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return statuses;
}

async function absorbedOf(userId: string): Promise<Json & { absorbedUsd: number }> {
  const { users } = (await harness.operate('GET', '/admin/v1/absorbed')) as { users: Json[] };
  return { absorbedUsd: 0, ...users.find((user) => user.userId === userId) };
}

const exposureOf = async (key: string): Promise<Json> =>
  (await harness.request('GET', '/v1/account/exposure', { key })).body;

const untilRestricted = (key: string) => expect.poll(async () => (await exposureOf(key)).restricted).toBe(true);

test('ABT-1 STRM-06 400 streams cut at their last token cost no more than the allowance, and keep their user out ever longer', async () => {
  const { userId, key } = await harness.account(10);
  const other = await harness.account(10);
  const allowanceUsd = 2;
  const callUsd = 0.08;
  const waits: (number | null)[] = [];
  let absorbedUsd = 0;
  for (const at of ['12:00:30', '12:10:30', '13:10:30', '13:10:30']) {
    clock.set(`2026-03-${waits.length === 3 ? 11 : 10}T${at}Z`);
    const statuses = await inParallel(100, 20, () => cutStream(key));
    await untilRestricted(key);
    expect(statuses).toContain(200);
    const refused = await harness.chat(key, { model: 'openai/exact' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    waits.push(refused.headers.has('retry-after') ? Number(refused.headers.get('retry-after')) : null);
    await expect.poll(async () => (await absorbedOf(userId)).absorbedUsd).toBeGreaterThan(absorbedUsd);
    const rounds = waits.length;
    absorbedUsd = (await absorbedOf(userId)).absorbedUsd;
    expect(absorbedUsd).toBeLessThan(rounds * allowanceUsd + 2 * callUsd * rounds);
  }
  expect(waits).toEqual([600, 3_600, 86_400, null]);
  expect(await harness.spent(key)).toBe(0);
  // The restriction is about the user's calls: reading goes on, and so do other users.
  expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(200);
  expect((await harness.chat(other.key, { model: 'openai/exact' })).status).toBe(200);
  const absorbed = await absorbedOf(userId);
  expect(absorbed.absorbedUsd).toBeLessThan(4 * (allowanceUsd + 2 * callUsd));
  expect(absorbed).toMatchObject({
    reasons: [{ reason: 'abandoned', absorbedUsd: absorbed.absorbedUsd }],
    models: [{ reason: 'abandoned', model: 'openai/last-token', absorbedUsd: absorbed.absorbedUsd }],
  });
});

test('ABT-1 reasoning that does not show counts in what was left, as the finished calls of the model tell', async () => {
  const { userId, key } = await harness.account(20);
  const statuses: number[] = [];
  const call = { key, model: 'openai/thinker', body: { stream: true, max_tokens: 32_000 } };
  const firstBytes = async (response: Response): Promise<void> => void (await response.body?.getReader().read());
  for (let index = 0; index < 60 && statuses.at(-1) !== 429; index += 1) {
    if (index % 5 === 4) {
      harness.simulator.script('stall-before-finish', { model: `sim-${THINKER}` });
      statuses.push(await leaving(call, firstBytes));
    } else statuses.push((await harness.stream(key, { model: call.model, ...call.body })).status);
  }
  const { absorbedUsd, calls } = await absorbedOf(userId);
  expect(absorbedUsd / Number(calls)).toBeGreaterThan(0.25);
  expect(absorbedUsd).toBeLessThan(3.4);
  expect(statuses).toContain(429);
});

test('ABT-1 what the upstream has said so far counts in what was left', async () => {
  const { userId, key } = await harness.account(10);
  const call = { key, model: 'openai/told', body: { stream: true, max_tokens: 20_010 } };
  await leaving(call, async (response) => void (await response.body?.getReader().read()));
  await expect.poll(async () => (await absorbedOf(userId)).absorbedUsd).toBeGreaterThan(1.4);
});

test('ABT-1 whole calls that are left after half a second count, and are bounded', async () => {
  const { userId, key } = await harness.account(10);
  const statuses = await inParallel(80, 10, () => leaveWhole(key));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
  // Calls under way fill the allowance before the calls that were left do; a user who goes on meets the restriction.
  for (let more = 0; more < 20 && (await exposureOf(key)).restricted !== true; more += 1) await leaveWhole(key);
  await untilRestricted(key);
  const { absorbedUsd } = await absorbedOf(userId);
  expect(absorbedUsd).toBeGreaterThan(0.9);
  expect(absorbedUsd).toBeLessThan(2.2);
  clock.set('2026-03-10T12:20:00Z');
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
});

test('ABT-1 80 whole calls that begin together and are all left cost no more than the allowance', async () => {
  const { userId, key } = await harness.account(10);
  const statuses = await inParallel(80, 80, () => leaveWhole(key));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
  await expect.poll(async () => (await absorbedOf(userId)).absorbedUsd).toBeGreaterThan(0.9);
  expect((await absorbedOf(userId)).absorbedUsd).toBeLessThan(2.2);
});

test('BILL-16 ABT-1 a charge that the last of a balance covers in part is no misconduct', async () => {
  // A call holds less than its 1,000 prompt tokens turn out to cost.
  const { userId, key } = await harness.account('0.11');
  // A client that is asked to come back, because the database is busy, does so.
  const call = async (): Promise<number> => {
    const { status } = await harness.chat(key, { model: 'openai/exact', max_tokens: 50 });
    return status === 503 ? call() : status;
  };
  expect(new Set(await inParallel(400, 200, call))).toEqual(new Set([200, 402]));
  expect((await absorbedOf(userId)).absorbedUsd).toBeGreaterThan(0);
  expect(await exposureOf(key)).toMatchObject({ restricted: false, unpaidUsd: 0 });
  await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 1, note: 'more' });
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
});

test('ABT-1 what an upstream breaks off is hardly held against the user', async () => {
  const { key } = await harness.account(20);
  for (const _ of [1, 2]) await harness.stream(key, { model: 'openai/broken' });
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
  expect(Number((await exposureOf(key)).unpaidUsd)).toBeLessThan(0.2);
});

test('ABT-1 parallel streams of somebody who lets them finish are all answered', async () => {
  const { key } = await harness.account(10);
  const statuses = await inParallel(40, 40, async () => (await harness.stream(key, { model: 'openai/exact' })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('an operator sees who is restricted and why, lifts it, and raises an allowance', async () => {
  const { userId, key } = await harness.account(10);
  await inParallel(60, 20, () => cutStream(key));
  await untilRestricted(key);
  expect((await harness.chat(key, { model: 'openai/exact' })).body).toMatchObject({
    error: {
      code: 429,
      message: expect.stringMatching(/^Temporarily restricted until 2026-03-10T12:10:30Z: calls that you broke off/),
    },
  });
  const { exposures } = (await harness.operate('GET', '/admin/v1/exposures')) as { exposures: Json[] };
  expect(exposures.find((one) => one.userId === userId)).toMatchObject({
    accountId: userId,
    restricted: true,
    restrictedUntil: '2026-03-10T12:10:30.000Z',
    restrictedReason: 'abandoned',
    restrictions: 1,
    allowanceUsd: 2,
    extraUsd: 0,
  });
  const path = `/admin/v1/exposures/${userId}/${userId}`;
  expect(await harness.operate('PATCH', path, { restricted: false, extraUsd: 5 })).toMatchObject({
    restricted: false,
    restrictions: 0,
    allowanceUsd: 7,
    extraUsd: 5,
  });
  const log = (await harness.operate('GET', '/admin/v1/audit-log?limit=5')) as { data: Json[] };
  expect(log.data.filter(({ method }) => method === 'PATCH')[0]?.params).toEqual({
    ...{ accountId: userId, userId, 'before.restricted': 'true', 'before.extraUsd': '0' },
    ...{ 'after.restricted': 'false', 'after.extraUsd': '5' },
  });
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
  expect((await harness.request('GET', '/metrics')).text).toMatch(/^tollgate_restricted_users \d/m);
});

test('ABT-1 whoever is restricted in an organization is not elsewhere', async () => {
  const { userId, key } = await harness.account(10);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: crypto.randomUUID(), ownerUserId: userId });
  await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 10, note: 'test' });
  const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'test', userId });
  const orgKey = String(made.key);
  await inParallel(60, 20, () => cutStream(orgKey));
  await untilRestricted(orgKey);
  expect((await harness.chat(orgKey, { model: 'openai/exact' })).status).toBe(429);
  expect((await harness.chat(key, { model: 'openai/exact' })).status).toBe(200);
  await harness.operate('PATCH', `/admin/v1/exposures/${org.id}/${userId}`, { restricted: false });
  expect((await harness.chat(orgKey, { model: 'openai/exact' })).status).toBe(200);
});
