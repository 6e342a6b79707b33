// A gateway on a machine whose clock is wrong counts and records by the time of the database.

import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Json, startHarness } from '../harness.ts';

test('LIM-05 a gateway ten minutes ahead records calls, and ends its minutes, by the clock of the database', async () => {
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 600_000 };
  const harness = await startHarness({ start: { clock, followsDatabaseClock: true } });
  const { key } = await harness.account();
  const answer = await harness.chat(key, { model: 'openai/test' });
  const id = String(answer.headers.get('x-generation-id'));
  await expect.poll(async () => (await harness.request('GET', `/v1/generation?id=${id}`, { key })).status).toBe(200);
  const { data } = (await harness.request('GET', `/v1/generation?id=${id}`, { key })).body as { data: Json };
  expect(Math.abs(Date.parse(String(data.created_at)) - Date.now())).toBeLessThan(300_000);
  const resetSeconds = Number(answer.headers.get('x-ratelimit-reset'));
  expect(Math.abs(resetSeconds - Date.now() / 1_000)).toBeLessThan(300);
  await harness.close();
});
