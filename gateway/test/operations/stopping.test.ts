// The end of a gateway while receivers of several kinds hang: each kind is waited for a little, all at the same time.

import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { FEED_ADDRESS, FEED_HOST, startFeedReceiver } from '../feeds/feed-receiver.ts';
import { startGuardBed } from '../guardrails/guard-bed.ts';
import type { Answer, Json } from '../harness.ts';

/** How long each job waits for what is under way. */
const WAIT_MS = 3_000;
/** Batches, videos, the callbacks of both, notices and feeds. */
const WAITING_JOBS = 6;

test('receivers of feeds and of notices that hang are waited for at the same time', async () => {
  let isEnding = false;
  let waits = 0;
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const clock: Clock = {
    ...systemClock,
    sleep(durationMs) {
      if (!isEnding || durationMs !== WAIT_MS) return systemClock.sleep(durationMs);
      waits += 1;
      return isGoingOn;
    },
  };
  // The receiver's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const receiver = await startFeedReceiver();
  receiver.answerWith(() => {});
  const bed = await startGuardBed({
    env: { TOLLGATE_SSRF_ALLOW: `${FEED_ADDRESS}/32` },
    start: { clock, lookup: async (name) => (name === FEED_HOST ? [FEED_ADDRESS] : Promise.reject(new Error(name))) },
  });
  const org = await bed.org();
  const ask = (path: string, body: Json = {}): Promise<Answer> =>
    bed.harness.request('POST', `/api/orgs/${org.id}/${path}`, { key: org.adminKey, body });
  expect((await ask('feeds', { name: 'Ours', form: 'http', url: `${receiver.url}/feed` })).status).toBe(201);
  const wish = { channel: 'webhook', target: `${receiver.url}/notice`, kinds: ['budget.reached'] };
  const { body: made } = await ask('notices/addresses', wish);
  expect((await ask(`notices/addresses/${made.id}/test`)).status).toBe(204);
  expect((await bed.harness.chat(org.key, { model: 'openai/test' })).status).toBe(200);
  await expect.poll(() => receiver.arrived.map(({ path }) => path).sort()).toEqual(['/feed', '/notice']);
  isEnding = true;
  const ended = bed.harness.close();
  await expect.poll(() => waits).toBeGreaterThanOrEqual(WAITING_JOBS);
  goOn();
  await ended;
  await receiver.close();
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
});
