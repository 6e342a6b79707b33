// Addresses of pictures: what they show, for how long, and that nobody can make one, change one or point one elsewhere.

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePng } from '@tollgate/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ImageToken, openImageToken, sealImageToken } from '../../src/modules/media/media.ts';
import { mediaNameOf } from '../../src/modules/media/media-store.ts';
import { deriveKey, seal } from '../../src/platform/crypto.ts';
import { SetClock } from '../caps/set-clock.ts';
import type { Harness } from '../harness.ts';
import { download, paint, startImages, urlsOf } from './image-harness.ts';
import { randomMutations } from './mutations.ts';

const SECRET = 'a-secret-of-the-proxy-tests-a-secret';
const key = deriveKey(SECRET, 'image-proxy');
const START = '2026-03-01T10:00:00.000Z';
const clock = new SetClock(START);

let harness: Harness;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-media-'));
  const env = { TOLLGATE_SECRET: SECRET, TOLLGATE_DATA_DIR: folder };
  harness = await startImages({ env, start: { clock } });
});

afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

async function freshUrl(model = 'acme/painter'): Promise<string> {
  clock.set(START);
  const { key: apiKey } = await harness.account(5);
  return urlsOf(await paint(harness, apiKey, { model }))[0] ?? '';
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** As only the gateway itself could make it. */
function tokenFor(path: string, name: string): string {
  const expiresAtMs = Date.parse(START) + 60_000;
  const url = path.startsWith('http') ? path : `${harness.simulator.url}${path}`;
  return sealImageToken(key, { name, type: 'image/png', url, expiresAtMs });
}

const proxied = (token: string): string => `${harness.url}/v1/images/proxy/${token}`;

describe('what is served', () => {
  test('IMG-13 AUTH-03 the bytes, to anybody, and nothing else can be made of them', async () => {
    const url = await freshUrl();
    const { status, headers, bytes } = await download(url);
    expect(status).toBe(200);
    expect(bytes.equals(makePng(1))).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline; filename="image.png"',
      'cache-control': 'private, max-age=3600, immutable',
      'access-control-allow-origin': '*',
    });
    expect(headers.get('x-request-id')).toMatch(/^req-/);
    // The older prefix leads to the same picture.
    expect((await download(url.replace('/v1/', '/api/v1/'))).bytes.equals(bytes)).toBe(true);
  });

  test('IMG-13 HEAD has the same headers and no bytes', async () => {
    const url = await freshUrl();
    const [whole, head] = [await download(url), await download(url, { method: 'HEAD' })];
    const stable = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => !['x-request-id', 'date', 'connection', 'keep-alive'].includes(name));
    expect(head.status).toBe(200);
    expect(stable(head)).toEqual(stable(whole));
    expect(head.bytes).toHaveLength(0);
  });

  test('IMG-13 what we have lost is fetched again from where the upstream has it, if it is still the same', async () => {
    const url = await freshUrl('acme/linker');
    await rm(join(folder, 'media'), { recursive: true, force: true });
    harness.simulator.clearRequests();
    expect((await download(url)).bytes.equals(makePng(1))).toBe(true);
    expect(harness.simulator.requests.map(({ path }) => path)).toEqual(['/sim-picture-1/v1/images/file']);
    expect((await download(url)).bytes.equals(makePng(1))).toBe(true);
    expect(harness.simulator.requests).toHaveLength(1);
    await rm(join(folder, 'media'), { recursive: true, force: true });
    harness.simulator.script('picture-2', { times: 1, path: '/sim-picture-1/v1/images/file' });
    expect((await download(url)).status).toBe(502);
  });

  test('IMG-14 a picture that is gone for good is unknown', async () => {
    const url = await freshUrl();
    await rm(join(folder, 'media'), { recursive: true, force: true });
    expect((await download(url)).status).toBe(404);
  });

  test('IMG-14 for an hour, and not a second longer', async () => {
    const url = await freshUrl();
    clock.set('2026-03-01T10:59:59.000Z');
    const late = await download(url);
    expect([late.status, late.headers.get('cache-control')]).toEqual([200, 'private, max-age=1, immutable']);
    for (const iso of ['2026-03-01T11:00:00.000Z', '2026-03-01T11:00:01.000Z']) {
      clock.set(iso);
      const over = await download(url);
      expect(over.status).toBe(404);
      expect(JSON.parse(over.bytes.toString())).toMatchObject({ error: { code: 404 } });
      expect((await download(url, { method: 'HEAD' })).status).toBe(404);
    }
    clock.set(START);
  });
});

describe('what lies behind an address is looked at, however it got there', () => {
  test.each([
    ['HTML', '/sim-image-html/v1/images/file'],
    ['SVG', '/sim-image-svg/v1/images/file'],
    ['garbage', '/sim-image-garbage/v1/images/file'],
    ['half a picture', '/sim-image-cut/v1/images/file'],
  ])('A13 IMG-13 %s is refused', async (_, path) => {
    clock.set(START);
    const { bytes } = await download(harness.simulator.url + path);
    const answer = await download(proxied(tokenFor(path, digestOf(bytes))));
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({ error: { code: 'pipeline_error' } });
  });

  test.each([
    ['a private network', 'http://169.254.169.254/latest/meta-data'],
    ['an own network', 'http://10.0.0.1/a.png'],
    ['another protocol', 'ftp://example.com/a.png'],
    ['a file', 'file:///etc/passwd'],
  ])('A13 SSRF-1 %s is not asked', async (_, url) => {
    clock.set(START);
    const answer = await download(proxied(tokenFor(url, digestOf(makePng(77)))));
    expect(answer.status).toBe(502);
    expect(answer.bytes.toString()).not.toMatch(/169\.254|10\.0\.0\.1|passwd/);
  });

  test('A13 another picture than the one that was meant is refused', async () => {
    clock.set(START);
    const token = tokenFor('/sim-picture-1/v1/images/file', digestOf(makePng(2)));
    expect((await download(proxied(token))).status).toBe(502);
  });

  test('A13 a redirect is followed only to where it may lead', async () => {
    clock.set(START);
    const path = '/sim-picture-3/v1/images/file';
    const redirect = (location: string): void =>
      harness.simulator.script(
        (_, response) => {
          response.writeHead(302, { location }).end();
          return undefined;
        },
        { times: 1 },
      );
    redirect(`${harness.simulator.url}${path}`);
    const token = tokenFor('/anywhere', digestOf(makePng(3)));
    expect((await download(proxied(token))).status).toBe(200);
    await rm(join(folder, 'media'), { recursive: true, force: true });
    redirect('http://169.254.169.254/a.png');
    expect((await download(proxied(token))).status).toBe(502);
  });
});

describe('tokens', () => {
  const nowMs = Date.parse(START);
  const meant: ImageToken = {
    name: mediaNameOf(makePng(1), 'somebody'),
    type: 'image/png',
    url: 'https://upstream.example/a.png?signature=secret',
    expiresAtMs: nowMs + 3_600_000,
  };

  test('IMG-14 say nothing in clear, and are read as they were written', () => {
    const token = sealImageToken(key, meant);
    expect(openImageToken(key, token, nowMs)).toEqual(meant);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/upstream|secret|image/);
    expect(sealImageToken(key, meant)).not.toBe(token);
    const withoutUrl = { ...meant, url: null };
    expect(openImageToken(key, sealImageToken(key, withoutUrl), nowMs)).toEqual(withoutUrl);
  });

  test('IMG-14 A8 are worth nothing under another secret, or for another purpose', () => {
    const token = sealImageToken(key, meant);
    expect(openImageToken(deriveKey('another secret', 'image-proxy'), token, nowMs)).toBeNull();
    expect(openImageToken(deriveKey(SECRET, 'catalog'), token, nowMs)).toBeNull();
    const elsewhere = seal(key, JSON.stringify([meant.name, 0, meant.expiresAtMs]), 'another purpose');
    expect(openImageToken(key, elsewhere.slice('sealed:1:'.length), nowMs)).toBeNull();
    for (const fields of [{}, [], ['x', 0, 1], [meant.name, 9, 1], [meant.name, 0, '1'], [meant.name, 0, 1, 2]]) {
      const odd = seal(key, JSON.stringify(fields), 'image-proxy').slice('sealed:1:'.length);
      expect(openImageToken(key, odd, 0)).toBeNull();
    }
  });

  test('IMG-14 100,000 mutations, none accepted', () => {
    const tokens = [sealImageToken(key, meant), sealImageToken(key, { ...meant, expiresAtMs: nowMs + 1_000 })];
    let tried = 0;
    for (const mutation of randomMutations(tokens, 100_000, 42)) {
      tried += 1;
      if (openImageToken(key, mutation, nowMs) !== null) throw new Error(`accepted: ${mutation}`);
    }
    expect(tried).toBe(100_000);
    // The addresses work when they are unchanged.
    for (const token of tokens) expect(openImageToken(key, token, nowMs)).not.toBeNull();
  });

  test('IMG-14 and three hundred through the front door: all 404 in the envelope', async () => {
    const url = await freshUrl();
    const token = url.slice(url.lastIndexOf('/') + 1);
    const sendable = [...randomMutations([token], 400, 7)]
      .filter((text) => /^[\w+.~-]{1,4000}$/.test(text))
      .slice(0, 300);
    expect(sendable).toHaveLength(300);
    const statuses = new Map<string, number>();
    for (let start = 0; start < sendable.length; start += 20) {
      const answers = await Promise.all(sendable.slice(start, start + 20).map((text) => download(proxied(text))));
      for (const { status, bytes } of answers) {
        const code = String((JSON.parse(bytes.toString()) as { error: { code: number } }).error.code);
        const outcome = `${status} ${code}`;
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    }
    expect([...statuses]).toEqual([['404 404', 300]]);
    expect((await download(url)).status).toBe(200);
  });
});
