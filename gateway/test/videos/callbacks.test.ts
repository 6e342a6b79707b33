// Owners who want a callback get one for every end, at an address that they were allowed to give; whatever they do with
// it changes neither the job nor its money.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { setTrap } from '../outbound/trap.ts';
import { RECEIVER_HOST, type Receiver, startReceiver } from './receiver.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;
let key: string;
let receiver: Receiver;
/** How often a name has been looked up that is public at first, and this machine ever after. */
let rebinding = 0;

const lookup: Lookup = async (name) => {
  if (name === RECEIVER_HOST) return ['127.0.0.2'];
  if (name !== 'rebinding.example') throw new Error('no such name');
  rebinding += 1;
  return rebinding === 1 ? ['93.184.216.34'] : ['127.0.0.1'];
};

beforeAll(async () => {
  // The receiver's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  bed = await VideoBed.open(
    { 'acme/film': video(QUICK), 'acme/broken': video(`${QUICK}+video-fails`) },
    { env: { TOLLGATE_SSRF_ALLOW: '127.0.0.2/32' }, start: { lookup } },
  );
  ({ key } = await bed.harness.account());
});

afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  await bed.close();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

/** No attempt that is waited for has been made before. */
let sinceMs = 0;

async function ended(model: string, url = receiver.url): Promise<string> {
  const id = await bed.order(key, { model, duration: 4, callback_url: url });
  sinceMs = bed.clock.nowMs();
  bed.clock.move(8_001);
  await bed.untilStatus(id, model === 'acme/film' ? 'completed' : 'failed');
  return id;
}

const state = async (id: string) =>
  (await bed.rows('select state, attempts from video_callbacks where job_id = $1', [id]))[0];

const untilState = (id: string, word: string, attempts: number) =>
  expect.poll(() => state(id)).toEqual({ state: word, attempts });

/** Until the call was in vain and the next one has its time, to which the clock is then put. */
async function waits(id: string, attempts: number, waitMs: number): Promise<void> {
  await untilState(id, 'waiting', attempts);
  await expect.poll(() => receiver.heard.length).toBe(attempts);
  const isPostponed = async (): Promise<boolean> => {
    const [row] = await bed.rows<{ at: Date }>('select next_attempt_at as at from video_callbacks where job_id = $1', [
      id,
    ]);
    const failedAtMs = (row?.at.getTime() ?? 0) - waitMs;
    return failedAtMs >= sinceMs && failedAtMs <= bed.clock.nowMs();
  };
  await expect.poll(isPostponed).toBe(true);
  sinceMs = bed.clock.nowMs() + waitMs;
  bed.clock.move(waitMs + 1);
}

test('VID-27 a finished job calls once, with whole addresses and nothing secret', async () => {
  const id = await ended('acme/film');
  await untilState(id, 'sent', 1);
  const [call] = receiver.heard;
  expect(call).toMatchObject({ method: 'POST', path: '/done?token=secret' });
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-tollgate-idempotency-key': `${id}-completed`,
  });
  expect(call?.headers).not.toHaveProperty('authorization');
  const polled = await bed.poll(key, id);
  expect(call?.body).toEqual({
    type: 'video.generation.completed',
    created_at: polled.body.completed_at,
    data: { ...polled.body, unsigned_urls: [`https://gateway.example/v1/videos/${id}/content?index=0`] },
  });
  bed.clock.move(3_600_000);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(receiver.heard).toHaveLength(1);
  const [kept] = await bed.rows('select url from video_callbacks where job_id = $1', [id]);
  expect(kept).toEqual({ url: null });
});

test('VID-27 VID-21 so does a failed one', async () => {
  const id = await ended('acme/broken');
  await untilState(id, 'sent', 1);
  expect(receiver.heard[0]?.body).toMatchObject({
    type: 'video.generation.failed',
    data: { id, status: 'failed', error: { code: 'generation_failed' } },
  });
});

test('VID-27 whoever does not hear is called again, a few times', async () => {
  receiver.answerWith((response, times) => {
    if (times === 1) response.writeHead(500).end();
    else if (times === 2) response.writeHead(302, { location: 'https://evil.example/' }).end();
    else if (times === 3) response.destroy();
    else response.writeHead(204).end();
  });
  const id = await ended('acme/film');
  for (const [index, waitMs] of [10_000, 60_000, 300_000].entries()) await waits(id, index + 1, waitMs);
  await untilState(id, 'sent', 4);
  expect(new Set(receiver.heard.map(({ headers }) => headers['x-tollgate-idempotency-key']))).toEqual(
    new Set([`${id}-completed`]),
  );
});

test('VID-27 and given up after five times, which changes nothing for the job', async () => {
  receiver.answerWith((response) => response.writeHead(503).end());
  const id = await ended('acme/film');
  for (const [index, waitMs] of [10_000, 60_000, 300_000, 1_800_000].entries()) await waits(id, index + 1, waitMs);
  await untilState(id, 'given_up', 5);
  expect((await bed.poll(key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0.4 } });
  await bed.assertBalanced();
});

test('VID-27 an answer without end is not read', async () => {
  let sent = 0;
  receiver.answerWith((response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && sent < 1_000_000_000) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536))) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  const id = await ended('acme/film');
  await untilState(id, 'sent', 1);
  expect(sent).toBeLessThan(50_000_000);
});

test('VID-11 VID-27 SSRF-2 a name that leads here by the time it is called reaches nothing', async () => {
  const trap = await setTrap();
  const id = await ended('acme/film', `https://rebinding.example:${trap.port}/x`);
  await untilState(id, 'given_up', 1);
  expect(rebinding).toBeGreaterThan(1);
  expect(trap.hits()).toBe(0);
  await trap.close();
});

test('VID-27 one receiver that is slow does not hold up another', async () => {
  const slow = receiver;
  let open = 0;
  let mostOpen = 0;
  slow.answerWith((response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
  });
  await Promise.all(Array.from({ length: 6 }, () => ended('acme/film', slow.url)));
  await expect.poll(() => slow.heard.length).toBeGreaterThanOrEqual(4);
  const quick = await startReceiver();
  const id = await ended('acme/film', quick.url.replace('?token=secret', ''));
  await untilState(id, 'sent', 1);
  expect(mostOpen).toBe(4);
  await quick.close();
});
