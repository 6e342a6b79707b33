// Money through the front door: every charge is exact to the nano-dollar, calls without usage cost nothing, and no
// burst of calls spends more than there is.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

const tiered = {
  pricing: { prompt: '1', completion: '2', cache_read: '0.5', cache_write: '1.25' },
  pricing_tiers: [{ above_prompt_tokens: 1000, prompt: '0.000003', completion: '0.000007' }],
};

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/exact': { commands: 'tokens-1000-50' },
      'openai/zero': { commands: 'usage-zero' },
      'openai/none': { commands: 'usage-none' },
      'openai/zero-output': { commands: 'tokens-300-0' },
      'openai/negative': { commands: 'usage-negative' },
      'openai/fraction': { commands: 'usage-fraction' },
      'openai/string': { commands: 'usage-string' },
      'openai/absurd': { commands: 'usage-absurd' },
      'openai/bad-json': { commands: 'bad-json' },
      'openai/cut': { commands: 'cut-json' },
      'openai/at-threshold': { commands: 'tokens-1000-10', entry: tiered },
      'openai/over-threshold': { commands: 'tokens-1001-10', entry: tiered },
      'openai/cached': { commands: 'tokens-1000-10+cached-400' },
      'openai/reasoning': { commands: 'tokens-100-80+reasoning-hidden-60' },
      'openai/flat': {
        commands: 'tokens-10-10',
        entry: { pricing: { prompt: '0', completion: '0', request: '0.25' } },
      },
      'openai/gratis': { commands: 'tokens-10-10', entry: { pricing: { prompt: '0', completion: '0' } } },
      'openai/unpriced': { entry: { pricing: undefined } },
      'openai/slow': {
        commands: 'tokens-1000-50+wait-150',
        entry: { pricing: { prompt: '0', completion: '0', request: '1' } },
      },
      'openai/long': { commands: 'tokens-10-9000+chunks-9000' },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const cost = (body: Json): unknown => (body.usage as Json).cost;

describe('what a call costs', () => {
  const exact: readonly [string, string, number][] = [
    ['BILL-01 BILL-03 by its tokens at list price', 'openai/exact', 0.0011],
    ['BILL-06 input alone when there was no output', 'openai/zero-output', 0.0003],
    ['BILL-08 equal to the threshold: the lower tier', 'openai/at-threshold', 0.00102],
    ['BILL-08 one above: the higher tier for the whole call', 'openai/over-threshold', 0.003073],
    ['BILL-09 cached tokens at their own rate', 'openai/cached', 0.00082],
    ['BILL-10 reasoning as completion', 'openai/reasoning', 0.00026],
    ['BILL-01 a flat price for each call', 'openai/flat', 0.25],
    ['BILL-01 nothing where the price is zero', 'openai/gratis', 0],
  ];
  test.each(exact)('%s', async (_, model, expected) => {
    for (const stream of [false, true]) {
      const { key } = await harness.account(5);
      const body = stream
        ? (await harness.stream(key, { model })).frames.at(-1)
        : (await harness.chat(key, { model })).body;
      expect(cost(body as Json), `stream ${stream}`).toBe(expected);
      expect(await harness.spent(key)).toBe(expected);
    }
  });

  test('BILL-09 GEN-03 the saving shows in the breakdown', async () => {
    const { key } = await harness.account(5);
    const { body } = await harness.chat(key, { model: 'openai/cached' });
    const generation = await harness.request('GET', `/v1/generation?id=${body.id}`, { key });
    expect(generation.body).toMatchObject({
      data: { cost_breakdown: { subtotal: 0.00102, cache_discount: 0.0002, total: 0.00082 } },
    });
  });
});

describe('failed-request protection', () => {
  test.each(['zero', 'none', 'negative', 'fraction', 'string'])('BILL-05 %s usage costs nothing', async (name) => {
    const { key } = await harness.account(5);
    const whole = await harness.chat(key, { model: `openai/${name}` });
    expect(whole.status).toBe(200);
    expect(cost(whole.body)).toBe(0);
    const stream = await harness.stream(key, { model: `openai/${name}` });
    expect(stream.isDone).toBe(true);
    expect(await harness.spent(key)).toBe(0);
  });

  test.each(['bad-json', 'cut'])('BILL-04 %s costs nothing and is a 502', async (name) => {
    const { key } = await harness.account(5);
    expect((await harness.chat(key, { model: `openai/${name}` })).status).toBe(502);
    expect(await harness.spent(key)).toBe(0);
  });

  test('BILL-02 absurd usage is capped at what was reserved', async () => {
    const { key } = await harness.account(5);
    const { status, body } = await harness.chat(key, { model: 'openai/absurd', max_tokens: 100 });
    expect(status).toBe(200);
    expect(Number(cost(body))).toBeLessThan(0.01);
    expect(await harness.spent(key)).toBe(cost(body));
  });
});

describe('what there is to spend', () => {
  test('ERR-18 BILL-02 BILL-17 LIM-07 without credit: 402 that tells to top up, without rate headers', async () => {
    const { key } = await harness.account(0);
    const { status, body, headers } = await harness.chat(key, { model: 'openai/exact' });
    expect(status).toBe(402);
    expect(body).toMatchObject({ error: { code: 'insufficient_credits', message: expect.stringMatching(/top up/i) } });
    expect(headers.get('x-ratelimit-limit')).toBeNull();
    expect(headers.get('x-should-retry')).toBe('false');
  });

  test('ERR-26 a model without a price is refused before dispatch', async () => {
    const { key } = await harness.account(5);
    const { status, body } = await harness.chat(key, { model: 'openai/unpriced' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'model_not_priced' } });
  });

  test('BILL-16 200 parallel calls on a balance that covers 10: exactly 10 succeed, the rest get 402', async () => {
    const { key } = await harness.account(10);
    const body = { model: 'openai/slow', max_tokens: 1 };
    const answers = await Promise.all(Array.from({ length: 200 }, () => harness.chatWhenReady(key, body)));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 402)).toHaveLength(190);
    const { body: credits } = await harness.request('GET', '/v1/credits', { key });
    expect(credits.data).toEqual({ total_credits: 10, total_usage: 10 });
    expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  });

  test('STRM-10 credit that runs out mid-stream ends it with the error frame, unbilled', async () => {
    // Covers the first hold of 4,096 output tokens at $2 per million, and no extension.
    const { key } = await harness.account('0.009');
    const { frames, isDone, status } = await harness.stream(key, { model: 'openai/long' });
    expect(status).toBe(200);
    expect(isDone).toBe(true);
    expect(frames.at(-1)).toMatchObject({ error: { code: 'insufficient_credits', type: 'billing_error' } });
    expect(await harness.spent(key)).toBe(0);
  });

  test('BILL-03 a long stream is extended while it runs when there is credit', async () => {
    const { key } = await harness.account(1);
    const { frames } = await harness.stream(key, { model: 'openai/long' });
    expect(cost(frames.at(-1) as Json)).toBe(0.01801);
  });
});
