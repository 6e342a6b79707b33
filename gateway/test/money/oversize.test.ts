// Answers that are larger than can be delivered are the caller's doing, not the provider's. They are tried once, do not
// count against the provider, and are reported to the operator; a request whose answer could never fit is refused
// before it is sent.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'acme/huge': { commands: 'gzip-bomb-40' },
      'acme/stated': { commands: 'size-100', entry: { max_completion_tokens: 16_384 } },
      'acme/burst': { commands: 'reasoning-40+giant-line-2048' },
    },
  });
});

afterAll(() => harness.close());

const errorOf = (body: Json): Json => body.error as Json;

test('ERR-10 BILL-04 an answer of 40 MB is asked for once, absorbed, and leaves the route to others', async () => {
  const { key, userId } = await harness.account(50);
  const before = harness.simulator.requests.length;
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    const answer = await harness.chat(key, { model: 'acme/huge' });
    expect([answer.status, errorOf(answer.body).code]).toEqual([502, 'upstream_unavailable']);
    expect(errorOf(answer.body).message).toMatch(/larger than can be delivered/);
  }
  // Neither tried again nor isolated: every call was sent once.
  expect(harness.simulator.requests.length - before).toBe(6);
  expect(await harness.spent(key)).toBe(0);
  const absorbed = JSON.stringify(await harness.operate('GET', '/admin/v1/absorbed'));
  expect(absorbed).toContain(userId);
  expect(absorbed).toContain('oversize');
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('BILL-05 STRM-07 a stream that our own bound on a frame ends is charged for what was delivered', async () => {
  const { key } = await harness.account(50);
  const answer = await harness.stream(key, { model: 'acme/burst' });
  expect(answer.frames.length).toBeGreaterThan(1);
  expect(answer.frames.at(-1)?.error).toMatchObject({ code: 'upstream_unavailable' });
  expect(answer.isDone).toBe(true);
  expect(await harness.spent(key)).toBeGreaterThan(0);
});

test('CHAT-11 a call whose answer could not be held is refused before it is sent, with the reason', async () => {
  const { key } = await harness.account(50);
  const before = harness.simulator.requests.length;
  const many = { model: 'acme/stated', n: 128, logprobs: true, top_logprobs: 20, max_tokens: 16_384 };
  const refused = await harness.chat(key, many);
  expect([refused.status, errorOf(refused.body).code]).toEqual([400, 'max_tokens_invalid']);
  expect(errorOf(refused.body).message).toMatch(/log probabilities/);
  expect(harness.simulator.requests.length).toBe(before);
  expect((await harness.stream(key, { ...many, n: 2 })).isDone).toBe(true);
  expect((await harness.chat(key, { ...many, n: 1, max_tokens: 1_000 })).status).toBe(200);
});

test('STRM-06 128 choices with log probabilities stream to their end and are paid for', async () => {
  const { key } = await harness.account(200);
  const body = { model: 'acme/stated', n: 128, logprobs: true, top_logprobs: 20, max_tokens: 1_000 };
  const answer = await harness.stream(key, body);
  expect([answer.status, answer.isDone]).toEqual([200, true]);
  expect(answer.frames.at(-1)?.error).toBeUndefined();
  expect(await harness.spent(key)).toBeGreaterThan(0);
});
