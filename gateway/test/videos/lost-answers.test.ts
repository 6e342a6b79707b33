// Orders whose answer is lost on the way back. Nobody knows then whether there is a job, so no second one may be
// ordered: the job is looked for, and the money is returned when it cannot be found.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;

beforeAll(async () => {
  bed = await VideoBed.open(
    {
      'acme/lost': video(`${QUICK}+reset`),
      'acme/gibberish': video(`${QUICK}+bad-json`),
      'acme/between': video('status-502'),
      'acme/unsure': video('', {}, [
        { provider: 'sim', upstream_model: `sim-${QUICK}+reset` },
        { provider: 'sim', upstream_model: `sim-${QUICK}+provider-second` },
      ]),
    },
    // The first of two providers is the first in the list.
    { start: { random: () => 0 } },
  );
});

afterAll(() => bed.close());

const isKnown = (id: string) => bed.rows("select id from video_jobs where id = $1 and phase <> 'submitting'", [id]);

const lists = (): number => bed.harness.simulator.requests.filter(({ path }) => path.includes('/videos?')).length;

/** Puts the clock forward, and waits until the background has looked at the job. */
async function passes(id: string, byMs: number): Promise<void> {
  bed.clock.move(byMs);
  const due =
    "select id from video_jobs where id = $1 and (phase = 'ended' or due_at > $2) and leased_until = '-infinity'";
  const isDone = () => bed.rows(due, [id, new Date(bed.clock.nowMs())]);
  await expect.poll(isDone).toHaveLength(1);
}

test.each(['acme/lost', 'acme/gibberish'])(
  'VID-16 %s: it is not given twice, but looked for, found and paid for once',
  async (model) => {
    const owner = await bed.harness.account(1);
    const prompt = `A lost film of ${model}.`;
    const before = bed.orders().length;
    const id = await bed.order(owner.key, { model, prompt, duration: 4 });
    await expect.poll(() => isKnown(id)).toHaveLength(1);
    bed.clock.move(8_001);
    await bed.untilStatus(id, 'completed');
    expect(bed.orders().length).toBe(before + 1);
    expect((await bed.poll(owner.key, id)).body).toMatchObject({ usage: { cost: 0.4 } });
    expect(await bed.harness.spent(owner.key)).toBeCloseTo(0.4, 9);
  },
);

test('VID-16 and nobody else is where it may have been', async () => {
  const owner = await bed.harness.account(2);
  const before = bed.orders().length;
  const id = await bed.order(owner.key, { model: 'acme/unsure', prompt: 'Only once.', duration: 4 });
  await expect.poll(() => isKnown(id)).toHaveLength(1);
  bed.clock.move(8_001);
  await bed.untilStatus(id, 'completed');
  expect(bed.orders().length).toBe(before + 1);
  await bed.assertBalanced();
});

test('VID-21 it expires within ten minutes where it cannot be found, and is given back', async () => {
  const owner = await bed.harness.account(1);
  const before = bed.orders().length;
  const id = await bed.order(owner.key, { model: 'acme/between', duration: 4 });
  const looked = lists();
  await passes(id, 21_000);
  expect(lists()).toBeGreaterThan(looked);
  await passes(id, 9 * 60_000);
  expect((await bed.poll(owner.key, id)).body.status).toBe('pending');
  await passes(id, 40_000);
  const over = await bed.poll(owner.key, id);
  expect(over.body).toMatchObject({ status: 'failed', error: { code: 'expired' }, usage: { cost: 0 } });
  expect(bed.orders().length).toBe(before + 1);
  expect(await bed.harness.spent(owner.key)).toBe(0);
  await bed.assertBalanced();
});

test('VID-26 two orders that look alike are never mistaken for each other', async () => {
  const [one, other] = [await bed.harness.account(1), await bed.harness.account(1)];
  const order = { model: 'acme/lost', prompt: 'The same dream.', duration: 4 };
  const ids = await Promise.all([bed.order(one.key, order), bed.order(other.key, order)]);
  for (const id of ids) await passes(id, 25_000);
  const taken = await bed.rows('select upstream_job_id as taken from video_jobs where id = any ($1)', [ids]);
  expect(taken).toEqual([{ taken: null }, { taken: null }]);
  bed.clock.move(10 * 60_000);
  for (const id of ids) await bed.untilStatus(id, 'failed');
});
