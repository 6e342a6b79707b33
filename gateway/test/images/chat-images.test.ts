// Pictures in conversations, whole and streamed: where the client finds them, what they cost, and what is refused.

import { makePng } from '@tollgate/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { codeOf, download, eventsOf, illustratingModel, startImages } from './image-harness.ts';

let harness: Harness;

const IMAGE = { modalities: ['image'] };
const BOTH = { modalities: ['image', 'text'] };

beforeAll(async () => {
  harness = await startImages({
    models: {
      'acme/artist': illustratingModel('tokens-100-200'),
      'acme/pair': illustratingModel('tokens-100-200+images-2'),
      'acme/silent': illustratingModel('tokens-100-200+images-0'),
      'acme/unasked': illustratingModel('tokens-100-200+images-1'),
      'acme/liar': illustratingModel('tokens-100-200+image-svg'),
      'acme/half': illustratingModel('tokens-100-200+images-2+image-garbage-1'),
      'acme/large': illustratingModel('image-size-3000000+images-1'),
      'acme/unstated': illustratingModel('usage-none'),
      'acme/torn': illustratingModel('tokens-100-200+reset-after-2'),
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** 100 tokens at 1 USD and 200 at 2 USD per million, and the pictures. */
const cost = (images: number): number => Number((0.0005 + images * 0.04).toFixed(9));

type ChatImage = { image_url: { url: string } };

const messageOf = (body: Json): Json => (body.choices as { message: Json }[])[0]?.message ?? {};
const imagesIn = (message: Json): string[] =>
  ((message.images ?? []) as ChatImage[]).map((image) => image.image_url.url);

describe('a whole answer', () => {
  test('IMG-01 IMG-02 CHAT-14 pictures as addresses of ours beside the text', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/pair', ...BOTH, image_config: { strength: 0.5 } });
    expect(answer.status).toBe(200);
    const message = messageOf(answer.body);
    expect(String(message.content).length).toBeGreaterThan(0);
    const urls = imagesIn(message);
    expect(urls).toHaveLength(2);
    for (const [index, url] of urls.entries()) {
      expect(url.startsWith(`${harness.url}/v1/images/proxy/`)).toBe(true);
      expect((await download(url)).bytes.equals(makePng(index + 1))).toBe(true);
    }
    expect((answer.body.usage as Json).cost).toBe(cost(2));
    expect(await harness.spent(key)).toBe(cost(2));
    expect(harness.simulator.requests.at(-1)?.json).toMatchObject({ ...BOTH, image_config: { strength: 0.5 } });
  });

  test('IMG-01 pictures that nobody asked for are kept and paid for all the same', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/unasked' });
    expect(imagesIn(messageOf(answer.body))[0]).toContain('/v1/images/proxy/');
    expect(await harness.spent(key)).toBe(cost(1));
  });

  test('CHAT-14 words alone are an answer where they were asked for too', async () => {
    const { key } = await harness.account(5);
    expect((await harness.chat(key, { model: 'acme/silent', ...BOTH })).status).toBe(200);
    expect(await harness.spent(key)).toBe(cost(0));
  });

  test('ERR-54 and none where only a picture was', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/silent', ...IMAGE });
    expect([answer.status, codeOf(answer)]).toEqual([502, 'no_images']);
    expect(await harness.spent(key)).toBe(0);
  });

  test('ERR-54 ROUTE-12 callers who ask for words of a painter do not take it from others, and are noted', async () => {
    const { key, userId } = await harness.account(5);
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      expect(codeOf(await harness.chat(key, { model: 'acme/silent', ...IMAGE }))).toBe('no_images');
    }
    expect((await harness.chat(key, { model: 'acme/silent', ...BOTH })).status).toBe(200);
    expect(JSON.stringify(await harness.operate('GET', '/admin/v1/absorbed'))).toContain(userId);
  });

  test('ERR-53 a picture that is none', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/liar', ...BOTH });
    expect([answer.status, codeOf(answer)]).toEqual([502, 'pipeline_error']);
    expect(await harness.spent(key)).toBe(0);
  });

  test('ERR-53 one of two that is none is left out, and not paid for', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/half', ...BOTH });
    expect(imagesIn(messageOf(answer.body))).toHaveLength(1);
    expect(await harness.spent(key)).toBe(cost(1));
  });
});

describe('a stream', () => {
  test('IMG-15 IMG-16 STRM-04 AMB-26 words as they come, then the pictures, the finish, the bill and the end', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.stream(key, { model: 'acme/pair', ...BOTH });
    expect(answer.status).toBe(200);
    const events = eventsOf(answer.text);
    const named = events.filter(({ event }) => event !== 'message');
    expect(named.map(({ event }) => event)).toEqual([
      'image',
      'image-cached',
      'image',
      'image-cached',
      'usage',
      'done',
    ]);
    expect(named[4]?.data).toEqual({
      promptTokens: 100,
      completionTokens: 200,
      cost: cost(2),
      durationMs: expect.any(Number),
      imageCount: 2,
    });
    for (const index of [0, 1]) {
      const data = named[index * 2 + 1]?.data ?? {};
      expect(data.index).toBe(index);
      expect((await download(String(data.url))).bytes.equals(makePng(index + 1))).toBe(true);
    }
    const chunks = events.filter(({ event }) => event === 'message').map(({ data }) => data);
    const choiceOf = (chunk: Json | undefined): Json => ((chunk?.choices ?? []) as Json[])[0] ?? {};
    const texts = chunks.map((chunk) => (choiceOf(chunk).delta as Json).content ?? '');
    expect(texts.join('').length).toBe(800);
    expect(choiceOf(chunks.at(-1)).finish_reason).toBe('stop');
    expect(chunks.at(-1)?.usage).toMatchObject({ cost: cost(2) });
    const order = ['event: image\n', '"finish_reason":"stop"', 'event: usage', 'event: done', 'data: [DONE]'];
    const places = order.map((mark) => answer.text.indexOf(mark));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(answer.isDone).toBe(true);
    expect(answer.text).not.toContain('base64');
    expect(await harness.spent(key)).toBe(cost(2));
  });

  test('IMG-15 CHAT-09 pictures of two choices stay with their choices, and are numbered through', async () => {
    const { key } = await harness.account(5);
    const { text } = await harness.stream(key, { model: 'acme/artist', n: 2, ...BOTH });
    const events = eventsOf(text);
    expect(events.filter(({ event }) => event === 'image').map(({ data }) => data.index)).toEqual([0, 1]);
    const illustrated = events.flatMap(({ data }) =>
      ((data.choices ?? []) as { index: number; delta: Json }[]).filter(({ delta }) => delta.images !== undefined),
    );
    expect(illustrated.map(({ index, delta }) => [index, imagesIn(delta).length])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(await harness.spent(key)).toBe(cost(2));
  });

  test('IMG-15 the openai SDK reads it', async () => {
    const { key } = await harness.account(5);
    const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1` });
    const stream = await client.chat.completions.create({
      model: 'acme/artist',
      messages: [{ role: 'user', content: 'A red square' }],
      stream: true,
      ...({ modalities: ['image', 'text'] } as object),
    });
    const urls: string[] = [];
    let text = '';
    for await (const chunk of stream) {
      const delta = chunk.choices?.[0]?.delta as { content?: string; images?: ChatImage[] } | undefined;
      text += delta?.content ?? '';
      for (const image of delta?.images ?? []) urls.push(image.image_url.url);
    }
    expect(text.length).toBe(800);
    expect(urls).toHaveLength(1);
    expect((await download(urls[0] ?? '')).status).toBe(200);
  });

  test('IMG-15 a picture of megabytes in one frame', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.stream(key, { model: 'acme/large', ...BOTH });
    const [, cached] = eventsOf(answer.text).filter(({ event }) => event !== 'message');
    expect((await download(String(cached?.data.url))).bytes.length).toBe(3_000_000);
  });

  test('STRM-03 a stream of words has no such events, also of a model that could make pictures', async () => {
    const { key } = await harness.account(5);
    const { text, isDone } = await harness.stream(key, { model: 'acme/silent' });
    expect(text).not.toContain('event:');
    expect(isDone).toBe(true);
    expect(await harness.spent(key)).toBe(cost(0));
  });

  test('IMG-01 BILL-01 pictures that nobody asked for are in a chunk, and paid for', async () => {
    const { key } = await harness.account(5);
    const { text } = await harness.stream(key, { model: 'acme/unasked' });
    expect(text).not.toContain('event:');
    expect(text).toContain('/v1/images/proxy/');
    expect(await harness.spent(key)).toBe(cost(1));
  });

  test('BILL-01 pictures are counted by us where the upstream does not count', async () => {
    const { key } = await harness.account(5);
    await harness.stream(key, { model: 'acme/unstated', ...BOTH });
    expect(await harness.spent(key)).toBe(0.04);
  });

  test.each([
    ['ERR-53 a picture that is none', 'acme/liar', BOTH, 'pipeline_error'],
    ['ERR-54 no picture', 'acme/silent', IMAGE, 'no_images'],
    ['STRM-07 a connection that breaks', 'acme/torn', BOTH, 'upstream_unreachable'],
  ])('%s ends it with an error frame, and nothing is charged', async (_, model, modalities, code) => {
    const { key } = await harness.account(5);
    const { frames, isDone, text } = await harness.stream(key, { model, ...modalities });
    expect(frames.at(-1)?.error).toMatchObject({ code });
    expect(isDone).toBe(true);
    expect(text).not.toContain('event: done');
    expect(await harness.spent(key)).toBe(0);
  });
});

describe.each([
  ['/v1/messages', { max_tokens: 2_000, messages: [{ role: 'user', content: 'Paint.' }] }, 'message_stop'],
  ['/v1/responses', { store: false, input: 'Paint.' }, 'response.completed'],
])('for clients of %s', (path, asked, end) => {
  const ask = async (model: string, stream: boolean) => {
    const { key } = await harness.account(5);
    const { text } = await harness.request('POST', path, { key, body: { model, stream, ...asked } });
    return { text, spent: await harness.spent(key) };
  };

  test('IMG-01 BILL-01 a stream has the picture that a whole answer has, at the same price', async () => {
    for (const isStream of [false, true]) {
      const { text, spent } = await ask('acme/unasked', isStream);
      expect(text, `streamed: ${isStream}`).toContain(makePng(1).toString('base64'));
      expect(spent).toBe(cost(1));
    }
    const { text, spent } = await ask('acme/silent', true);
    expect(text).toContain(end);
    expect(spent).toBe(cost(0));
  });

  test('IMG-15 a picture of megabytes in one frame', async () => {
    const { text } = await ask('acme/large', true);
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(text).toContain(end);
  });
});

describe('what is refused', () => {
  const image = (url: string): Json => ({ type: 'image_url', image_url: { url } });
  const words: Json = { type: 'text', text: 'Make it blue' };
  const asked = (...content: Json[]): Json => ({
    model: 'acme/artist',
    ...IMAGE,
    messages: [{ role: 'user', content }],
  });
  const data = `data:image/png;base64,${makePng(1).toString('base64')}`;

  test.each([
    ['ERR-42 IMG-03 AMB-27 an address without TLS', asked(words, image('http://x.example/y.png')), 'invalid_image_url'],
    ['ERR-49 IMG-04 nine pictures', asked(words, ...Array(9).fill(image(data))), 'too_many_images'],
    ['ERR-47 IMG-05 no words beside the picture', asked(image(data)), 'missing_prompt'],
    ['ERR-27 a model of words', { model: 'openai/test', ...IMAGE }, 'invalid_modality_for_model'],
  ])('%s', async (_, body, code) => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  });

  test('IMG-03 IMG-04 eight pictures, as data and as addresses, are not', async () => {
    const { key } = await harness.account(5);
    const seven = Array(7).fill(image(data)) as Json[];
    const answer = await harness.chat(key, asked(words, image('https://x.example/y.png'), ...seven));
    expect(answer.status).toBe(200);
    // A picture in a prompt may have an http address, and is forwarded, not fetched.
    const looked = {
      model: 'openai/test',
      messages: [{ role: 'user', content: [words, image('http://127.0.0.1:9/y')] }],
    };
    expect((await harness.chat(key, looked)).status).toBe(200);
  });
});
