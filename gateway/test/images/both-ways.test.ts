// Pictures from providers that have only one way to make them, asked for in the other way: in conversation where there
// is only an endpoint for pictures, and through that endpoint where there is only conversation.

import { makePng } from '@tollgate/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Harness, Json } from '../harness.ts';
import { FewEndpoints } from './few-endpoints.ts';
import { codeOf, download, edit, eventsOf, PRICE_USD, paint, picture, startImages, urlsOf } from './image-harness.ts';

const json = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) });
const base64 = (seed: number): string => makePng(seed).toString('base64');
const dataUri = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;

/** As many as asked for, by form or by JSON. */
function pictures(body: string) {
  const count = Number(/"n":(\d+)/.exec(body)?.[1] ?? /name="n"\r\n\r\n(\d+)/.exec(body)?.[1] ?? 1);
  const data = Array.from({ length: count }, (_, index) => ({ b64_json: base64(index + 1) }));
  return json({ created: 1, data, usage: { input_tokens: 10, output_tokens: 1_000, total_tokens: 1_010 } });
}

const endpointOnly = new FewEndpoints({ '/images/generations': pictures, '/images/edits': pictures });

const conversationOnly = new FewEndpoints({
  '/chat/completions': (body) => {
    const count = Number((JSON.parse(body) as Json).n ?? 1);
    const choices = Array.from({ length: count }, (_, index) => ({
      index,
      message: {
        role: 'assistant',
        content: 'Here it is.',
        images: [{ image_url: { url: dataUri(makePng(index + 1)) } }],
      },
      finish_reason: 'stop',
    }));
    return json({
      id: 'c1',
      object: 'chat.completion',
      choices,
      usage: { prompt_tokens: 20, completion_tokens: 1_300 },
    });
  },
});

const geminiParts = [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data: base64(1) } }];
const geminiAnswer = (finish: string | null, parts: unknown) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finish === null ? {} : { finishReason: finish }) }],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 1_300, totalTokenCount: 1_320 },
});
const gemini = new FewEndpoints({
  ':generateContent': () => json(geminiAnswer('STOP', geminiParts)),
  ':streamGenerateContent?alt=sse': () => {
    const frames = [
      geminiAnswer(null, [geminiParts[0]]),
      geminiAnswer(null, [geminiParts[1]]),
      geminiAnswer('STOP', []),
    ];
    return { type: 'text/event-stream', text: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('') };
  },
});

const providers = [endpointOnly, conversationOnly, gemini];
let harness: Harness;

beforeAll(async () => {
  harness = await startImages();
  const [endpoint, conversation, native] = await Promise.all(providers.map((provider) => provider.listen()));
  const document = await harness.operate('GET', '/admin/v1/config');
  const model = (provider: string, outputs: readonly string[], pricing: Json) => ({
    input_modalities: ['text', 'image'],
    output_modalities: outputs,
    pricing,
    routes: [{ provider, upstream_model: 'm-image' }],
  });
  const byPicture = { image: String(PRICE_USD) };
  const byBoth = { prompt: '1', completion: '2', ...byPicture };
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: {
      ...(document.providers as Json),
      endpoint: { protocol: 'openai', base_url: endpoint, api_key: 'k1' },
      conversation: { protocol: 'openai', base_url: conversation, api_key: 'k2' },
      native: { protocol: 'gemini', base_url: native, api_key: 'k3' },
    },
    models: {
      ...(document.models as Json),
      'acme/endpoint': model('endpoint', ['image'], byPicture),
      'acme/endpoint-with-words': model('endpoint', ['image', 'text'], byBoth),
      'acme/conversation': model('conversation', ['image', 'text'], byBoth),
      'acme/conversation-mute': model('conversation', ['image'], byBoth),
      'acme/native': model('native', ['image', 'text'], byBoth),
      ...Object.fromEntries(
        ['endpoint', 'conversation', 'native'].map((provider) => [
          `acme/dear-${provider}`,
          { ...model(provider, ['image', 'text'], byPicture), extras: { 'quality=high': '2', 'size=2048x2048': '3' } },
        ]),
      ),
    },
  });
});

beforeEach(() => {
  for (const provider of providers) provider.seen.length = 0;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  for (const provider of providers) provider.close();
});

const choicesOf = (body: Json): Json[] => (body.choices ?? []) as Json[];
const imagesIn = (message: unknown): string[] =>
  (((message as Json).images ?? []) as { image_url: { url: string } }[]).map((image) => image.image_url.url);
const IMAGE = { modalities: ['image'] };
const say = (content: unknown) => ({ messages: [{ role: 'user', content }] });

async function isPicture(url: string | undefined, seed: number): Promise<boolean> {
  expect(url).toContain(`${harness.url}/v1/images/proxy/`);
  return (await download(String(url))).bytes.equals(makePng(seed));
}

describe('in conversation with a provider that has an endpoint for pictures alone', () => {
  test.each([
    ['acme/endpoint', PRICE_USD, ['/v1/images/generations']],
    // Its words are priced too: 10 tokens at 1 USD and 1,000 at 2 USD per million.
    ['acme/endpoint-with-words', PRICE_USD + 0.00201, ['/v1/chat/completions', '/v1/images/generations']],
  ])('IMG-01 IMG-02 %s makes one, and it is paid for by its prices', async (model, costUsd, paths) => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model, ...IMAGE, ...say('A red square') });
    expect(answer.status).toBe(200);
    const [choice] = choicesOf(answer.body);
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } });
    expect(await isPicture(imagesIn(choice?.message)[0], 1)).toBe(true);
    expect(endpointOnly.paths).toEqual(paths);
    expect(JSON.parse(endpointOnly.seen.at(-1)?.text ?? '')).toEqual({ model: 'm-image', prompt: 'A red square' });
    expect((answer.body.usage as Json).cost).toBeCloseTo(costUsd, 9);
    expect(await harness.spent(key)).toBeCloseTo(costUsd, 9);
  });

  const SQUARE = base64(1);
  test.each<[string, Json, string]>([
    ['/v1/chat/completions', say('A red square'), '/v1/images/proxy/'],
    ['/v1/messages', { max_tokens: 400, ...say('A red square') }, SQUARE],
    ['/v1/responses', { input: 'A red square' }, SQUARE],
  ])('IMG-02 %s of a model that makes pictures alone makes one unasked', async (path, body, shown) => {
    const { key } = await harness.account(5);
    const answer = await harness.request('POST', path, { key, body: { model: 'acme/endpoint', ...body } });
    expect(answer.status).toBe(200);
    expect(endpointOnly.paths).toEqual(['/v1/images/generations']);
    expect(JSON.stringify(answer.body)).toContain(shown);
    expect(await harness.spent(key)).toBe(PRICE_USD);
  });

  test('IMG-02 and in a stream', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.stream(key, { model: 'acme/endpoint', ...say('A red square') });
    expect(answer.text).toContain(`${harness.url}/v1/images/proxy/`);
    expect(answer.isDone).toBe(true);
    expect(await harness.spent(key)).toBe(PRICE_USD);
  });

  test('IMG-01 IMG-15 IMG-16 STRM-02 a stream has the usual events, the role first, and the bill', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.stream(key, { model: 'acme/endpoint', ...IMAGE, n: 2, ...say('Two squares') });
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
    expect(await isPicture(String(named[3]?.data.url), 2)).toBe(true);
    expect(named[4]?.data).toMatchObject({ promptTokens: 10, completionTokens: 1_000, cost: 0.08, imageCount: 2 });
    const [first] = events.filter(({ event }) => event === 'message');
    const said = (index: number) => ({ index, delta: { role: 'assistant' } });
    expect(first?.data.choices).toMatchObject([said(0), said(1)]);
    expect(answer.isDone).toBe(true);
    expect(answer.text).not.toContain('base64');
    expect(await harness.spent(key)).toBe(0.08);
  });

  test('IMG-03 pictures that are given are edited, with everything that was said', async () => {
    const { key } = await harness.account(5);
    const given = picture().bytes;
    const turns = [
      { role: 'system', content: 'Flat colours only.' },
      { role: 'user', content: 'A square' },
      { role: 'assistant', content: 'Which colour?' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'This blue' },
          { type: 'image_url', image_url: { url: dataUri(given) } },
        ],
      },
    ];
    const answer = await harness.chat(key, { model: 'acme/endpoint', ...IMAGE, messages: turns });
    expect(answer.status).toBe(200);
    expect(endpointOnly.paths).toEqual(['/v1/images/edits']);
    const [sent] = endpointOnly.seen;
    expect(sent?.type).toContain('multipart/form-data');
    expect(sent?.text).toContain('Flat colours only.\n\nA square\n\nThis blue');
    expect(sent?.text).not.toContain('Which colour?');
    expect(sent?.text).toContain(given.toString('latin1'));
    expect(await harness.spent(key)).toBe(PRICE_USD);
  });

  test.each<[string, Json, string]>([
    ['nothing said', say('   '), 'missing_prompt'],
    [
      'a picture elsewhere',
      say([
        { type: 'text', text: 'This' },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      ]),
      'invalid_image_url',
    ],
    [
      'what is no picture',
      say([
        { type: 'text', text: 'This' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ]),
      'invalid_image_type',
    ],
    ['too many', { n: 11, ...say('Squares') }, 'invalid_n'],
  ])('IMG-03 %s is refused before anything is sent, and costs nothing', async (_title, body, code) => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/endpoint', ...IMAGE, ...body });
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
    expect(endpointOnly.seen).toEqual([]);
    expect(await harness.spent(key)).toBe(0);
  });

  test('BILL-02 who cannot pay for a picture gets none', async () => {
    const { key } = await harness.account('0.03');
    const answer = await harness.chat(key, { model: 'acme/endpoint', ...IMAGE, ...say('A red square') });
    expect(answer.status).toBe(402);
    expect(endpointOnly.seen).toEqual([]);
  });
});

describe('through the endpoint for pictures with a provider that makes them in conversation alone', () => {
  const asked = (answer: Answer): Json => {
    expect(answer.status).toBe(200);
    return JSON.parse(conversationOnly.seen.at(-1)?.text ?? '{}') as Json;
  };

  test.each(['acme/conversation', 'acme/conversation-mute'])(
    'IMG-06 IMG-07 %s makes as many as asked for',
    async (model) => {
      const { key } = await harness.account(5);
      const answer = await paint(harness, key, { model, n: 2 });
      const sent = asked(answer);
      expect(sent).toMatchObject({ model: 'm-image', modalities: ['image', 'text'], n: 2 });
      expect(sent.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'A red square' }] }]);
      const urls = urlsOf(answer);
      expect(urls).toHaveLength(2);
      expect(await isPicture(urls[1], 2)).toBe(true);
      // 20 tokens at 1 USD and 1,300 at 2 USD per million, and the pictures.
      expect(await harness.spent(key)).toBeCloseTo(0.00262 + 2 * PRICE_USD, 9);
    },
  );

  test('IMG-08 IMG-15 a stream of events', async () => {
    const { key } = await harness.account(5);
    const answer = await paint(harness, key, { model: 'acme/conversation', stream: true });
    const names = eventsOf(answer.text).map(({ event }) => event);
    expect(names).toEqual(['image', 'image-cached', 'usage', 'done']);
  });

  test('IMG-11 files to be edited become part of what is said', async () => {
    const { key } = await harness.account(5);
    const files = [picture(100_001), picture()];
    const sent = asked(await edit(harness, key, files, { model: 'acme/conversation' }));
    const [{ content }] = sent.messages as [{ content: Json[] }];
    expect(content).toEqual([
      { type: 'text', text: 'Make it blue' },
      ...files.map(({ bytes }) => ({ type: 'image_url', image_url: { url: dataUri(bytes) } })),
    ]);
  });
});

describe('a provider of another protocol', () => {
  test('IMG-01 pictures of a native answer are shown in conversation', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model: 'acme/native', ...IMAGE, ...say('A red square') });
    const [choice] = choicesOf(answer.body);
    expect(choice?.message).toMatchObject({ content: 'Here it is.' });
    expect(await isPicture(imagesIn(choice?.message)[0], 1)).toBe(true);
    expect(await harness.spent(key)).toBeCloseTo(0.00262 + PRICE_USD, 9);
  });

  test('IMG-15 and in its stream', async () => {
    const { key } = await harness.account(5);
    const answer = await harness.stream(key, {
      model: 'acme/native',
      modalities: ['image', 'text'],
      ...say('A red square'),
    });
    expect(answer.text).toContain('Here it is.');
    const named = eventsOf(answer.text).filter(({ event }) => event !== 'message');
    expect(named.map(({ event }) => event)).toEqual(['image', 'image-cached', 'usage', 'done']);
    expect(await isPicture(String(named[1]?.data.url), 1)).toBe(true);
    expect(await harness.spent(key)).toBeCloseTo(0.00262 + PRICE_USD, 9);
  });

  test('IMG-06 IMG-11 and through the endpoint for pictures', async () => {
    const { key } = await harness.account(5);
    expect(urlsOf(await paint(harness, key, { model: 'acme/native' }))).toHaveLength(1);
    const given = picture();
    expect(urlsOf(await edit(harness, key, [given], { model: 'acme/native' }))).toHaveLength(1);
    const sent = JSON.parse(gemini.seen.at(-1)?.text ?? '{}') as Json;
    expect(sent.contents).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'Make it blue' },
          { inlineData: { mimeType: 'image/png', data: given.bytes.toString('base64') } },
        ],
      },
    ]);
    expect(sent.generationConfig).toMatchObject({ responseModalities: ['TEXT', 'IMAGE'], maxOutputTokens: 8_192 });
    expect(await harness.spent(key)).toBeCloseTo(2 * (0.00262 + PRICE_USD), 9);
  });
});

describe('BILL-01 an extra has its price where it is sent, and a translated order sends none', () => {
  const EXTRAS = { quality: 'high', size: '2048x2048' };

  test.each([
    ['acme/dear-endpoint', 6],
    ['acme/dear-conversation', 1],
    ['acme/dear-native', 1],
  ])('at the endpoint for pictures, %s', async (model, factor) => {
    const { key } = await harness.account(5);
    expect(urlsOf(await paint(harness, key, { model, ...EXTRAS }))).toHaveLength(1);
    const sent = providers.flatMap(({ seen }) => seen).at(-1)?.text ?? '';
    expect(/high.*2048x2048/.test(sent)).toBe(factor > 1);
    expect(await harness.spent(key)).toBeCloseTo(PRICE_USD * factor, 9);
  });

  test.each([
    ['acme/dear-endpoint', 1],
    ['acme/dear-conversation', 6],
    ['acme/dear-native', 1],
  ])('in conversation, %s', async (model, factor) => {
    const { key } = await harness.account(5);
    const answer = await harness.chat(key, { model, ...IMAGE, image_config: EXTRAS, ...say('A red square') });
    expect(answer.status).toBe(200);
    const sent = providers.flatMap(({ seen }) => seen).at(-1)?.text ?? '';
    expect(/high.*2048x2048/.test(sent)).toBe(factor > 1);
    expect(await harness.spent(key)).toBeCloseTo(PRICE_USD * factor, 9);
  });
});

test('CAT-05 the listing says that these models make pictures, and where', async () => {
  const listed = await harness.request('GET', '/v1/images/models');
  const ids = (listed.body.data as { id: string }[]).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['acme/endpoint', 'acme/conversation', 'acme/native']));
});
