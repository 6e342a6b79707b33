// Video jobs in real time, and the file at their end.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const headers = { authorization: 'Bearer any' };

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${simulator.url}/v1${path}`, { ...init, headers: { ...headers, ...init.headers } });
}

type Job = { id: string; status: string; error: { code: string } | null; seconds: string };

async function order(model: string): Promise<Job> {
  const body = JSON.stringify({ model, prompt: 'A lake.', seconds: '8' });
  return (await (await ask('/videos', { method: 'POST', body })).json()) as Job;
}

const poll = async (id: string): Promise<Job> => (await (await ask(`/videos/${id}`)).json()) as Job;

test('a job waits, is worked on, and is done, each for as long as it is told', async () => {
  const waiting = await order('sim-video-queue-600000');
  expect([waiting.status, (await poll(waiting.id)).status]).toEqual(['queued', 'queued']);
  const { id } = await order('sim-video-queue-0+video-run-600000');
  expect((await poll(id)).status).toBe('in_progress');
  expect((await ask(`/videos/${id}/content`)).status).toBe(400);
  const done = await order('sim-video-queue-0+video-run-0');
  expect(await poll(done.id)).toMatchObject({ status: 'completed', seconds: '8' });
});

test('it fails, is refused, gets stuck or vanishes on command', async () => {
  const done = 'sim-video-queue-0+video-run-0';
  expect((await poll((await order(`${done}+video-fails`)).id)).error?.code).toBe('video_generation_failed');
  expect((await poll((await order(`${done}+video-refused`)).id)).error?.code).toBe('moderation_blocked');
  expect((await poll((await order(`${done}+video-stuck`)).id)).status).toBe('in_progress');
  const { id } = await order(`${done}+video-vanishes`);
  expect((await ask(`/videos/${id}`)).status).toBe(404);
});

test('the file has the boxes of an MP4 file, and comes in parts', async () => {
  const { id } = await order('sim-video-queue-0+video-run-0+seconds-3');
  const file = Buffer.from(await (await ask(`/videos/${id}/content`)).arrayBuffer());
  expect([file.toString('latin1', 4, 8), file.readUInt32BE(0)]).toEqual(['ftyp', 28]);
  expect(file.toString('latin1', 32, 36)).toBe('moov');
  expect(file.readUInt32BE(28 + 8 + 8 + 12 + 4)).toBe(3_000);
  const part = await ask(`/videos/${id}/content`, { headers: { range: 'bytes=10-19' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${file.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(10, 20))).toBe(true);
  expect((await ask(`/videos/${id}/content`, { headers: { range: 'bytes=99999999-' } })).status).toBe(416);
});

test('an order whose answer is lost was taken all the same', async () => {
  const prompt = 'Lost on the way.';
  const body = JSON.stringify({ model: 'sim-reset', prompt, seconds: '4' });
  await expect(ask('/videos', { method: 'POST', body })).rejects.toThrow();
  const { data } = (await (await ask('/videos')).json()) as { data: { prompt: string }[] };
  expect(data.filter((job) => job.prompt === prompt)).toHaveLength(1);
});
