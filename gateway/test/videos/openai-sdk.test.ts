// The most widely used SDK, unchanged: it sends forms, and reads members that the specification does not name.

import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QUICK, VideoBed, video } from './video-bed.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

let bed: VideoBed;
let client: OpenAI;
let requests = 0;

beforeAll(async () => {
  bed = await VideoBed.open({ 'acme/film': video(QUICK), 'acme/slow': video('video-run-600000') });
  const { key } = await bed.harness.account();
  const counting: typeof fetch = (url, init) => {
    requests += 1;
    return fetch(url, init);
  };
  client = new OpenAI({ apiKey: key, baseURL: `${bed.harness.url}/v1`, fetch: counting });
});

afterAll(() => bed.close());

test('VID-01 VID-18 VID-20 VID-23 create, retrieve, downloadContent', async () => {
  const created = await client.videos.create({ model: 'acme/film', prompt: 'A lake.', seconds: '8', size: '720x1280' });
  expect(created).toMatchObject({
    object: 'video',
    status: 'pending',
    model: 'acme/film',
    seconds: '8',
    size: '720x1280',
  });
  expect(bed.orders().at(-1)).toMatchObject({ prompt: 'A lake.', seconds: '8', size: '720x1280' });
  await bed.pollLater(String(client.apiKey), created.id);
  const done = await client.videos.retrieve(created.id);
  expect(done).toMatchObject({ id: created.id, status: 'completed', progress: 100, error: null });
  expect(done.completed_at).toBeGreaterThanOrEqual(created.created_at);
  const content = await client.videos.downloadContent(created.id);
  expect(content.headers.get('content-type')).toBe('video/mp4');
  expect((await content.arrayBuffer()).byteLength).toBe(65_536);
  const listed = await client.videos.list();
  expect(listed.data.map(({ id }) => id)).toContain(created.id);
});

test('VID-01 VID-12 a picture as a file goes on as a file, and one by its address as an address', async () => {
  const input_reference = await toFile(PNG, 'cat.bin', { type: 'text/html' });
  const created = await client.videos.create({ model: 'acme/film', prompt: 'A cat.', seconds: '4', input_reference });
  const { form } = bed.harness.simulator.requests.findLast(({ method }) => method === 'POST') ?? {};
  expect(form?.fields).toMatchObject({ prompt: 'A cat.', seconds: '4' });
  expect(form?.files).toEqual([
    { name: 'input_reference', fileName: 'reference.png', contentType: 'image/png', bytes: PNG },
  ]);
  const [job] = await bed.rows('select task from video_jobs where id = $1', [created.id]);
  expect(job).toEqual({ task: 'image_to_video' });
  const unreachable = { image_url: 'https://nowhere.example/cat.png' };
  const refused = client.videos.create({ model: 'acme/film', prompt: 'A cat.', input_reference: unreachable });
  await expect(refused).rejects.toThrow(/input_reference could not be reached/);
  const text = await toFile(Buffer.from('<html>'), 'cat.png', { type: 'image/png' });
  const page = client.videos.create({ model: 'acme/film', prompt: 'A cat.', input_reference: text });
  await expect(page).rejects.toThrow(/must be a PNG/);
});

test("VID-02 VID-24 its errors are the SDK's own, and an early download is not repeated", async () => {
  await expect(client.videos.create({ model: 'acme/film', prompt: '' })).rejects.toThrow(OpenAI.BadRequestError);
  await expect(client.videos.retrieve('vjob_000000000000000000000000')).rejects.toThrow(OpenAI.NotFoundError);
  const { id } = await client.videos.create({ model: 'acme/slow', prompt: 'Slow.' });
  const before = requests;
  await expect(client.videos.downloadContent(id)).rejects.toThrow(OpenAI.ConflictError);
  expect(requests).toBe(before + 1);
});
