// Jobs that nobody asks about, and jobs that go wrong: each ends once, and money for videos that were not made is
// returned.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;

const twoRoutes = (first: string, second: string) => [
  { provider: first, upstream_model: `sim-${QUICK}` },
  { provider: second, upstream_model: `sim-${QUICK}+provider-second`, pricing: { video_second: '0.20' } },
];

beforeAll(async () => {
  bed = await VideoBed.open({
    'acme/film': video(QUICK),
    'acme/stuck': video('video-queue-0+video-stuck'),
    'acme/gone': video(`${QUICK}+video-vanishes`),
    'acme/broken': video(`${QUICK}+video-fails`),
    'acme/failover': video('', {}, twoRoutes('dead', 'sim')),
  });
});

afterAll(() => bed.close());

const record = async (id: string): Promise<Json> =>
  (
    await bed.rows<Json>(`select g.* from generations g join video_jobs v on v.generation_id = g.id where v.id = $1`, [
      id,
    ])
  )[0] ?? {};

/** Puts the clock forward, and waits until the background has looked at the job. */
async function passes(id: string, byMs: number): Promise<void> {
  bed.clock.move(byMs);
  const due =
    "select id from video_jobs where id = $1 and (phase = 'ended' or due_at > $2) and leased_until = '-infinity'";
  const isDone = () => bed.rows(due, [id, new Date(bed.clock.nowMs())]);
  await expect.poll(isDone).toHaveLength(1);
}

describe('nobody asks', () => {
  test('AMB-32 VID-20 VID-27 a job is finished and paid for all the same', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/film', duration: 4 });
    bed.clock.move(8_001);
    await bed.untilStatus(id, 'completed');
    expect(await bed.harness.spent(owner.key)).toBeCloseTo(0.4, 9);
    const held = await bed.rows('select held_nano_usd as held from accounts where id = $1', [owner.userId]);
    expect(held).toEqual([{ held: '0' }]);
  });

  test('AMB-32 VID-21 a failure is given back all the same', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/broken', duration: 8 });
    bed.clock.move(8_001);
    await bed.untilStatus(id, 'failed');
    expect(await bed.harness.spent(owner.key)).toBe(0);
    expect(await record(id)).toMatchObject({ cost_nano_usd: '0', finish_reason: 'generation_failed' });
  });

  test('VID-21 an owner who is suspended meanwhile is charged for what was made, and shown nothing', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/film', duration: 4 });
    await bed.harness.operate('PATCH', `/admin/v1/users/${owner.userId}`, { suspended: true });
    bed.clock.move(8_001);
    await bed.untilStatus(id, 'completed');
    expect((await bed.poll(owner.key, id)).status).toBe(403);
    const [account] = await bed.rows('select balance_nano_usd as balance from accounts where id = $1', [owner.userId]);
    expect(account).toEqual({ balance: '600000000' });
    await bed.assertBalanced();
  });
});

describe('upstreams that go wrong', () => {
  test('VID-19 a job that never ends expires, and is given back', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/stuck', duration: 8 });
    expect((await bed.pollLater(owner.key, id)).body.status).toBe('in_progress');
    await passes(id, 59 * 60_000);
    expect((await bed.poll(owner.key, id)).body.status).toBe('in_progress');
    await passes(id, 60_000);
    const over = await bed.poll(owner.key, id);
    expect(over.body).toMatchObject({ status: 'failed', error: { code: 'expired' }, usage: { cost: 0 } });
    expect(await bed.harness.spent(owner.key)).toBe(0);
    await bed.assertBalanced();
  });

  test('VID-21 a job that the upstream forgets is given back, but not at the first word', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/gone' });
    for (let round = 0; round < 2; round += 1) {
      expect((await bed.pollLater(owner.key, id)).body.status).toBe('pending');
    }
    expect((await bed.pollLater(owner.key, id)).body).toMatchObject({ status: 'failed', error: { code: 'job_lost' } });
    expect(await bed.harness.spent(owner.key)).toBe(0);
  });

  test.each(['status-500', 'status-429', 'status-401', 'reset', 'bad-json', 'html', 'empty', 'error-200', 'redirect'])(
    'VID-22 a poll that goes wrong (%s) changes nothing',
    async (fault) => {
      const owner = await bed.harness.account(1);
      const id = await bed.order(owner.key, { model: 'acme/film', duration: 4 });
      // A question whose used connection is closed as it comes is asked once more.
      bed.harness.simulator.script(fault, { path: '/videos/video_', times: 2 });
      expect((await bed.pollLater(owner.key, id)).body.status).toBe('pending');
      bed.harness.simulator.clearScripts();
      expect((await bed.pollLater(owner.key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0.4 } });
    },
  );

  test('VID-20 the first end stands, whatever the upstream says afterwards', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/film', duration: 4 });
    expect((await bed.pollLater(owner.key, id)).body.status).toBe('completed');
    bed.harness.simulator.script('video-fails', { path: '/videos/video_', times: 3 });
    for (let round = 0; round < 3; round += 1) {
      expect((await bed.pollLater(owner.key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0.4 } });
    }
    await expect(bed.rows("update video_jobs set outcome = 'failed' where id = $1", [id])).rejects.toThrow(
      /ends exactly once/,
    );
    bed.harness.simulator.clearScripts();
  });

  test('VID-20 a job that was decided by a process that then died is finished by another', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/stuck', duration: 4 });
    await bed.untilIdle(id);
    await bed.rows("update video_jobs set phase = 'ending', outcome = 'completed', due_at = now() where id = $1", [id]);
    await bed.untilStatus(id, 'completed');
    expect((await bed.poll(owner.key, id)).body.usage).toEqual({ cost: 0.4 });
    expect(await bed.harness.spent(owner.key)).toBeCloseTo(0.4, 9);
  });

  test('VID-20 a job whose money went back long ago is not given away', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/film', duration: 4 });
    await bed.rows(
      `update reservations set expires_at = now() - interval '1 second'
       where id = (select generation_id from video_jobs where id = $1)`,
      [id],
    );
    const state = () =>
      bed.rows('select r.state from reservations r join video_jobs v on v.generation_id = r.id where v.id = $1', [id]);
    await expect.poll(state).toEqual([{ state: 'expired' }]);
    expect((await bed.pollLater(owner.key, id)).body).toMatchObject({ status: 'failed', error: { code: 'expired' } });
    expect(await bed.harness.spent(owner.key)).toBe(0);
  });
});

describe('several providers', () => {
  test('VID-16 the next one is asked where the first certainly was not, at its own price', async () => {
    const owner = await bed.harness.account(2);
    const id = await bed.order(owner.key, { model: 'acme/failover', duration: 4, provider: { order: ['dead'] } });
    const [held] = await bed.rows('select held_nano_usd as held from video_jobs where id = $1', [id]);
    expect(held).toEqual({ held: '800000000' });
    expect((await bed.pollLater(owner.key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0.8 } });
    expect(await record(id)).toMatchObject({ provider_name: 'sim', is_failover: true, attempts: 2 });
  });
});
