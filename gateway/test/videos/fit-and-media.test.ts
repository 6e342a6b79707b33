// What an order may contain and refer to: the model's own limits, the pictures and videos that come with it, and where
// their addresses may lead.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { movie } from './movie.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;
let key: string;
let media: Server;
let mediaUrl: string;
const asked: IncomingMessage[] = [];
let showSlow = (): void => {};

const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/cat.png': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  '/slow.png': (_, response) => {
    showSlow = () => response.writeHead(200, { 'content-type': 'image/png' }).end('png');
  },
  '/huge.png': (_, response) => response.end(Buffer.alloc(1024 * 1024)),
  '/private.png': (_, response) => response.writeHead(401).end('sign in'),
  '/three.mp4': (request, response) => sendPart(request, response, movie(3)),
  '/late.mp4': (request, response) => sendPart(request, response, movie(2.5, { isMovieLast: true, filler: 2_000_000 })),
  '/whole.mp4': (_, response) => response.end(movie(3, { filler: 10_000 })),
  '/endless.mp4': (request, response) => sendPart(request, response, movie(86_000)),
  '/page.mp4': (_, response) => response.end('<html>not a video</html>'),
  '/moved.mp4': (_, response) => response.writeHead(302, { location: '/three.mp4' }).end(),
  '/inside.mp4': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/x.mp4' }).end(),
};

function sendPart({ headers }: IncomingMessage, response: ServerResponse, file: Buffer): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const [from, to] = [Number(first), Math.min(Number(last), file.length - 1)];
  response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${file.length}` });
  response.end(file.subarray(from, to + 1));
}

beforeAll(async () => {
  media = createServer((request, response) => {
    asked.push(request);
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve));
  mediaUrl = `http://media.example:${(media.address() as AddressInfo).port}`;
  bed = await VideoBed.open({
    'acme/film': video(QUICK),
    'acme/plain': video(QUICK, { video: undefined }),
    'acme/text': video(QUICK, { input_modalities: ['text'] }),
    'acme/frames': video(QUICK, { video: { tasks: ['image_to_video', 'edit'] } }),
    'acme/dear': video(QUICK, {
      video: { resolutions: ['720p', '1080p'], resolution_multipliers: { '1080p': '2.5' }, audio_multiplier: 1.5 },
    }),
    'acme/open': video(QUICK, { video: { resolution_multipliers: { '1080p': '2.5', '4k': '6' } } }),
    'acme/unpriced': video(QUICK, { pricing: { image: '1' } }),
    'acme/old': video(QUICK, { deprecation_date: '2020-01-01' }),
  });
  ({ key } = await bed.harness.account(1_000));
});

afterAll(async () => {
  await bed.close();
  media.closeAllConnections();
  await new Promise((resolve) => media.close(resolve));
});

const refusal = async (body: Json): Promise<string> => {
  const answer = await bed.submit(key, { model: 'acme/film', ...body });
  expect(answer.status, JSON.stringify(body) + answer.text).toBe(400);
  return String((answer.body.error as Json).message);
};

/** The last order that reached the upstream. */
const ordered = async (body: Json): Promise<Json> => {
  await bed.order(key, { model: 'acme/film', ...body });
  return bed.orders().at(-1) ?? {};
};

const costOf = async (body: Json): Promise<unknown> => {
  const id = await bed.order(key, { model: 'acme/film', ...body });
  return ((await bed.pollLater(key, id)).body.usage as Json).cost;
};

describe('limits of the model', () => {
  test('VID-02 model and prompt are needed, and a retired model is gone', async () => {
    expect(await refusal({ prompt: undefined })).toBe('prompt is required.');
    expect(await refusal({ prompt: '' })).toBe('prompt is required.');
    expect(await refusal({ model: undefined })).toBe('model is required.');
    expect((await bed.submit(key, { model: 'acme/old' })).status).toBe(410);
    expect((await bed.submit(key, { model: 'openai/test' })).body).toMatchObject({
      error: { code: 'model_endpoint_mismatch' },
    });
    const unpriced = await bed.submit(key, { model: 'acme/unpriced' });
    expect(unpriced.body).toMatchObject({ error: { code: 'model_not_priced' } });
    expect((await bed.harness.chat(key, { model: 'acme/film' })).body).toMatchObject({
      error: { code: 'wrong_endpoint_for_video' },
    });
  });

  test('VID-03 VID-04 VID-05 what the model does not make is refused with what it makes', async () => {
    expect(await refusal({ duration: 5 })).toContain('4, 8 or 12');
    expect(await refusal({ duration: 4, seconds: '8' })).toContain('duration');
    expect(await refusal({ resolution: '480p' })).toContain('720p or 1080p');
    expect(await refusal({ size: '640x480' })).toContain('720p or 1080p');
    expect(await refusal({ size: '1280x720', resolution: '1080p' })).toContain('contradicts');
    expect(await refusal({ aspect_ratio: '1:1' })).toContain('16:9 or 9:16');
    expect(await ordered({ size: '1920x1080', seconds: '12' })).toMatchObject({ size: '1920x1080', seconds: '12' });
    expect(await ordered({ model: 'acme/plain', duration: 7 })).toEqual({
      model: `sim-${QUICK}`,
      prompt: 'A boat on a lake.',
      seconds: '7',
    });
    expect(await refusal({ model: 'acme/plain', duration: 61 })).toContain('at most 60');
  });

  test('VID-05 a frame fixes the ratio, whatever is wished for', async () => {
    const order = await ordered({ frame_images: [`${mediaUrl}/cat.png`], aspect_ratio: '1:1' });
    expect(order).not.toHaveProperty('aspect_ratio');
    expect(order).toMatchObject({ input_reference: { image_url: `${mediaUrl}/cat.png` }, resolution: '720p' });
  });

  test('VID-16 resolution and sound cost what the catalog says', async () => {
    expect(await costOf({ model: 'acme/dear', duration: 10 })).toBe(1);
    expect(await costOf({ model: 'acme/dear', duration: 10, resolution: '1080p' })).toBe(2.5);
    expect(await costOf({ model: 'acme/dear', duration: 10, size: '1920x1080', generate_audio: true })).toBe(3.75);
    expect(bed.orders().at(-3)).toMatchObject({ generate_audio: false });
    const listed = await bed.harness.request('GET', '/v1/models?output_modalities=video');
    expect((listed.body.data as Json[]).find(({ id }) => id === 'acme/dear')?.video).toMatchObject({
      resolution_multipliers: { '1080p': '2.5' },
      audio_multiplier: '1.5',
    });
  });
});

test.each<[Json, number]>([
  [{ resolution: '720p' }, 1],
  [{ resolution: '1080P' }, 2.5],
  [{ size: '1920x1088' }, 2.5],
  [{ size: '9800x720' }, 6],
  [{ resolution: '2160p' }, 6],
  [{ resolution: '4K' }, 6],
  [{ resolution: '10bit' }, 6],
  [{ size: '1680x720' }, 1],
])('VID-16 where any resolution is taken, another name for a dear one is as dear: %j', async (wish, cost) => {
  expect(await costOf({ model: 'acme/open', duration: 10, ...wish })).toBe(cost);
});

describe('pictures', () => {
  test('VID-07 VID-08 VID-12 frames by name or by place', async () => {
    const url = `${mediaUrl}/cat.png`;
    const frame = (frame_type?: string): Json => ({ type: 'image_url', image_url: { url }, frame_type });
    const both = {
      frame_images: [
        { type: 'image_url', image_url: { url }, frame_type: 'first_frame' },
        { type: 'image_url', image_url: { url }, frame_type: 'last_frame' },
      ],
    };
    expect(await ordered({ frame_images: [url, url] })).toMatchObject(both);
    expect(await ordered({ frame_images: [frame('last_frame'), frame('first_frame')] })).toMatchObject(both);
    expect(await ordered({ frame_images: [frame()] })).toMatchObject({ input_reference: { image_url: url } });
    expect(await refusal({ frame_images: [url, url, url] })).toContain('at most 2');
    expect(await refusal({ frame_images: [frame('last_frame')] })).toContain('first_frame');
    expect(await refusal({ frame_images: [frame('first_frame'), frame('first_frame')] })).toContain('twice');
    expect(await refusal({ frame_images: [frame('middle')] })).toContain('frame_type');
    expect(await refusal({ frame_images: 'x' })).toContain('frame_images');
  });

  test('VID-09 one to nine references', async () => {
    const url = `${mediaUrl}/cat.png`;
    const nine = Array.from({ length: 9 }, () => ({ type: 'image_url', image_url: { url } }));
    expect(await ordered({ input_references: nine })).toMatchObject({ input_references: nine });
    expect(await refusal({ input_references: [] })).toContain('1 to 9');
    expect(await refusal({ input_references: [...nine, url] })).toContain('1 to 9');
    expect(await refusal({ input_references: [url], frame_images: [url] })).toContain('combined');
  });

  test('VID-14 what the model does not take is refused', async () => {
    const url = `${mediaUrl}/cat.png`;
    expect(await refusal({ model: 'acme/text', frame_images: [url] })).toContain('does not take images');
    expect(await refusal({ model: 'acme/text', input_video: url })).toContain('does not take video');
    expect(await refusal({ model: 'acme/frames' })).toContain('a text alone');
    expect(await refusal({ model: 'acme/frames', frame_images: [url, url] })).toContain('a first and a last frame');
  });

  test('VID-15 what cannot be had by everybody is refused', async () => {
    for (const path of ['/private.png', '/missing.png']) {
      expect(await refusal({ frame_images: [mediaUrl + path] })).toMatch(/^frame_images\[0\].*public/);
    }
    expect(await refusal({ frame_images: [`${mediaUrl}/private.png`] })).toContain('needs a sign-in');
    expect(await refusal({ frame_images: [`${mediaUrl}/missing.png`] })).toContain('answers with the status 404');
    expect(await refusal({ input_references: ['https://nowhere.example/x.png'] })).toContain('could not be reached');
    expect(await refusal({ input_references: ['data:image/png;base64,AAAA'] })).toContain('public URL');
    const own = await bed.order(key, { model: 'acme/film' });
    expect(await refusal({ input_video: `${bed.harness.url}/v1/videos/${own}/content` })).toContain('public');
    await ordered({ frame_images: [`${mediaUrl}/huge.png`] });
  });
});

describe('videos', () => {
  test('VID-10 VID-12 VID-13 VID-17 an edit costs what goes in and what comes out, a continuation what comes out', async () => {
    const url = `${mediaUrl}/three.mp4`;
    expect(await costOf({ input_video: url })).toBe(0.6);
    expect(bed.orders().at(-1)).toMatchObject({ input_video: url, seconds: '3' });
    expect(await costOf({ input_video: { url }, duration: 2 })).toBe(0.5);
    expect(await costOf({ input_video: { video_url: { url } }, duration: 8 })).toBe(0.8);
    expect(bed.orders().at(-1)).toMatchObject({ input_video: url, seconds: '8' });
    const tasks = await bed.rows('select task from video_jobs where input_ms > 0 or task = $1 order by created_at', [
      'continuation',
    ]);
    expect(tasks.map(({ task }) => task)).toEqual(['edit', 'edit', 'continuation']);
  });

  test('VID-13 the length is found wherever it stands', async () => {
    expect(await costOf({ input_video: `${mediaUrl}/late.mp4`, duration: 1 })).toBe(0.35);
    expect(await costOf({ input_video: `${mediaUrl}/whole.mp4`, duration: 1 })).toBe(0.4);
    expect(await costOf({ input_video: `${mediaUrl}/moved.mp4`, duration: 1 })).toBe(0.4);
    expect(await refusal({ input_video: `${mediaUrl}/page.mp4` })).toContain('length cannot be read');
    expect(await refusal({ input_video: `${mediaUrl}/endless.mp4` })).toContain('600 seconds');
    expect(await refusal({ input_video: 7 })).toContain('input_video');
  });
});

test('VID-15 a redirect to a local address is not followed', async () => {
  const before = asked.length;
  expect(await refusal({ input_video: `${mediaUrl}/inside.mp4` })).toContain('must not lead to a private');
  expect(asked.length).toBe(before + 1);
});

test('BILL-08 a client that leaves while its pictures are looked at has ordered nothing', async () => {
  const [before, looked] = [bed.orders().length, asked.length];
  const leaving = new AbortController();
  const left = fetch(`${bed.harness.url}/v1/videos`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'acme/film', prompt: 'x', frame_images: [`${mediaUrl}/slow.png`] }),
  });
  await vi.waitFor(() => expect(asked.length).toBe(looked + 1), { timeout: PATIENCE_MS, interval: 20 });
  leaving.abort();
  await expect(left).rejects.toThrow();
  // The gateway has heard of it when it answers what was sent after it.
  expect((await fetch(`${bed.harness.url}/healthz`)).status).toBe(200);
  showSlow();
  // A later order is the only one that its provider gets.
  await ordered({ frame_images: [`${mediaUrl}/cat.png`] });
  expect(bed.orders().length).toBe(before + 1);
});
