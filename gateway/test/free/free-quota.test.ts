// Free models through the front door: which calls are free and for how long, what happens beyond the quota, and that
// nobody gets one call more or less.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import {
  costOf,
  errorOf,
  FreeBed,
  fallbackOf,
  freeModel,
  outcomeOf,
  PAID_USD,
  paidModel,
  START,
  tally,
} from './free-bed.ts';

const OPT_OUT = { 'X-Free-Fallback': 'false' };

let bed: FreeBed;

beforeAll(async () => {
  bed = await FreeBed.open({
    models: {
      'acme/gift': { commands: 'tokens-100-20', entry: { free: {} } },
      'acme/minute': freeModel(2, 1000),
      'acme/day': freeModel(1000, 4),
      'acme/both': freeModel(2, 2),
      'acme/long': freeModel(1000, 10, 'tokens-9-1'),
      'acme/slow': freeModel(20, 1000, 'tokens-100-20+wait-100'),
      'acme/slower': freeModel(20, 1000, 'tokens-100-20+wait-5000'),
      'acme/few': freeModel(3, 3),
      'acme/paid': paidModel,
      'acme/dime': { entry: { pricing: { prompt: '0', completion: '0', request: '0.1' } } },
    },
  });
});

beforeEach(() => bed.clock.set(START));

afterEach(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(() => bed.close());

const times = (count: number, call: () => Promise<Answer>): Promise<Answer[]> =>
  Array.from({ length: count }).reduce<Promise<Answer[]>>(
    async (before, _) => [...(await before), await call()],
    Promise.resolve([]),
  );

const UNITS = 'select sum(units) as units from free_usage_now where user_id = $1 group by model_id';

describe('within the quota', () => {
  test('FREE-01 FREE-02 FREE-09 ten calls a minute by the regular id cost nothing, the eleventh goes on paid', async () => {
    const { key } = await bed.harness.account(5);
    const answers = await times(11, () => bed.chat(key, 'acme/gift'));
    expect(answers.map(outcomeOf)).toEqual([...Array(10).fill('free'), 'paid rpm']);
    expect(answers.map(costOf)).toEqual([...Array(10).fill(0), PAID_USD]);
    const stream = await bed.harness.stream(key, { model: 'acme/gift' });
    expect([fallbackOf(stream), stream.frames.at(-1)?.usage]).toEqual([
      'rpm',
      expect.objectContaining({ cost: PAID_USD }),
    ]);
    expect(await bed.harness.spent(key)).toBe(2 * PAID_USD);
  });

  test('FREE-01 BILL-04 no entry is made for it, and its record says so', async () => {
    const { key, userId } = await bed.harness.account(5);
    const [free, paid] = [await bed.chat(key, 'acme/minute'), await bed.chat(key, 'acme/paid')];
    expect(await bed.record(key, free)).toMatchObject({ is_free: true, usage: { cost: 0, prompt_tokens: 100 } });
    expect(await bed.record(key, paid)).toMatchObject({ is_free: false, usage: { cost: PAID_USD } });
    const entries = await bed.rows(
      "select generation_id from journal_entries where debit_account_id = $1 and kind = 'charge'",
      [userId],
    );
    expect(entries).toEqual([{ generation_id: paid.headers.get('X-Generation-Id') }]);
    expect(await bed.rows(UNITS, [userId])).toEqual([{ units: '1' }]);
  });

  test('FREE-08 whoever has no credit is served too, until there is nothing left', async () => {
    const { key } = await bed.harness.account(0);
    const answers = await times(3, () => bed.chat(key, 'acme/minute'));
    expect(answers.map(outcomeOf)).toEqual(['free', 'free', '429']);
    expect((await bed.chat(key, 'acme/paid')).status).toBe(402);
  });

  test('FREE-01 streams and the other dialects say so in their own words', async () => {
    const { key } = await bed.harness.account(0);
    const stream = await bed.harness.stream(key, { model: 'acme/gift' });
    expect(stream.frames.at(-1)).toMatchObject({ usage: { cost: 0, prompt_tokens: 100 } });
    const headers = { 'anthropic-version': '2023-06-01' };
    const body = { model: 'acme/gift', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
    const messages = await bed.harness.request('POST', '/v1/messages', { key, headers, body });
    const responses = await bed.harness.request('POST', '/v1/responses', {
      key,
      body: { model: 'acme/gift', input: 'Hi' },
    });
    for (const answer of [stream, messages, responses])
      expect([answer.status, fallbackOf(answer)]).toEqual([200, null]);
    for (const answer of [messages, responses])
      expect(JSON.stringify(answer.body.usage)).toMatch(/"(?:cost|tollgate_cost)":0\b/);
    expect(await bed.harness.spent(key)).toBe(0);
  });

  test('AMB-29 ROUTE-08 the free id and the regular one share a quota; on a paid model the suffix changes nothing', async () => {
    const { key } = await bed.harness.account(5);
    const calls = ['acme/minute:free', 'acme/minute', 'acme/minute:free', 'acme/minute'];
    const answers = await Promise.all(calls.map((model) => bed.chat(key, model)));
    expect(tally(answers)).toEqual({ free: 2, 'paid rpm': 2 });
    expect(outcomeOf(await bed.chat(key, 'acme/paid:free'))).toBe('paid');
  });

  test('FREE-02 LIM-03 it is counted by user and by model, whatever the key', async () => {
    const [one, other] = [await bed.harness.account(0), await bed.harness.account(0)];
    const second = await bed.harness.operate('POST', `/admin/v1/users/${one.userId}/keys`, {
      name: 'b',
      keyType: 'standard',
    });
    expect((await times(2, () => bed.chat(one.key, 'acme/minute'))).map(outcomeOf)).toEqual(['free', 'free']);
    expect((await bed.chat(String(second.key), 'acme/minute')).status).toBe(429);
    expect(outcomeOf(await bed.chat(one.key, 'acme/day'))).toBe('free');
    expect(outcomeOf(await bed.chat(other.key, 'acme/minute'))).toBe('free');
  });
});

describe('beyond the quota', () => {
  test('FREE-06 ERR-03 the header turns the paid call into a 429 that says when to come back', async () => {
    bed.clock.set('2026-03-10T12:00:18Z');
    const { key } = await bed.harness.account(5);
    await times(2, () => bed.chat(key, 'acme/minute'));
    const refused = await bed.chat(key, 'acme/minute', OPT_OUT);
    expect([refused.status, errorOf(refused).code, refused.headers.get('retry-after')]).toEqual([429, 429, '42']);
    expect([fallbackOf(refused), refused.headers.get('x-should-retry')]).toEqual([null, null]);
    expect(outcomeOf(await bed.chat(key, 'acme/minute', { 'X-Free-Fallback': 'true' }))).toBe('paid rpm');
    expect(await bed.harness.spent(key)).toBe(PAID_USD);
  });

  test("FREE-07 a key's setting does the same, on streams too", async () => {
    const { key, keyId, userId } = await bed.harness.account(5);
    const spec = { name: 'manager', keyType: 'management' };
    const manager = await bed.harness.operate('POST', `/admin/v1/users/${userId}/keys`, spec);
    const set = (freeFallback: boolean) =>
      bed.harness.request('PATCH', `/v1/keys/${keyId}`, { key: String(manager.key), body: { freeFallback } });
    expect((await set(false)).status).toBe(200);
    expect((await times(3, () => bed.chat(key, 'acme/minute'))).map(outcomeOf)).toEqual(['free', 'free', '429']);
    expect((await bed.harness.stream(key, { model: 'acme/minute' })).status).toBe(429);
    expect(outcomeOf(await bed.chat(key, 'acme/paid'))).toBe('paid');
    expect((await set(true)).status).toBe(200);
    expect(outcomeOf(await bed.chat(key, 'acme/minute'))).toBe('paid rpm');
  });

  test('FREE-10 FREE-09 windows are the UTC minute and day, and turn on the boundary', async () => {
    const { key } = await bed.harness.account(0);
    const outcomes = async (model: string, count: number) =>
      (await times(count, () => bed.chat(key, model))).map(outcomeOf);
    bed.clock.set('2026-03-10T23:58:59.999Z');
    expect(await outcomes('acme/minute', 3)).toEqual(['free', 'free', '429']);
    bed.clock.set('2026-03-10T23:59:00Z');
    expect(await outcomes('acme/minute', 3)).toEqual(['free', 'free', '429']);
    expect(await outcomes('acme/day', 5)).toEqual(['free', 'free', 'free', 'free', '429']);
    bed.clock.set('2026-03-10T23:59:59.999Z');
    expect(await outcomes('acme/day', 1)).toEqual(['429']);
    bed.clock.set('2026-03-11T00:00:00Z');
    expect(await outcomes('acme/day', 5)).toEqual(['free', 'free', 'free', 'free', '429']);
  });

  test('FREE-10 FREE-09 with both caps used up the day is named, which no retry can wait for', async () => {
    const { key } = await bed.harness.account(5);
    for (const minute of ['01', '02', '03']) {
      bed.clock.set(`2026-03-10T12:${minute}:00Z`);
      expect((await times(2, () => bed.chat(key, 'acme/both'))).map(outcomeOf)).toEqual(['free', 'free']);
    }
    expect(outcomeOf(await bed.chat(key, 'acme/both'))).toBe('paid daily');
    const refused = await bed.chat(key, 'acme/both', OPT_OUT);
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false']);
    expect(Number(refused.headers.get('retry-after'))).toBe(12 * 3600 - 180);
  });

  test.each([
    [0, 4],
    [5, 12],
  ])('FREE-03 AMB-30 with $%i of credit the day has %i units', async (creditUsd, units) => {
    const { key } = await bed.harness.account(creditUsd);
    const answers = await Promise.all(Array.from({ length: units + 3 }, () => bed.chat(key, 'acme/day')));
    expect(tally(answers)).toEqual({ free: units, [creditUsd === 0 ? '429' : 'paid daily']: 3 });
    const refused = await bed.chat(key, 'acme/day', OPT_OUT);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(12 * 3600)]);
  });

  test('FREE-04 a long prompt takes more of the day, and still one request of the minute', async () => {
    const { key, userId } = await bed.harness.account(0);
    const long = (words: number) => ({ messages: [{ role: 'user', content: 'word '.repeat(words) }] });
    const used = async () => Number((await bed.rows(UNITS, [userId]))[0]?.units ?? 0);
    const expected: readonly (readonly [number, number])[] = [
      [10, 1],
      [6_000, 2],
      [20_000, 5],
    ];
    for (const [words, units] of expected) {
      expect(outcomeOf(await bed.chat(key, 'acme/long', {}, long(words)))).toBe('free');
      expect(await used()).toBe(units);
    }
    expect((await bed.chat(key, 'acme/long', {}, long(60_000))).status).toBe(429);
    expect(outcomeOf(await bed.chat(key, 'acme/long', {}, long(30_000)))).toBe('free');
    expect(await used()).toBe(9);
  });
});

describe('races', () => {
  const burst = (count: number, key: string, model: string, headers = {}) =>
    Promise.all(Array.from({ length: count }, () => bed.chat(key, model, headers)));

  test.each([
    ['who can pay', 5, {}, 'paid rpm'],
    ['who would rather not', 5, OPT_OUT, '429'],
    ['who cannot', 0, {}, '429'],
  ])(
    'RACE-2 FREE-05 fifty calls at the edge of the quota take exactly what is left: %s',
    async (_, credit, headers, others) => {
      const { key } = await bed.harness.account(credit);
      expect(tally(await burst(13, key, 'acme/slow'))).toEqual({ free: 13 });
      const answers = await burst(50, key, 'acme/slow', headers);
      expect(tally(answers)).toEqual({ free: 7, [others]: 43 });
      expect(await bed.harness.spent(key)).toBeCloseTo(others === '429' ? 0 : 43 * PAID_USD, 9);
    },
  );

  test('RACE-2 FREE-02 two hundred calls at once, of a user that nobody has seen before', async () => {
    const { key, userId } = await bed.harness.account(0);
    expect(tally(await burst(200, key, 'acme/slow'))).toEqual({ free: 20, '429': 180 });
    expect(await bed.rows(UNITS, [userId])).toEqual([{ units: '20' }]);
  });
});

describe('what counts', () => {
  test('a call that nobody answered gives its units back', async () => {
    const { key, userId } = await bed.harness.account(0);
    bed.harness.simulator.script('context-length', { times: 5 });
    const answers = await times(5, () => bed.chat(key, 'acme/few'));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(400));
    expect(await bed.rows(UNITS, [userId])).toEqual([]);
    expect((await times(4, () => bed.chat(key, 'acme/few'))).map(outcomeOf)).toEqual(['free', 'free', 'free', '429']);
  });

  test('an answer without usage has been given, and counts', async () => {
    const { key } = await bed.harness.account(0);
    bed.harness.simulator.script('usage-none', { times: 3 });
    const answers = await times(4, () => bed.chat(key, 'acme/few'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });

  test('a client that leaves has had the upstream work for it', async () => {
    const { key, userId } = await bed.harness.account(0);
    const body = JSON.stringify({ model: 'acme/slower', messages: [{ role: 'user', content: 'x' }] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const leaving = new AbortController();
    const { signal } = leaving;
    const asking = fetch(`${bed.harness.url}/v1/chat/completions`, { method: 'POST', body, headers, signal });
    void bed.harness.simulator.waitFor((request) => request.body.includes('wait-5000')).then(() => leaving.abort());
    await expect(asking).rejects.toThrow();
    await expect.poll(() => bed.rows(UNITS, [userId])).toEqual([{ units: '1' }]);
    const absorbed = (await bed.harness.operate('GET', '/admin/v1/absorbed')) as Json;
    expect(JSON.stringify(absorbed)).not.toContain(userId);
  });

  test('BRK-11 what stops every call stops a free one too: a breaker that has tripped', async () => {
    const { key } = await bed.harness.account(5);
    const breaker = { cbEnabled: true, cbMinuteUsd: 0.1 };
    await bed.harness.request('PATCH', '/v1/account/circuit-breaker', { key, body: breaker });
    expect(outcomeOf(await bed.chat(key, 'acme/minute'))).toBe('free');
    expect(outcomeOf(await bed.chat(key, 'acme/dime'))).toBe('paid');
    const refused = await bed.chat(key, 'acme/minute');
    expect([refused.status, errorOf(refused).message]).toEqual([429, expect.stringContaining('circuit breaker')]);
    bed.clock.set('2026-03-10T12:01:00Z');
    expect(outcomeOf(await bed.chat(key, 'acme/minute'))).toBe('free');
  });

  test('LIM-01 AMB-31 and the rate limit, which is counted apart', async () => {
    const { key } = await bed.harness.account(0);
    const live = await bed.harness.operate('GET', '/admin/v1/config');
    const rate = (freeRate: number) => ({
      ...live,
      limits: { ...(live.limits as Json), free_requests_per_minute: freeRate },
    });
    await bed.harness.operate('PUT', '/admin/v1/config', rate(3));
    const answers = await times(4, () => bed.chat(key, 'acme/gift'));
    await bed.harness.operate('PUT', '/admin/v1/config', live);
    expect(answers.map(outcomeOf)).toEqual(['free', 'free', 'free', '429']);
    expect(answers.at(-1)?.headers.get('x-ratelimit-limit')).toBe('3');
  });
});
