// Pictures that callers name by their address, at providers that take pictures only as data: the provider gets the
// picture, fetched once for a call that is paid for, and a caller whose address has no picture gets an error and pays
// nothing.

import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ACCOUNT_WINDOW_BYTES_MAX,
  CALL_BYTES_MAX,
  createGivenPictures,
  PICTURES_MAX,
} from '../../src/modules/media/given-pictures.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

const SIGNED = { region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret' };
const COUNTED = 'sim-tokens-100-20';
const route = (provider: string, upstream_model: string) => ({ provider, upstream_model });

let harness: Harness;
let key: string;

const models = {
  'acme/server': { routes: [route('server', COUNTED)] },
  'acme/converse': { routes: [route('bedrock', COUNTED)] },
  'acme/invoke': { routes: [route('bedrock', `anthropic.${COUNTED}`)] },
  'acme/either': { routes: [route('bedrock', COUNTED), route('sim', COUNTED)] },
  'acme/painter': { commands: 'plain', entry: { output_modalities: ['image'], pricing: { image: '0.04' } } },
};

beforeAll(async () => {
  harness = await startHarness({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' } });
  const { url } = harness.simulator;
  const document = configDocument(url, { models, moreProviders: { server: { pictures: 'data' } } });
  const bedrock = { protocol: 'bedrock', base_url: url, ...SIGNED };
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: { ...(document.providers as Json), bedrock },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** Where the simulator keeps a picture, or what is said in its place. */
const address = (commands = 'picture-1'): string => `${harness.simulator.url}/sim-${commands}/v1/images/file`;
const part = (url: string): Json => ({ type: 'image_url', image_url: { url, detail: 'low' } });
const chat = (model: string, urls: readonly string[], more: Json = {}): Json => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...urls.map(part)] }],
  ...more,
});

type Sent = Readonly<{ path: string; text: string }>;
const sentSince = (count: number): readonly Sent[] =>
  harness.simulator.requests
    .slice(count)
    .filter(({ method }) => method === 'POST')
    .map(({ path, json }) => ({ path, text: JSON.stringify(json ?? null) }));
const fetchesSince = (count: number): number =>
  harness.simulator.requests.slice(count).filter(({ path }) => path.includes('/images/file')).length;
const errorOf = (body: Json): Json => body.error as Json;
/** How a PNG begins in base64. */
const PNG = 'iVBORw0KGgo';

const MESSAGE = (model: string, url: string): Json => ({
  ...{ model, max_tokens: 99 },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'url', url } },
      ],
    },
  ],
});
const ITEMS = (model: string, url: string): Json => ({
  model,
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: url },
      ],
    },
  ],
});

const DIALECTS: readonly (readonly [string, (model: string, url: string) => Json])[] = [
  ['/v1/chat/completions', (model, url) => chat(model, [url])],
  ['/v1/messages', MESSAGE],
  ['/v1/responses', ITEMS],
];
const CALLS = DIALECTS.flatMap(([path, body]) =>
  ['acme/converse', 'acme/invoke', 'acme/server'].map((model) => [path, model, body] as const),
);

test.each(CALLS)('%s reaches %s with the picture itself', async (path, model, body) => {
  const before = harness.simulator.requests.length;
  const answer = await harness.request('POST', path, { key, body: body(model, address()) });
  expect(answer.status, answer.text).toBe(200);
  const [sent, ...others] = sentSince(before);
  expect(others).toEqual([]);
  expect(sent?.text).toContain(PNG);
  expect(sent?.text).not.toContain('images/file');
  expect(fetchesSince(before)).toBe(1);
});

test('a stream, a picture that is named twice and one of another kind of message', async () => {
  const before = harness.simulator.requests.length;
  const urls = [address(), address(), address('picture-2')];
  const { status, isDone, frames } = await harness.stream(key, chat('acme/converse', urls));
  expect([status, isDone]).toEqual([200, true]);
  expect(frames.at(-1)).toMatchObject({ usage: { prompt_tokens: 100, completion_tokens: 20, cost: 0.00014 } });
  expect(fetchesSince(before)).toBe(2);
  expect(sentSince(before)[0]?.text.split(PNG)).toHaveLength(4);
});

test('IMG-01 a picture at an address is fetched where another is to be made from it', async () => {
  // Only https is accepted here, and no server speaks it.
  const url = address().replace('http:', 'https:');
  const answer = await harness.chat(key, chat('acme/painter', [url], { modalities: ['image'] }));
  expect(answer.status).toBe(400);
  expect(errorOf(answer.body).message).toContain('Image 1 of 1 could not be reached at its address');
});

const REFUSED: readonly (readonly [what: string, urls: () => readonly string[], words: RegExp])[] = [
  ['a page', () => [address('image-html')], /Image 1 of 1: what lies at its address is no PNG/],
  ['a drawing that is a program', () => [address('image-svg')], /is no PNG/],
  ['half a picture', () => [address('image-cut')], /is no PNG/],
  ['nothing', () => [address(), address('status-404')], /Image 2 of 2 cannot be had/],
  ['a picture that is too large', () => [address('image-size-4000000')], /is larger than 3932160 bytes/],
  ['a connection that breaks', () => [address('reset')], /could not be reached/],
  ['a way to something else', () => [address('redirect')], /is no PNG/],
  [
    'too much together',
    () => ['picture-1', 'picture-2', 'picture-3'].map((picture) => address(`${picture}+image-size-2800000`)),
    /larger together/,
  ],
  ['too many', () => Array.from({ length: PICTURES_MAX + 1 }, () => address()), /at most 20 images/],
];

test.each(REFUSED)('%s is refused, and costs nothing', async (_what, urls, words) => {
  const before = harness.simulator.requests.length;
  const credits = (await harness.request('GET', '/v1/credits', { key })).text;
  const answer = await harness.chat(key, chat('acme/converse', urls()));
  expect(answer.status).toBe(400);
  expect(errorOf(answer.body).message).toMatch(words);
  expect(sentSince(before)).toEqual([]);
  expect((await harness.request('GET', '/v1/credits', { key })).text).toBe(credits);
});

test('a provider that follows addresses is asked where they cannot be had', async () => {
  const before = harness.simulator.requests.length;
  const answer = await harness.chat(
    key,
    chat('acme/either', [address('image-html')], { provider: { order: ['bedrock', 'sim'] } }),
  );
  expect(answer.status, answer.text).toBe(200);
  expect(sentSince(before).map(({ text }) => text.includes('image-html'))).toEqual([true]);
  expect(fetchesSince(before)).toBe(1);
});

test('nothing is fetched for a call that is refused anyhow', async () => {
  const before = harness.simulator.requests.length;
  const poor = await harness.account(0);
  const answer = await harness.chat(poor.key, chat('acme/converse', [address()]));
  expect(answer.status).toBe(402);
  const unknown = await harness.chat(key, chat('acme/nobody', [address()]));
  expect(unknown.status).toBe(400);
  expect(fetchesSince(before)).toBe(0);
});

test('a file at an address is refused in words', async () => {
  const source = { type: 'url', url: 'https://files.example/a.pdf' };
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
  const body = { model: 'acme/invoke', max_tokens: 99, messages };
  const answer = await harness.request('POST', '/v1/messages', { key, body });
  expect(answer.status).toBe(400);
  expect(errorOf(answer.body).message).toContain('takes files as data alone');
});

test('a client that leaves ends the fetching', async () => {
  const leaving = new AbortController();
  const call = fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(chat('acme/converse', [address('stall')])),
    signal: leaving.signal,
  }).catch(() => null);
  const isFetch = ({ path }: { path: string }) => path.includes('sim-stall/v1/images/file');
  await harness.simulator.waitFor(isFetch);
  leaving.abort();
  await call;
  await harness.simulator.waitFor((request) => isFetch(request) && request.isAborted);
});

/** A port that was free a moment ago. */
async function deafPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('what an account may have fetched in a minute', () => {
  test('counts what was in vain, and begins anew', async () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const pictures = createGivenPictures({
      outbound: createOutbound({ allowCidrs: ['127.0.0.0/8'] }),
      media: { bring: () => Promise.resolve(null) },
      clock,
    });
    const port = await deafPort();
    const nowhere = [`http://127.0.0.1:${port}/a.png`, `http://127.0.0.1:${port}/b.png`];
    const ask = (accountId: string) => pictures.fetch(accountId, nowhere, new AbortController().signal);
    const calls = ACCOUNT_WINDOW_BYTES_MAX / CALL_BYTES_MAX;
    for (let call = 0; call < calls; call += 1) await expect(ask('one')).rejects.toMatchObject({ status: 400 });
    await expect(ask('one')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 60 });
    await expect(ask('other')).rejects.toMatchObject({ status: 400 });
    nowMs = 60_000;
    await expect(ask('one')).rejects.toMatchObject({ status: 400 });
  });
});
