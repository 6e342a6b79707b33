// The video itself: all of it or the requested part, whether or not the upstream can send parts, and nothing that is
// not a video.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

const SIZE = 65_536;

let bed: VideoBed;
let key: string;
/** Finished jobs, of an upstream that sends parts and of one that does not. */
let jobs: Readonly<Record<'parts' | 'whole', string>>;
let file: Buffer;

type Got = Readonly<{ status: number; headers: Headers; bytes: Buffer }>;

async function get(id: string, headers: Record<string, string> = {}, query = '', method = 'GET'): Promise<Got> {
  const response = await fetch(`${bed.harness.url}/v1/videos/${id}/content${query}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...headers },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

async function finished(model: string): Promise<string> {
  const id = await bed.order(key, { model });
  expect((await bed.pollLater(key, id)).body.status).toBe('completed');
  return id;
}

beforeAll(async () => {
  bed = await VideoBed.open({
    'acme/film': video(QUICK),
    'acme/whole': video(`${QUICK}+no-ranges`),
    'acme/pair': video(`${QUICK}+outputs-2`),
    'acme/slow': video('video-run-600000'),
    'acme/broken': video(`${QUICK}+video-fails`),
  });
  ({ key } = await bed.harness.account());
  jobs = { parts: await finished('acme/film'), whole: await finished('acme/whole') };
  file = (await get(jobs.parts)).bytes;
});

afterAll(() => bed.close());

describe('200', () => {
  test('VID-23 both paths stream the MP4', async () => {
    expect(file.length).toBe(SIZE);
    expect(file.toString('latin1', 4, 12)).toBe('ftypisom');
    for (const path of [`/v1/videos/${jobs.parts}/content`, `/v1/video/generations/${jobs.parts}/content?index=0`]) {
      const response = await fetch(bed.harness.url + path, { headers: { Authorization: `Bearer ${key}` } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      expect(response.headers.get('content-length')).toBe(String(SIZE));
      expect(response.headers.get('accept-ranges')).toBe('bytes');
      expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
    }
    const sent = bed.harness.simulator.requests.at(-1);
    expect(sent?.headers.authorization).toBe('Bearer upstream-secret-key');
  });

  test.each(['parts', 'whole'] as const)('VID-23 HEAD says how large it is, and sends nothing (%s)', async (kind) => {
    const head = await get(jobs[kind], { Range: 'bytes=0-9' }, '', 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(SIZE), 0]);
    expect(head.headers.get('etag')).toBe(`"${jobs[kind]}-0"`);
  });

  test('VID-23 VID-26 every output has an index, and no other', async () => {
    const id = await finished('acme/pair');
    const polled = await bed.poll(key, id);
    expect(polled.body.unsigned_urls).toEqual([0, 1].map((index) => `/v1/videos/${id}/content?index=${index}`));
    expect((await get(id, {}, '?index=1')).status).toBe(200);
    expect(bed.harness.simulator.requests.at(-1)?.path).toMatch(/content\?index=1$/);
    for (const index of ['2', '9999999', '9'.repeat(400)])
      expect((await get(id, {}, `?index=${index}`)).status).toBe(404);
    for (const index of ['-1', 'x', '1.5', '']) expect((await get(id, {}, `?index=${index}`)).status).toBe(400);
    expect((await get(id, {}, '?variant=thumbnail')).status).toBe(400);
  });
});

describe.each(['parts', 'whole'] as const)('206 and 416, upstream sends %s', (kind) => {
  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=65000-', 65_000, SIZE],
    ['bytes=65000-999999', 65_000, SIZE],
    ['bytes=-100', SIZE - 100, SIZE],
    ['bytes=-999999', 0, SIZE],
    ['bytes=65000-99999999999999999999', 65_000, SIZE],
    ['bytes=-99999999999999999999', 0, SIZE],
    ['BYTES = 5-6', 5, 7],
  ])('VID-25 %s', async (range, from, to) => {
    const part = await get(jobs[kind], { Range: range });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to - 1}/${SIZE}`]);
    expect(part.headers.get('content-length')).toBe(String(to - from));
    expect(part.bytes.equals(file.subarray(from, to))).toBe(true);
  });

  test.each(['bytes=65536-', 'bytes=99999999-', 'bytes=9-5', 'bytes=-0', 'bytes=abc', 'bytes=', 'bytes=-', 'bytes=1'])(
    'VID-25 %s is 416',
    async (range) => {
      const refused = await get(jobs[kind], { Range: range });
      expect([refused.status, refused.headers.get('content-range')]).toEqual([416, `bytes */${SIZE}`]);
      expect(JSON.parse(refused.bytes.toString())).toMatchObject({ error: { code: 416 } });
    },
  );

  test.each(['items=0-5', 'bytes=0-1,5-9'])('VID-25 %s is passed over', async (range) => {
    const whole = await get(jobs[kind], { Range: range });
    expect([whole.status, whole.bytes.length]).toEqual([200, SIZE]);
  });

  test('VID-25 If-Range: a part only of the same file', async () => {
    const id = jobs[kind];
    const { headers } = await get(id);
    for (const same of [headers.get('etag') ?? '', headers.get('last-modified') ?? '']) {
      expect((await get(id, { Range: 'bytes=0-9', 'If-Range': same })).status).toBe(206);
    }
    for (const other of ['"another"', `W/${headers.get('etag')}`, 'Thu, 01 Jan 1970 00:00:00 GMT']) {
      const whole = await get(id, { Range: 'bytes=0-9', 'If-Range': other });
      expect([whole.status, whole.bytes.length]).toEqual([200, SIZE]);
    }
  });
});

describe('what is not there', () => {
  test('VID-24 a job that is not finished has no content, and a retry does not help', async () => {
    const slow = await bed.order(key, { model: 'acme/slow' });
    const broken = await bed.order(key, { model: 'acme/broken' });
    await bed.pollLater(key, broken);
    for (const id of [slow, broken]) {
      const refused = await get(id);
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([409, 'false']);
    }
  });

  test.each([
    ['status-500', 502],
    ['status-404', 404],
    ['status-401', 502],
    ['html', 502],
    ['error-200', 502],
    ['redirect', 502],
    ['reset', 502],
    ['close', 502],
    ['gzip', 502],
  ])('VID-23 an upstream that fails (%s) is no video', async (fault, status) => {
    // A question whose used connection is closed as it comes is asked once more.
    bed.harness.simulator.script(fault, { path: '/content', times: 2 });
    const failed = await get(jobs.parts);
    bed.harness.simulator.clearScripts();
    expect(failed.status, failed.bytes.toString()).toBe(status);
    expect(failed.bytes.toString()).not.toContain('simulated');
    expect((await get(jobs.parts)).bytes.equals(file)).toBe(true);
  });

  test('VID-23 VID-25 an upstream that breaks off is not taken for one that ended, and costs nothing more', async () => {
    const spent = await bed.harness.spent(key);
    bed.harness.simulator.script('short-body', { path: '/content' });
    await expect(get(jobs.parts)).rejects.toThrow();
    bed.harness.simulator.script(
      (_, response) => {
        response.writeHead(206, { 'content-type': 'video/mp4', 'content-range': 'bytes 500-509/1000' });
        response.end(Buffer.alloc(10));
        return undefined;
      },
      { path: '/content' },
    );
    expect((await get(jobs.parts, { Range: 'bytes=0-9' })).status).toBe(502);
    expect(await bed.harness.spent(key)).toBe(spent);
  });

  test('VID-23 whoever reads slowly slows the upstream down, and whoever leaves stops it', async () => {
    let sent = 0;
    let isClosed = false;
    bed.harness.simulator.script(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' });
        response.once('close', () => {
          isClosed = true;
        });
        const more = (): void => {
          while (!isClosed && sent < 1_000_000_000) {
            sent += SIZE;
            if (response.write(file)) continue;
            response.once('drain', more);
            return;
          }
        };
        more();
        return undefined;
      },
      { path: '/content' },
    );
    const { port, hostname } = new URL(bed.harness.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /v1/videos/${jobs.parts}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    socket.pause();
    await expect.poll(() => sent).toBeGreaterThan(0);
    // Until nothing more is sent: by then everything in between is full.
    for (let before = 0; before !== sent; ) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect(sent).toBeLessThan(40_000_000);
    expect(isClosed).toBe(false);
    socket.destroy();
    await expect.poll(() => isClosed).toBe(true);
  });
});

test('VID-26 A6 the content of another account is not there', async () => {
  const other = await bed.harness.account();
  const asked = bed.harness.simulator.requests.length;
  const answer = await bed.harness.request('GET', `/v1/videos/${jobs.parts}/content`, { key: other.key });
  expect([answer.status, (answer.body.error as Json).code]).toEqual([404, 404]);
  expect(bed.harness.simulator.requests.length).toBe(asked);
});
