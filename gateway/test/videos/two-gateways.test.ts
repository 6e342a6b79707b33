// Two gateways behind one address: they share the work and the money, and an upstream gets each question once.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import type { Answer, Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { QUICK, video } from './video-bed.ts';

const clock = new ShiftedClock();
clock.stop();
let gateways: Gateways;

beforeAll(async () => {
  gateways = await startTwoGateways({ models: { 'acme/film': video(QUICK) }, start: { clock } });
});

afterAll(() => gateways.close());

const order = async (key: string, index: number): Promise<Answer> => {
  const gateway = index % 2 === 0 ? gateways.first : gateways.second;
  const body = { model: 'acme/film', prompt: 'x', duration: 4 };
  // On a busy machine the database may answer too late for a decision.
  const answer = await gateway.request('POST', '/v1/videos', { key, body });
  return answer.status === 503 ? order(key, index) : answer;
};

test('VID-16 RACE-1 as many orders are taken as can be paid for, whoever takes them', async () => {
  const { key, userId } = await gateways.first.account('2.10');
  const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => order(key, index)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(5);
  expect(statuses.filter((status) => status === 402)).toHaveLength(19);
  expect(await gateways.rows('select held_nano_usd as held from accounts where id = $1', [userId])).toEqual([
    { held: '2000000000' },
  ]);
  clock.move(8_001);
  const open = () => gateways.rows("select id from video_jobs where phase <> 'ended'");
  await vi.waitFor(async () => expect(await open()).toEqual([]), PATIENCE_MS);
  expect(await gateways.first.spent(key)).toBe(2);
  expect(await gateways.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('VID-22 polls of both ask the upstream once, and either shows what the other found', async () => {
  const { key } = await gateways.first.account();
  const { id } = (await order(key, 0)).body;
  const asked = (): number => gateways.first.simulator.requests.filter(({ method }) => method === 'GET').length;
  const before = asked();
  clock.move(8_001);
  const poll = (index: number) =>
    (index % 2 === 0 ? gateways.first : gateways.second).request('GET', `/v1/videos/${id}`, { key });
  await Promise.all(Array.from({ length: 10 }, (_, index) => poll(index)));
  await vi.waitFor(async () => expect((await poll(1)).body.status).toBe('completed'), PATIENCE_MS);
  expect(asked()).toBe(before + 1);
  expect(((await poll(0)).body.usage as Json).cost).toBe(0.4);
  const charges = await gateways.rows(
    'select e.id from journal_entries e join video_jobs v on v.generation_id = e.generation_id where v.id = $1',
    [id],
  );
  expect(charges).toHaveLength(1);
});
