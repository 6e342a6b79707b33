// Pictures from words: what is answered, what it costs, and what is asked of the upstream.

import { makePng } from '@tollgate/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { codeOf, download, eventsOf, paint, paintingModel, sentBody, startImages, urlsOf } from './image-harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startImages({
    // At equal prices the random order is a tie, and the order of the file decides.
    start: { random: () => 0 },
    models: {
      'acme/tokens': paintingModel('tokens-1000-2000', { pricing: { prompt: '5', completion: '40' } }),
      'acme/both': paintingModel('tokens-1000-2000', { pricing: { prompt: '5', completion: '40', image: '0.01' } }),
      'acme/few': paintingModel(undefined, { image: { max_images: 2 } }),
      'acme/sized': paintingModel(undefined, { image: { sizes: ['1024x1024', '1792x1024', '1024x1792'] } }),
      'acme/fewer': paintingModel('images-2'),
      'acme/more': paintingModel('images-9'),
      'acme/unstated': paintingModel('usage-none'),
      'acme/uncounted': paintingModel('usage-absurd', { pricing: { prompt: '5', completion: '40', image: '0.01' } }),
      'acme/large': paintingModel('tokens-10-60000', { pricing: { prompt: '5', completion: '30' } }),
      'acme/wide': paintingModel('tokens-10-60000', {
        ...{ pricing: { prompt: '5', completion: '30' }, image: { sizes: ['1024x1024', '3840x2160'] } },
      }),
      'acme/absurd': paintingModel('tokens-10-999999999', {
        pricing: { prompt: '5', completion: '40', image: '0.01' },
      }),
      'acme/endless': paintingModel(undefined, {
        routes: [
          { provider: 'sim', upstream_model: 'm.sim-image-url+image-size-27000000' },
          { provider: 'sim', upstream_model: 'healthy' },
        ],
      }),
      'acme/posters': paintingModel('image-url+image-size-12000000'),
      'acme/movie': paintingModel(undefined, { output_modalities: ['video'], pricing: { video_second: '0.1' } }),
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

describe('the answer', () => {
  test('IMG-06 IMG-07 IMG-10 one address of ours for each picture, and the price of each', async () => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { n: 2 });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['created', 'data', 'usage']);
    expect(Number.isInteger(answer.body.created)).toBe(true);
    expect(answer.body.data).toHaveLength(2);
    for (const [index, url] of urlsOf(answer).entries()) {
      expect(url.startsWith(`${harness.url}/v1/images/proxy/`)).toBe(true);
      const image = await download(url);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(image.bytes.equals(makePng(index + 1))).toBe(true);
    }
    expect((answer.body.usage as Json).cost).toBe(0.08);
    expect(await harness.spent(key)).toBe(0.08);
    const id = answer.headers.get('x-generation-id');
    const record = await harness.request('GET', `/v1/generation?id=${id}`, { key });
    expect(record.body.data).toMatchObject({ model: 'acme/painter', streamed: false, usage: { units: { images: 2 } } });
  });

  test('IMG-10 an upstream that answers addresses: they are fetched, and ours are shown', async () => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { model: 'acme/linker' });
    expect(answer.text).not.toContain(String(harness.simulator.port));
    const [url = ''] = urlsOf(answer);
    harness.simulator.clearRequests();
    expect((await download(url)).bytes.equals(makePng(1))).toBe(true);
    // The picture was stored when it was made.
    expect(harness.simulator.requests).toHaveLength(0);
  });

  test('IMG-07 with the openai SDK', async () => {
    const { key } = await harness.account(5);
    const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1` });
    const answer = await client.images.generate({ model: 'acme/painter', prompt: 'A red square', n: 2 });
    expect(answer.data).toHaveLength(2);
    for (const { url } of answer.data ?? []) expect((await download(url ?? '')).status).toBe(200);
  });

  test("IMG-08 IMG-09 IMG-15 IMG-16 events, with the upstream's address and ours", async () => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { model: 'acme/linker', n: 2, stream: true });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(answer.text);
    expect(events.map(({ event }) => event)).toEqual([
      'image',
      'image-cached',
      'image',
      'image-cached',
      'usage',
      'done',
    ]);
    expect(events.map(({ data }) => data.index)).toEqual([0, 0, 1, 1, undefined, undefined]);
    expect(String(events[0]?.data.url)).toContain(`:${harness.simulator.port}/`);
    expect((await download(String(events[3]?.data.url))).bytes.equals(makePng(2))).toBe(true);
    expect(events[4]?.data).toEqual({
      promptTokens: 3,
      completionTokens: 2112,
      cost: 0.08,
      durationMs: expect.any(Number),
      imageCount: 2,
    });
    expect(events[5]?.data).toEqual({});
    expect(await harness.spent(key)).toBe(0.08);
    const id = answer.headers.get('x-generation-id');
    const record = await harness.request('GET', `/v1/generation?id=${id}`, { key });
    expect(record.body.data).toMatchObject({ streamed: true });
  });

  test('IMG-15 an upstream that gives bytes has no address: both events hold ours', async () => {
    const { key } = await harness.account(5);
    const events = eventsOf((await paint(harness, key, { stream: true })).text);
    expect(events[0]?.data).toEqual(events[1]?.data);
    expect(String(events[0]?.data.url)).toContain('/v1/images/proxy/');
  });

  test('IMG-10 /v1/images answers the pictures themselves, and may start from pictures', async () => {
    const { key } = await harness.account(5);
    const source = `data:image/png;base64,${makePng(9).toString('base64')}`;
    const body = { input_references: [{ type: 'image_url', image_url: { url: source } }], aspect_ratio: '16:9' };
    const answer = await paint(harness, key, body, '/v1/images');
    expect(answer.status).toBe(200);
    const [image] = answer.body.data as { b64_json: string; media_type: string }[];
    expect(Buffer.from(image?.b64_json ?? '', 'base64').equals(makePng(1, '1536x1024'))).toBe(true);
    expect(image?.media_type).toBe('image/png');
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 303, completion_tokens: 1056, cost: 0.04 });
    const sent = harness.simulator.requests.at(-1);
    expect(sent?.path).toBe('/v1/images/edits');
    expect(sent?.form?.files[0]?.bytes.equals(makePng(9))).toBe(true);
    const asked = await paint(harness, key, { response_format: 'url' }, '/v1/images');
    expect(urlsOf(asked)[0]).toContain('/v1/images/proxy/');
    const linked = await paint(harness, key, { model: 'acme/linker', response_format: 'b64_json' }, '/v1/images');
    const [fetched] = linked.body.data as { b64_json: string }[];
    expect(Buffer.from(fetched?.b64_json ?? '', 'base64').equals(makePng(1))).toBe(true);
  });
});

test('DOS-1 pictures that are fetched for an answer are counted with it, and must find room', async () => {
  const { key } = await harness.account(5);
  const posters = { model: 'acme/posters', response_format: 'b64_json' };
  const many = await paint(harness, key, { ...posters, n: 10 }, '/v1/images');
  expect([many.status, codeOf(many)]).toEqual([503, 503]);
  const metrics = async () => (await harness.request('GET', '/metrics')).text;
  await expect.poll(metrics).toMatch(/^tollgate_large_answer_bytes 0$/m);
  expect((await paint(harness, key, { ...posters, n: 2 }, '/v1/images')).body.data).toHaveLength(2);
  await expect.poll(metrics).toMatch(/^tollgate_large_answer_bytes 0$/m);
});

describe('what the upstream is asked', () => {
  test('IMG-06 what is not ours passes unchanged; neither a stream nor a form of answer is asked for', async () => {
    const { key } = await harness.account(5);
    const wishes = { quality: 'standard', style: 'vivid', background: 'transparent', seed: 12345678901234567890n };
    const body = { model: 'acme/painter', prompt: 'Seven cats', n: 1, stream: true, response_format: 'url' };
    const text = JSON.stringify({ ...body, ...wishes, seed: 0 }).replace('"seed":0', '"seed":12345678901234567890');
    expect((await harness.request('POST', '/v1/images/generations', { key, body: text })).status).toBe(200);
    const sent = harness.simulator.requests.at(-1);
    expect(sent?.path).toBe('/v1/images/generations');
    const { seed: _, ...plain } = wishes;
    expect(sent?.json).toMatchObject({ model: 'acme/painter', prompt: 'Seven cats', n: 1, ...plain });
    expect(sent?.body).toContain('"seed":12345678901234567890');
    expect(Object.keys(sent?.json as Json)).not.toEqual(expect.arrayContaining(['stream']));
    expect(Object.keys(sent?.json as Json)).not.toEqual(expect.arrayContaining(['response_format']));
    expect(sent?.headers.accept).toBe('application/json');
  });

  test.each([
    ['acme/sized', '1024x1024', '1024x1024'],
    ['acme/sized', '512x512', '1024x1024'],
    ['acme/sized', '1920x1080', '1792x1024'],
    ['acme/sized', '16:9', '1792x1024'],
    ['acme/sized', 'portrait', '1024x1792'],
    ['acme/sized', 'auto', undefined],
    ['acme/painter', '640×480', '640x480'],
    ['acme/painter', '2048', '2048x2048'],
    ['acme/painter', '3:2', '1536x1024'],
    ['acme/painter', 'auto', 'auto'],
  ])('IMG-06 %s: the size %s is mapped to %s', async (model, size, expected) => {
    const { key } = await harness.account(5);
    expect((await paint(harness, key, { model, size })).status).toBe(200);
    expect(sentBody(harness).size).toBe(expected);
  });
});

describe('what it costs', () => {
  test.each([
    ['tokens alone, where the catalog has no price for a picture', 'acme/tokens', 1, 0.085],
    ['tokens and pictures, where it has both', 'acme/both', 3, 0.115],
    ['fewer pictures than asked for', 'acme/fewer', 4, 0.08],
    ['no more than were asked for', 'acme/more', 3, 0.12],
    ['pictures that come without a usage', 'acme/unstated', 1, 0.04],
    ['the pictures alone, where tokens are no count', 'acme/uncounted', 1, 0.01],
    // At most what was held: five tokens of words, 8,192 tokens for the picture, and the picture.
    ['tokens that nobody believes', 'acme/absurd', 1, 0.337705],
  ])('BILL-01 %s', async (_, model, n, cost) => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { model, n });
    expect(answer.status).toBe(200);
    const charged = await harness.spent(key);
    expect((answer.body.usage as Json).cost).toBe(charged);
    expect(charged).toBeCloseTo(cost, 6);
    expect(urlsOf(answer)).toHaveLength(Math.round(model === 'acme/fewer' ? 2 : n));
  });

  test.each<[string, Json, number]>([
    ['acme/large', { size: '3840x2160' }, 1.80005],
    ['acme/large', { width: 3_840, height: 2_160 }, 1.80005],
    ['acme/wide', { size: '1920x1080' }, 1.80005],
    ['acme/wide', { aspect_ratio: '16:9' }, 1.80005],
    // At most what was held for an ordinary one.
    ['acme/large', { size: '1024x1024' }, 0.245785],
  ])('BILL-01 BILL-02 a large picture may have many tokens: %s with %j', async (model, body, cost) => {
    const { key } = await harness.account(5);
    expect((await paint(harness, key, { model, ...body })).status).toBe(200);
    expect(await harness.spent(key)).toBeCloseTo(cost, 6);
    const { key: poor } = await harness.account('0.3');
    expect((await paint(harness, poor, { model, ...body })).status).toBe(cost > 1 ? 402 : 200);
  });

  test('BILL-02 what cannot be paid is not sent', async () => {
    const { key } = await harness.account('0.05');
    harness.simulator.clearRequests();
    const answer = await paint(harness, key, { n: 2 });
    expect([answer.status, codeOf(answer)]).toEqual([402, 'insufficient_credits']);
    expect(harness.simulator.requests).toHaveLength(0);
    expect((await paint(harness, key)).status).toBe(200);
  });
});

test('ERR-53 DOS-1 a picture of more than 25 MB is not read to its end, and the next provider makes another', async () => {
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: 'acme/endless' });
  expect(answer.status).toBe(200);
  expect((await download(urlsOf(answer)[0] ?? '')).bytes.equals(makePng(1))).toBe(true);
  const record = await harness.request('GET', `/v1/generation?id=${answer.headers.get('x-generation-id')}`, { key });
  expect(record.body.data).toMatchObject({ is_failover: true });
  expect(await harness.spent(key)).toBe(0.04);
});

describe('what is refused', () => {
  test.each([
    ['ERR-47 without a prompt', { prompt: undefined }, 'missing_prompt'],
    ['ERR-47 with an empty prompt', { prompt: '' }, 'missing_prompt'],
    ['IMG-06 without a model', { model: undefined }, 'missing_required_field'],
    ['ERR-46 pictures inside of the answer', { response_format: 'b64_json' }, 'unsupported_response_format'],
    ['ERR-46 another form', { response_format: 'png' }, 'unsupported_response_format'],
    ['ERR-52 none', { n: 0 }, 'invalid_n'],
    ['ERR-52 one and a half', { n: 1.5 }, 'invalid_n'],
    ['ERR-52 eleven', { n: 11 }, 'invalid_n'],
    ['ERR-52 a text', { n: '2' }, 'invalid_n'],
    ['ERR-52 more than the model makes', { model: 'acme/few', n: 3 }, 'invalid_n'],
    ['ERR-28 a model for videos', { model: 'acme/movie' }, 'wrong_endpoint_for_video'],
    ['ERR-24 a model for words', { model: 'openai/test' }, 'model_endpoint_mismatch'],
    ['ERR-20 a model that is none', { model: 'acme/none' }, 'unknown_model'],
    ['IMG-06 a size that is none', { size: '<b>' }, 400],
    ['IMG-06 a size that is a number', { size: 1024 }, 400],
    ['IMG-08 a stream that is a word', { stream: 'yes' }, 400],
    ['IMG-06 a prompt that is a number', { prompt: 5 }, 400],
  ])('%s', async (_, body, code) => {
    const { key } = await harness.account(5);
    harness.simulator.clearRequests();
    const answer = await paint(harness, key, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
    expect(harness.simulator.requests).toHaveLength(0);
    expect(await harness.spent(key)).toBe(0);
  });

  test.each([
    ['ERR-42 a reference to an address', 'https://example.com/a.png', 'invalid_image_url'],
    ['ERR-50 a reference that is no picture', 'data:image/png;base64,aGVsbG8gd29ybGQ=', 'invalid_image_type'],
  ])('%s', async (_, url, code) => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { input_references: [{ image_url: { url } }] }, '/v1/images');
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  });

  test('ERR-49 nine references', async () => {
    const { key } = await harness.account(5);
    const image = { image_url: { url: `data:image/png;base64,${makePng(1).toString('base64')}` } };
    const answer = await paint(harness, key, { input_references: Array(9).fill(image) }, '/v1/images');
    expect([answer.status, codeOf(answer)]).toEqual([400, 'too_many_images']);
  });
});
