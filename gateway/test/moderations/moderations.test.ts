// Moderations through the front door: the built-in policy without a model, an upstream's with one.

import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';

const FORBIDDEN = 'how to build a pipe bomb at home';

let harness: Harness;
let key: string;

beforeAll(async () => {
  const entry = { input_modalities: ['text', 'image'], output_modalities: ['moderation'] };
  harness = await startHarness({
    models: {
      'acme/judge': { entry: { ...entry, pricing: { request: '0.001' } } },
      'acme/free-judge': { entry: { ...entry, pricing: { request: '0' } } },
      'acme/blind-judge': { entry: { ...entry, input_modalities: ['text'], pricing: { request: '0' } } },
      'acme/unpriced': { entry: { ...entry, pricing: { completion: '1' } } },
    },
  });
  ({ key } = await harness.account());
});
beforeEach(() => harness.simulator.clearRequests());
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const judge = (body: Json, own = key): Promise<Answer> =>
  harness.request('POST', '/v1/moderations', { key: own, body });
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;

test('without a model the built-in policy judges each input, for nothing and without asking anybody', async () => {
  const { key: own } = await harness.account(0);
  const answer = await judge({ input: ['I want to bake a cake.', FORBIDDEN] }, own);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ model: 'builtin', usage: { cost: 0 } });
  const [harmless, forbidden] = answer.body.results as { flagged: boolean; categories: Json; category_scores: Json }[];
  expect(harmless?.flagged).toBe(false);
  expect(Object.values(harmless?.categories ?? { x: true })).not.toContain(true);
  expect(forbidden?.flagged).toBe(true);
  expect(forbidden?.categories).toMatchObject({ illicit: true, hate: false });
  expect(forbidden?.category_scores).toMatchObject({ illicit: 1, hate: 0 });
  expect(harness.simulator.requests).toEqual([]);
});

test('CAT-04 the listing names only outputs of the specification; such a model is found by its path, and by asking', async () => {
  const listed = async (modalities: string) =>
    (await harness.request('GET', `/v1/models?output_modalities=${modalities}`)).body.data as Json[];
  const all = await listed('all');
  const outputs = all.flatMap(({ architecture }) => (architecture as Json).output_modalities as string[]);
  const known = ['text', 'image', 'embeddings', 'audio', 'video', 'rerank', 'speech', 'transcription'];
  expect(outputs.filter((output) => !known.includes(output))).toEqual([]);
  expect(all.find(({ id }) => id === 'acme/judge')).toMatchObject({
    modality: 'text+image->moderation',
    endpoints: ['/v1/moderations'],
  });
  expect((await listed('moderation')).map(({ id }) => id)).toContain('acme/judge');
});

test('asking is no violation: nothing is refused and no evidence is kept', async () => {
  const kept = async () => ((await harness.operate('GET', '/admin/v1/evidence')).data as Json[]).length;
  const before = await kept();
  expect((await judge({ input: FORBIDDEN })).status).toBe(200);
  expect((await judge({ model: 'acme/judge', input: FORBIDDEN })).status).toBe(200);
  expect(await kept()).toBe(before);
});

test("a model's verdict passes with its own categories, and costs its price", async () => {
  const { key: own } = await harness.account();
  const answer = await judge({ model: 'acme/judge', input: ['peace', 'violence'] }, own);
  expect(answer.body).toMatchObject({
    model: 'acme/judge',
    results: [
      { flagged: false },
      { flagged: true, categories: { violence: true }, category_scores: { violence: 0.97 } },
    ],
    usage: { cost: 0.001 },
  });
  expect(await harness.spent(own)).toBe(0.001);
  expect(answer.headers.get('x-generation-id')).toMatch(/^gen-/);
  const parts = [
    { type: 'text', text: 'violence' },
    { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
  ];
  expect((await judge({ model: 'acme/free-judge', input: parts })).body.results).toHaveLength(1);
});

test.each([
  ['no input', {}, 'missing_required_field'],
  ['an empty list', { input: [] }, 400],
  ['too many', { input: Array.from({ length: 1_025 }, () => 'x') }, 400],
  ['a number', { input: 5 }, 400],
  ['numbers', { input: [1, 2] }, 400],
  [
    'a picture for the built-in policy',
    { input: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] },
    'invalid_modality_for_model',
  ],
  [
    'a picture for a model without eyes',
    { model: 'acme/blind-judge', input: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] },
    'invalid_modality_for_model',
  ],
  [
    'a picture from a file',
    { input: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
    'invalid_image_url',
  ],
  ['a model of another kind', { model: 'openai/test', input: 'x' }, 'model_endpoint_mismatch'],
  ['a model without its price', { model: 'acme/unpriced', input: 'x' }, 'model_not_priced'],
  ['a model that is none', { model: 'acme/nobody', input: 'x' }, 'unknown_model'],
])('refused: %s', async (_, body, code) => {
  const answer = await judge(body as Json);
  expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  expect(harness.simulator.requests).toEqual([]);
});

test('the openai package reads both', async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const own = await client.moderations.create({ input: FORBIDDEN });
  expect(own.results[0]?.categories.illicit).toBe(true);
  const asked = await client.moderations.create({ model: 'acme/judge', input: 'violence' });
  expect(asked.results[0]?.category_scores.violence).toBe(0.97);
});
