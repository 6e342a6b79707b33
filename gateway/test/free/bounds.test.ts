// The limits of free calls beyond each user's quota: how many answers, how long they may be, and what all users of a
// network may have together.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { FreeBed, freeModel, outcomeOf, tally } from './free-bed.ts';

let bed: FreeBed;

beforeAll(async () => {
  bed = await FreeBed.open({
    models: {
      'acme/choices': freeModel(100, 10),
      'acme/short': freeModel(100, 100),
      'acme/shared': freeModel(2, 4),
      'acme/other': freeModel(2, 4),
    },
    document: { limits: { free_users_per_network: 3, free_output_tokens: 2_000 } },
  });
});

afterAll(() => bed.close());

test('FREE-04 a call counts for every answer that it wants', async () => {
  const { key } = await bed.harness.account(0);
  expect(outcomeOf(await bed.chat(key, 'acme/choices', {}, { n: 8 }))).toBe('free');
  expect(outcomeOf(await bed.chat(key, 'acme/choices', {}, { n: 3 }))).toBe('429');
  expect(outcomeOf(await bed.chat(key, 'acme/choices', {}, { n: 2 }))).toBe('free');
  expect(outcomeOf(await bed.chat(key, 'acme/choices'))).toBe('429');
});

describe('how long a free answer may be', () => {
  const talk = [{ role: 'user', content: 'Hi.' }];
  const sent = (): Json => (bed.harness.simulator.requests.at(-1)?.json ?? {}) as Json;

  test.each<[string, string, Json, number]>([
    ['chat, without a limit', '/v1/chat/completions', { messages: talk }, 2_000],
    ['chat, with a higher one', '/v1/chat/completions', { messages: talk, max_completion_tokens: 4_000 }, 2_000],
    ['chat, with a lower one', '/v1/chat/completions', { messages: talk, max_tokens: 50 }, 50],
    ['a stream', '/v1/chat/completions', { messages: talk, stream: true }, 2_000],
    ['responses', '/v1/responses', { input: 'Hi.' }, 2_000],
    ['messages', '/v1/messages', { messages: talk, max_tokens: 4_000 }, 2_000],
  ])('%s', async (_name, path, body, limit) => {
    const { key } = await bed.harness.account(0);
    const answer = await bed.harness.request('POST', path, { key, body: { model: 'acme/short', ...body } });
    expect(answer.status, answer.text).toBe(200);
    const { max_tokens: older, max_completion_tokens: newer } = sent();
    expect(newer ?? older).toBe(limit);
  });

  test('whoever pays is not limited by it', async () => {
    const { key } = await bed.harness.account();
    await bed.harness.chat(key, { model: 'openai/test', max_tokens: 3_000 });
    expect(sent().max_tokens).toBe(3_000);
  });
});

describe('what a network may have', () => {
  test('FREE-02 users of one network have together what three of them have, of each model', async () => {
    bed.clock.set('2026-03-10T12:10:00Z');
    const outcomes: string[] = [];
    for (let user = 0; user < 8; user += 1) {
      const { key } = await bed.harness.account(0);
      outcomes.push(outcomeOf(await bed.chat(key, 'acme/shared')));
    }
    expect(outcomes).toEqual([...Array(6).fill('free'), '429', '429']);
    const { key } = await bed.harness.account(0);
    expect(outcomeOf(await bed.chat(key, 'acme/other'))).toBe('free');
  });

  test('FREE-02 over a day too, however the minutes turn', async () => {
    let free = 0;
    for (let round = 0; round < 4; round += 1) {
      bed.clock.set(`2026-03-10T12:2${round}:00Z`);
      const keys = await Promise.all(Array.from({ length: 6 }, () => bed.harness.account(0)));
      const answers = await Promise.all(keys.map(({ key }) => bed.chat(key, 'acme/other')));
      free += tally(answers).free ?? 0;
    }
    // One was had before.
    expect(free).toBe(11);
  });

  test('FREE-06 whoever can pay goes on at the paid price', async () => {
    const { key } = await bed.harness.account(5);
    expect(outcomeOf(await bed.chat(key, 'acme/other'))).toBe('paid daily');
    expect(outcomeOf(await bed.chat(key, 'acme/other', { 'x-free-fallback': 'false' }))).toBe('429');
  });
});
