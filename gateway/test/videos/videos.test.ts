// The life of a job as its owner sees it: ordered, asked about, finished, paid for, downloaded.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;
let key: string;

beforeAll(async () => {
  const models = {
    'acme/film': video(QUICK),
    'acme/slow': video('video-queue-400+video-run-600000'),
    'acme/short': video(`${QUICK}+seconds-3`),
    'acme/long': video(`${QUICK}+seconds-500`),
    'acme/longer': video(`${QUICK}+seconds-10`),
    'acme/silent': video(`${QUICK}+no-seconds`),
    'acme/broken': video(`${QUICK}+video-fails`),
    'acme/prude': video(`${QUICK}+video-refused`),
    'acme/odd': video('error-200'),
    'acme/busy': video('status-503'),
    'acme/strict': video('status-400'),
    'sold/film': video(QUICK),
    'sold/short': video(`${QUICK}+seconds-3`),
  };
  const markups = { 'sold/*': { percent: 25, add: { request: 0.05 } } };
  bed = await VideoBed.open(models, { document: { markups } });
  ({ key } = await bed.harness.account());
});

afterAll(() => bed.close());

describe('202', () => {
  test('VID-01 VID-18 both paths order the same thing', async () => {
    for (const path of ['/v1/videos', '/v1/video/generations']) {
      const answer = await bed.submit(key, { model: 'acme/film', duration: 8 }, path);
      expect([answer.status, answer.body.status]).toEqual([202, 'pending']);
      expect(answer.body.id).toMatch(/^vjob_[0-9a-f]{24}$/);
      expect(answer.headers.get('openai-poll-after-ms')).toBe('5000');
      expect(answer.body.polling_url).toBe(`https://gateway.example/v1/videos/${answer.body.id}`);
      expect(answer.body).not.toHaveProperty('usage');
      const polled = await bed.harness.request('GET', `${path}/${answer.body.id}`, { key });
      expect(polled.body.id).toBe(answer.body.id);
      await bed.pollLater(key, String(answer.body.id));
    }
    await bed.assertBalanced();
  });

  test('ERR-15 the record of a job is there from its order on, for its owner alone', async () => {
    const owner = await bed.harness.account(1);
    const ordered = await bed.submit(owner.key, { model: 'acme/film', duration: 8 });
    const id = String(ordered.body.generation_id);
    const find = (key: string) => bed.harness.request('GET', `/v1/generation?id=${id}`, { key });
    expect((await find(owner.key)).body.data).toMatchObject({
      ...{ id, operation: 'video', model: 'acme/film', provider: 'sim', key_id: owner.keyId },
      ...{ in_progress: true, finish_reason: null, usage: { cost: 0 }, cost_breakdown: { total: 0 } },
    });
    expect((await find(key)).status).toBe(404);
    const done = await bed.pollLater(owner.key, String(ordered.body.id));
    const { usage } = done.body as { usage: Json };
    expect((await find(owner.key)).body.data).toMatchObject({
      ...{ id, in_progress: false, finish_reason: 'completed', usage: { cost: usage.cost } },
    });
  });

  test('VID-06 what the model is asked for is what was ordered, with nothing left open', async () => {
    const body = { model: 'acme/film', resolution: '1080p', aspect_ratio: '9:16', seed: 7, watermark: true };
    const id = await bed.order(key, { ...body, generate_audio: false, unknown: 'x', n: 4 });
    expect(bed.orders().at(-1)).toEqual({
      model: `sim-${QUICK}`,
      prompt: 'A boat on a lake.',
      seconds: '4',
      size: '1080x1920',
      seed: 7,
      watermark: true,
      generate_audio: false,
    });
    await bed.pollLater(key, id);
  });

  test('VID-16 the worst case is held, and given back but for what it cost', async () => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model: 'acme/short', duration: 8 });
    const held = await bed.rows('select held_nano_usd as held from accounts where id = $1', [owner.userId]);
    expect(held).toEqual([{ held: '800000000' }]);
    expect((await bed.submit(owner.key, { model: 'acme/film' })).body).toMatchObject({
      error: { code: 'insufficient_credits' },
    });
    const done = await bed.pollLater(owner.key, id);
    expect(done.body).toMatchObject({ status: 'completed', usage: { cost: 0.3 }, seconds: '3' });
    expect(await bed.harness.spent(owner.key)).toBeCloseTo(0.3, 9);
    await bed.assertBalanced();
  });
});

describe('a model that is sold for more than it costs', () => {
  const explain = (id: unknown) => bed.harness.operate('GET', `/admin/v1/generations/${id}/explain`);

  test('is held, charged and explained at its price, and its cost is for the operator', async () => {
    const owner = await bed.harness.account(2);
    const id = await bed.order(owner.key, { model: 'sold/short', duration: 8 });
    const held = await bed.rows('select held_nano_usd as held from accounts where id = $1', [owner.userId]);
    expect(held).toEqual([{ held: '1050000000' }]);
    const done = await bed.pollLater(owner.key, id);
    expect(done.body).toMatchObject({ status: 'completed', seconds: '3', usage: { cost: 0.425 } });
    expect(done.text).not.toMatch(/upstream|margin|markup/i);
    expect(await bed.harness.spent(owner.key)).toBe(0.425);
    const [record] = await bed.rows('select generation_id as id from video_jobs where id = $1', [id]);
    const told = await explain(record?.id);
    expect(told).toMatchObject({ chargedUsd: '0.425', upstreamUsd: '0.3', marginUsd: '0.125' });
    const { topModels } = await bed.harness.operate('GET', '/admin/v1/overview');
    const sold = (topModels as Json[]).find(({ model }) => model === 'sold/short');
    expect(sold).toMatchObject({ revenueUsd: 0.425, markupUsd: 0.125 });
    await bed.assertBalanced();
  });

  test('is not made for who could pay for what it costs alone', async () => {
    const { key: poor } = await bed.harness.account(1);
    const refused = await bed.submit(poor, { model: 'sold/film', duration: 8 });
    expect([refused.status, refused.body]).toMatchObject([402, { error: { code: 'insufficient_credits' } }]);
  });
});

describe('the poll', () => {
  test('VID-18 VID-20 a finished job shows its cost and where it can be had', async () => {
    const id = await bed.order(key, { model: 'acme/film', duration: 12 });
    const done = await bed.pollLater(key, id);
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({
      id,
      object: 'video',
      status: 'completed',
      model: 'acme/film',
      progress: 100,
      seconds: '12',
      size: '1280x720',
      error: null,
      usage: { cost: 1.2 },
      unsigned_urls: [`/v1/videos/${id}/content?index=0`],
    });
    expect(done.body.completed_at).toBeGreaterThanOrEqual(Number(done.body.created_at));
    const [record] = await bed.rows<Json>(
      `select g.cost_nano_usd as cost, g.operation, g.finish_reason as finish from generations g
       join video_jobs v on v.generation_id = g.id where v.id = $1`,
      [id],
    );
    expect(record).toEqual({ cost: '1200000000', operation: 'video', finish: 'completed' });
  });

  test('VID-19 VID-22 AMB-33 the upstream is asked again after eight seconds, and a job never goes back', async () => {
    const id = await bed.order(key, { model: 'acme/slow' });
    const asked = (): number => bed.harness.simulator.requests.filter(({ path }) => path.includes('/videos/')).length;
    const before = asked();
    for (let round = 0; round < 5; round += 1) expect((await bed.poll(key, id)).body.status).toBe('pending');
    expect(asked()).toBe(before);
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect((await bed.pollLater(key, id)).body.status).toBe('in_progress');
    expect(asked()).toBe(before + 1);
    expect((await bed.pollLater(key, id, 7_000)).body.status).toBe('in_progress');
    expect(asked()).toBe(before + 1);
    bed.harness.simulator.script((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'video_x', status: 'queued' }));
      return undefined;
    });
    expect((await bed.pollLater(key, id, 1_500)).body.status).toBe('in_progress');
    expect(asked()).toBe(before + 2);
    await bed.rows("update video_jobs set expires_at = now() - interval '1 day' where id = $1", [id]);
    expect((await bed.pollLater(key, id)).body.status).toBe('failed');
  });

  test('VID-22 many polls at once ask the upstream once', async () => {
    const id = await bed.order(key, { model: 'acme/film' });
    const before = bed.harness.simulator.requests.length;
    bed.clock.move(8_001);
    const answers = await Promise.all(Array.from({ length: 12 }, () => bed.poll(key, id)));
    expect(bed.harness.simulator.requests.length).toBe(before + 1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await bed.untilStatus(id, 'completed');
    const charges = await bed.rows(
      `select e.id from journal_entries e join video_jobs v on v.generation_id = e.generation_id where v.id = $1`,
      [id],
    );
    expect(charges).toHaveLength(1);
  });

  test('VID-20 more than was ordered is paid for, up to half more; a length that is not stated is the ordered one', async () => {
    const lengths = [
      ['acme/silent', '8', 0.8],
      ['acme/longer', '10', 1],
      ['acme/long', '500', 1.2],
    ] as const;
    for (const [model, seconds, cost] of lengths) {
      const owner = await bed.harness.account(20);
      const id = await bed.order(owner.key, { model, duration: 8 });
      expect((await bed.pollLater(owner.key, id)).body).toMatchObject({
        status: 'completed',
        seconds,
        usage: { cost },
      });
      expect(await bed.harness.spent(owner.key)).toBe(cost);
    }
    const absorbed = await bed.harness.operate('GET', '/admin/v1/absorbed');
    expect(absorbed).toMatchObject({
      users: [{ reasons: [{ reason: 'implausible', absorbedUsd: 48.8, calls: 1 }] }],
    });
    await bed.assertBalanced();
  });

  test('VID-20 of what a video took beyond its order, nothing is charged that is not there', async () => {
    const owner = await bed.harness.account(0.9);
    const id = await bed.order(owner.key, { model: 'acme/longer', duration: 8 });
    const { body } = await bed.pollLater(owner.key, id);
    expect(body).toMatchObject({ status: 'completed' });
    expect(Number((body.usage as Json).cost)).toBeLessThanOrEqual(0.9);
    expect(await bed.harness.spent(owner.key)).toBe((body.usage as Json).cost);
    await bed.assertBalanced();
  });

  test.each([
    ['acme/broken', 'generation_failed'],
    ['acme/prude', 'content_moderation'],
  ])('VID-21 %s: a failure refunds everything and says why in our words', async (model, code) => {
    const owner = await bed.harness.account(1);
    const id = await bed.order(owner.key, { model, duration: 8 });
    const failed = await bed.pollLater(owner.key, id);
    expect(failed.body).toMatchObject({ status: 'failed', error: { code }, usage: { cost: 0 } });
    expect(failed.text).not.toContain('render-7');
    expect(failed.body).not.toHaveProperty('unsigned_urls');
    expect(await bed.harness.spent(owner.key)).toBe(0);
    expect((await bed.submit(owner.key, { model: 'acme/film', duration: 8 })).status).toBe(202);
  });

  test('VID-26 another account, and a job that never was', async () => {
    const id = await bed.order(key, { model: 'acme/film' });
    const other = await bed.harness.account();
    for (const path of [`/v1/videos/${id}`, `/v1/videos/${id}/content`, `/v1/video/generations/${id}`]) {
      expect((await bed.harness.request('GET', path, { key: other.key })).status).toBe(404);
      expect((await bed.harness.request('GET', path)).status).toBe(401);
    }
    for (const unknown of ['vjob_000000000000000000000000', 'vjob_x', "vjob_'", 'gen-1']) {
      expect((await bed.poll(key, unknown)).status).toBe(404);
    }
  });

  test('VID-26 the job of a colleague, for the key of a plain member', async () => {
    const { harness } = bed;
    const [boss, ann, bob] = [await harness.account(), await harness.account(), await harness.account()];
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: boss.userId });
    await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 100, note: 'test' });
    const keyOf = async (userId: string, keyType: string): Promise<string> =>
      String((await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'k', keyType, userId })).key);
    const bossKey = await keyOf(boss.userId, 'management');
    for (const { userId } of [ann, bob]) {
      const { email } = await harness.operate('GET', `/admin/v1/users/${userId}`);
      const members = `/v1/orgs/${org.id}/members`;
      expect((await harness.request('POST', members, { key: bossKey, body: { email } })).status).toBe(201);
    }
    const [annsKey, bobsKey] = [await keyOf(ann.userId, 'standard'), await keyOf(bob.userId, 'standard')];
    const id = await bed.order(annsKey, { model: 'acme/film' });
    const seen = async (who: string): Promise<unknown[]> => {
      const { body } = await harness.request('GET', '/v1/videos', { key: who });
      const paths = [`/v1/videos/${id}`, `/v1/videos/${id}/content`];
      const statuses = await Promise.all(
        paths.map(async (path) => (await harness.request('GET', path, { key: who })).status),
      );
      return [(body.data as Json[]).length, ...statuses];
    };
    expect(await seen(bobsKey)).toEqual([0, 404, 404]);
    expect(await seen(annsKey)).toEqual([1, 200, 409]);
    expect(await seen(bossKey)).toEqual([1, 200, 409]);
  });

  test('VID-01 an owner finds the jobs of the account, the newest first', async () => {
    const owner = await bed.harness.account();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift(await bed.order(owner.key, { model: 'acme/film' }));
      bed.clock.move(1);
    }
    const first = await bed.harness.request('GET', '/v1/videos?limit=2', { key: owner.key });
    expect((first.body.data as Json[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.body).toMatchObject({ object: 'list', has_more: true, last_id: ids[1] });
    const rest = await bed.harness.request('GET', `/v1/videos?limit=2&after=${ids[1]}`, { key: owner.key });
    expect((rest.body.data as Json[]).map(({ id }) => id)).toEqual([ids[2]]);
    expect((await bed.harness.request('GET', `/v1/videos?after=${ids[1]}`, { key })).body.data).toEqual([]);
  });
});

describe('an order that nobody takes', () => {
  test.each([
    ['acme/busy', 502, 'upstream_unavailable'],
    ['acme/odd', 502, 'upstream_unavailable'],
    ['acme/strict', 400, 'unknown_4xx'],
  ])('VID-16 %s: nothing stays held, and there is no job', async (model, status, code) => {
    const owner = await bed.harness.account(1);
    const answer = await bed.submit(owner.key, { model });
    expect([answer.status, (answer.body.error as Json).code]).toEqual([status, code]);
    expect((await bed.harness.request('GET', '/v1/videos', { key: owner.key })).body.data).toEqual([]);
    const held = await bed.rows('select held_nano_usd as held from accounts where id = $1', [owner.userId]);
    expect(held).toEqual([{ held: '0' }]);
  });
});
