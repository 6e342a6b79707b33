// Embeddings through the front door: what may be asked, what comes back, what it costs.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { addProviders, embed, embeddingModel, startEmbeddings, vectorsOf } from './embeddings-harness.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startEmbeddings({
    models: {
      'acme/counted': embeddingModel('tokens-1500-0'),
      'acme/tiny': embeddingModel(undefined, { context_length: 50 }),
      'acme/speaker': { entry: { output_modalities: ['speech'], pricing: { character: '0.001' } } },
      'acme/talker': {},
    },
  });
  await addProviders(harness);
  ({ key } = await harness.account());
});
beforeEach(() => {
  harness.simulator.clearRequests();
  harness.simulator.clearScripts();
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const lastSent = (): Json => harness.simulator.requests.at(-1)?.json as Json;

test('EMB-01 EMB-02 the answer has the usual shape, in the order of the inputs, with its cost', async () => {
  const answer = await embed(harness, key, { input: ['first text', 'second text', 'first text'] });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    object: 'list',
    model: 'acme/embed',
    data: [0, 1, 2].map((index) => ({ object: 'embedding', index })),
    usage: { prompt_tokens: 9, total_tokens: 9, cost: 0.000018 },
  });
  const [first, second, third] = vectorsOf(answer);
  expect(first).toHaveLength(1536);
  expect(third).toEqual(first);
  expect(second).not.toEqual(first);
  expect(answer.headers.get('x-generation-id')).toMatch(/^gen-/);
  expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
});

test('EMB-01 BILL-03 prompt tokens are charged, and the record says the same', async () => {
  const { key: own } = await harness.account();
  const answer = await embed(harness, own, { model: 'acme/counted' });
  expect(answer.body.usage).toEqual({ prompt_tokens: 1500, total_tokens: 1500, cost: 0.003 });
  expect(await harness.spent(own)).toBe(0.003);
  const id = answer.headers.get('x-generation-id');
  const record = await harness.request('GET', `/v1/generation?id=${id}`, { key: own });
  expect(record.body.data).toMatchObject({ model: 'acme/counted', usage: { prompt_tokens: 1500, cost: 0.003 } });
});

describe('EMB-03 what may be embedded', () => {
  test.each([
    ['a text', 'one', 1],
    ['texts', ['one', 'two'], 2],
    ['token ids', [1, 2, 3], 1],
    ['lists of token ids', [[1, 2], [3]], 2],
    ['items of text', [{ content: [{ type: 'text', text: 'one' }] }], 1],
  ])('%s', async (_, input, count) => {
    const answer = await embed(harness, key, { input });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toHaveLength(count);
    expect(lastSent().input).toEqual(input);
  });

  test('EMB-03 texts with images, on a model that takes them', async () => {
    const content = [
      { type: 'text', text: 'a pixel' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ];
    const answer = await embed(harness, key, { model: 'acme/embed-images', input: [{ content }] });
    expect(answer.status, answer.text).toBe(200);
    expect(lastSent().input).toEqual([{ content }]);
  });

  test.each([
    ['no input', { input: undefined }, 'missing_required_field', 'input'],
    ['no model', { model: undefined }, 'missing_required_field', 'model'],
    ['an empty text', { input: '' }, 400, 'input'],
    ['an empty list', { input: [] }, 400, 'input'],
    ['an empty text among others', { input: ['a', ''] }, 400, 'input[1]'],
    ['a number', { input: 7 }, 400, 'input'],
    ['texts and numbers', { input: ['a', 7] }, 400, 'input[1]'],
    ['token ids that are none', { input: [1, -2] }, 400, 'input'],
    ['token ids with a fraction', { input: [[1, 2.5]] }, 400, 'input[0]'],
    ['an enormous token id', { input: [2 ** 60] }, 400, 'input'],
    ['an item without content', { input: [{ text: 'a' }] }, 400, 'input[0].content'],
    ['a part of another type', { input: [{ content: [{ type: 'audio' }] }] }, 400, 'input[0].content[0].type'],
    ['too many', { input: Array(2049).fill('a') }, 400, '2048'],
    [
      'an image that is nowhere',
      { input: [{ content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }] },
      'invalid_image_url',
      'image_url',
    ],
  ])('%s is refused', async (_, body, code, named) => {
    const answer = await embed(harness, key, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringContaining(named) });
    expect(harness.simulator.requests).toEqual([]);
  });
});

describe('EMB-04 dimensions and encodings', () => {
  test('EMB-04 both are forwarded and change the vector', async () => {
    const plain = await embed(harness, key, { dimensions: 8 });
    expect(vectorsOf(plain)[0]).toHaveLength(8);
    expect(lastSent()).toMatchObject({ dimensions: 8 });
    const binary = await embed(harness, key, { dimensions: 8, encoding_format: 'base64' });
    expect(lastSent()).toMatchObject({ encoding_format: 'base64' });
    const [{ embedding }] = binary.body.data as [{ embedding: string }];
    const bytes = Buffer.from(embedding, 'base64');
    const numbers = Array.from({ length: 8 }, (_unused, index) => bytes.readFloatLE(index * 4));
    expect(numbers).toEqual(vectorsOf(plain)[0]);
  });

  test('EMB-04 an upstream that does not listen is corrected, to the last bit', async () => {
    const values = [0.1, -0.25, 1 / 3].map(Math.fround);
    const reply = (embedding: unknown) => ({
      object: 'list',
      data: [{ index: 0, embedding }],
      usage: { prompt_tokens: 1 },
    });
    const bytes = Buffer.alloc(12);
    for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
    harness.simulator.script((_, response) => void response.end(JSON.stringify(reply(values))), { times: 1 });
    const binary = await embed(harness, key, { encoding_format: 'base64' });
    expect((binary.body.data as Json[])[0]?.embedding).toBe(bytes.toString('base64'));
    harness.simulator.script((_, response) => void response.end(JSON.stringify(reply(bytes.toString('base64')))), {
      times: 1,
    });
    const plain = await embed(harness, key, { encoding_format: 'float' });
    expect(vectorsOf(plain)[0]).toEqual(values);
  });

  test.each([-1, 0, -0, 0.5, 1e9, 1e308, 2 ** 53 + 1, '8', true, [], {}])('NUM-1 dimensions %j', async (dimensions) => {
    const answer = await embed(harness, key, { dimensions });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('dimensions') });
  });

  test('EMB-04 null is the same as nothing, and an encoding must be a name', async () => {
    expect((await embed(harness, key, { dimensions: null, encoding_format: null })).status).toBe(200);
    for (const encoding_format of [7, '', 'two words', {}]) {
      expect((await embed(harness, key, { encoding_format })).status).toBe(400);
    }
  });
});

test('EMB-05 the wishes about providers are honoured', async () => {
  const used = async (provider: Json): Promise<unknown> => {
    harness.simulator.clearRequests();
    const answer = await embed(harness, key, { model: 'acme/two-routes', provider });
    expect(answer.status, answer.text).toBe(200);
    expect(lastSent()).not.toHaveProperty('provider');
    return harness.simulator.requests.at(-1)?.headers.authorization;
  };
  expect(await used({ order: ['second'] })).toBe('Bearer k2');
  expect(await used({ only: ['first'] })).toBe('Bearer k1');
  expect(await used({ data_collection: 'deny' })).toBe('Bearer k2');
  const limited = { model: 'acme/limited', provider: { order: ['first'] } };
  expect((await embed(harness, key, limited)).status).toBe(200);
  const alone = await embed(harness, key, { ...limited, provider: { ...limited.provider, allow_fallbacks: false } });
  expect(alone.status).toBe(429);
});

test('EMB-06 embeddings never stream', async () => {
  const answer = await embed(harness, key, { stream: true });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body.object).toBe('list');
  expect(lastSent()).not.toHaveProperty('stream');
});

describe('EMB-07 a provider that lacks support', () => {
  test.each(['status-400', 'status-404', 'status-422', 'status-405'])(
    'EMB-07 %s: the next one is asked',
    async (fault) => {
      harness.simulator.script(fault, { times: 1 });
      const { key: own } = await harness.account();
      const answer = await embed(harness, own, { model: 'acme/two-routes', provider: { order: ['first', 'second'] } });
      expect(answer.status, answer.text).toBe(200);
      expect(harness.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer k1',
        'Bearer k2',
      ]);
      expect(await harness.spent(own)).toBe((answer.body.usage as Json).cost);
      const record = await harness.request('GET', `/v1/generation?id=${answer.headers.get('x-generation-id')}`, {
        key: own,
      });
      expect(record.body.data).toMatchObject({ provider: 'second' });
    },
  );

  test('EMB-07 when nobody can, it was a bad request after all', async () => {
    harness.simulator.script('status-400', { times: 2 });
    const answer = await embed(harness, key, { model: 'acme/two-routes' });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'unknown_4xx' });
    expect(harness.simulator.requests).toHaveLength(2);
  });

  test('EMB-07 a protocol without embeddings is not even asked', async () => {
    const answer = await embed(harness, key, { model: 'acme/unspoken', provider: { order: ['messages-only', 'sim'] } });
    expect(answer.status, answer.text).toBe(200);
    expect(harness.simulator.requests.map(({ path }) => path)).toEqual(['/v1/embeddings']);
  });
});

test('EMB-08 a model of texts refuses images', async () => {
  const content = [{ type: 'image_url', image_url: { url: PIXEL } }];
  const answer = await embed(harness, key, { input: [{ content }] });
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ code: 'invalid_modality_for_model' });
  expect(harness.simulator.requests).toEqual([]);
});

describe('EMB-09 inputs longer than the model', () => {
  const long = 'word '.repeat(200);

  test('EMB-09 one that is too long is refused by its place, and never cut', async () => {
    const answer = await embed(harness, key, { model: 'acme/tiny', input: ['short', long] });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'context_too_long', message: expect.stringContaining('input[1]') });
  });

  test('EMB-09 many that fit are no problem together', async () => {
    expect((await embed(harness, key, { model: 'acme/tiny', input: Array(100).fill('a few words') })).status).toBe(200);
  });

  test('EMB-09 token ids count exactly', async () => {
    expect((await embed(harness, key, { model: 'acme/tiny', input: Array(50).fill(1) })).status).toBe(200);
    const answer = await embed(harness, key, { model: 'acme/tiny', input: Array(51).fill(1) });
    expect(answer.body.error).toMatchObject({ code: 'context_too_long' });
  });
});

describe('ERR-24 ERR-25 models and endpoints', () => {
  test('ERR-24 a chat model makes no embeddings', async () => {
    const answer = await embed(harness, key, { model: 'openai/test' });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: 'model_endpoint_mismatch',
      message: expect.stringContaining('/v1/chat/completions'),
    });
  });

  test('ERR-25 an embedding model does not chat', async () => {
    const answer = await harness.chat(key, { model: 'acme/embed' });
    expect(answer.body.error).toMatchObject({
      code: 'embedding_on_chat_endpoint',
      message: expect.stringContaining('/v1/embeddings'),
    });
  });

  test('ERR-24 other mismatches have one code, and say where to go', async () => {
    const chat = await harness.chat(key, { model: 'acme/speaker' });
    expect(chat.body.error).toMatchObject({
      code: 'model_endpoint_mismatch',
      message: expect.stringContaining('/v1/audio/speech'),
    });
    const auto = await embed(harness, key, { model: 'auto' });
    expect(auto.body.error).toMatchObject({ code: 'model_endpoint_mismatch' });
  });

  test('ROUTE-03 bare names are for chat completions alone', async () => {
    const ask = (path: string, body: Json) => harness.request('POST', path, { key, body });
    const chat = { model: 'talker', messages: [{ role: 'user', content: 'hello' }] };
    expect((await ask('/v1/chat/completions', chat)).status).toBe(200);
    const elsewhere = [
      await embed(harness, key, { model: 'embed' }),
      await ask('/v1/messages', { ...chat, max_tokens: 10 }),
      await ask('/v1/messages/count_tokens', chat),
      await ask('/v1/responses', { model: 'talker', input: 'hello' }),
    ];
    expect(elsewhere.map(({ status, body }) => [status, (body.error as Json).code])).toEqual(
      elsewhere.map(() => [400, 'unknown_model']),
    );
  });
});

test('BILL-02 ERR-18 who cannot pay is refused before anything is sent', async () => {
  const { key: poor } = await harness.account('0.0000001');
  const answer = await embed(harness, poor, { input: 'word '.repeat(500) });
  expect(answer.status).toBe(402);
  expect(answer.body.error).toMatchObject({ code: 'insufficient_credits' });
  expect(harness.simulator.requests).toEqual([]);
});

test('BILL-16 a hundred at once never spend more than there is', async () => {
  const { key: own } = await harness.account('0.0000200');
  const answers = await Promise.all(Array.from({ length: 60 }, () => embed(harness, own, { input: 'abcd' })));
  const paid = answers.filter(({ status }) => status === 200).length;
  expect(paid).toBeGreaterThan(0);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  expect(await harness.spent(own)).toBeLessThanOrEqual(0.00002);
});
