// Rerank through the front door: what may be asked, what comes back, what it costs by the search and by the token.

import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

const entry = (pricing: Json, more: Json = {}) => ({ output_modalities: ['rerank'], pricing, ...more });

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'acme/by-token': { entry: entry({ prompt: '2' }) },
      'acme/by-search': { entry: entry({ search: '0.002' }) },
      'acme/unpriced': { entry: entry({ completion: '1' }) },
      'acme/no-usage': { commands: 'usage-none', entry: entry({ search: '0.002' }) },
      'acme/absurd': { commands: 'usage-negative', entry: entry({ prompt: '2' }) },
    },
  });
  const document = await harness.operate('GET', '/admin/v1/config');
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: {
      ...(document.providers as Json),
      ranker: { protocol: 'cohere', base_url: harness.simulator.url, api_key: 'upstream-secret-key' },
    },
    models: {
      ...(document.models as Json),
      'ranker/by-search': {
        ...entry({ search: '0.002' }),
        routes: [{ provider: 'ranker', upstream_model: 'rerank-v3.5' }],
      },
      'ranker/by-token': { ...entry({ prompt: '2' }), routes: [{ provider: 'ranker', upstream_model: 'rerank-v3.5' }] },
    },
  });
  ({ key } = await harness.account());
});
beforeEach(() => harness.simulator.clearRequests());
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const QUERY = { query: 'Which animal barks?', documents: ['A cat sleeps.', { text: 'The animal that barks: a dog.' }] };

const rank = (body: Json, own = key, path = '/v1/rerank'): Promise<Answer> =>
  harness.request('POST', path, { key: own, body: { model: 'acme/by-search', ...QUERY, ...body } });

const lastSent = (): Json => harness.simulator.requests.at(-1)?.json as Json;
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;

test('the best document comes first, with its place, and a search is charged', async () => {
  const { key: own } = await harness.account();
  const answer = await rank({}, own);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    model: 'acme/by-search',
    results: [{ index: 1 }, { index: 0, relevance_score: 0 }],
    meta: { billed_units: { search_units: 1 } },
    usage: { search_units: 1, cost: 0.002 },
  });
  expect((answer.body.results as Json[])[0]).not.toHaveProperty('document');
  expect(await harness.spent(own)).toBe(0.002);
  const id = answer.headers.get('x-generation-id');
  const record = await harness.request('GET', `/v1/generation?id=${id}`, { key: own });
  expect(record.body.data).toMatchObject({ model: 'acme/by-search', usage: { cost: 0.002 } });
  // Documents go out as plain texts, which every provider takes.
  expect(lastSent()).toMatchObject({ documents: ['A cat sleeps.', 'The animal that barks: a dog.'] });
});

test('top_n bounds the results, and texts come back where they are wanted', async () => {
  const answer = await rank({ top_n: 1, return_documents: true });
  expect(answer.body.results).toEqual([
    { index: 1, relevance_score: expect.any(Number), document: { text: 'The animal that barks: a dog.' } },
  ]);
  expect((await rank({ top_n: 50 })).body.results).toHaveLength(2);
});

test('by the token, the tokens of the upstream are charged; by the search, each hundred documents', async () => {
  const byToken = await rank({ model: 'acme/by-token' });
  const { prompt_tokens: tokens, cost } = byToken.body.usage as { prompt_tokens: number; cost: number };
  expect(tokens).toBeGreaterThan(0);
  expect(cost).toBeCloseTo(tokens * 0.000002, 12);
  const many = await rank({ documents: Array.from({ length: 101 }, (_, index) => `document ${index}`) });
  expect(many.body.usage).toMatchObject({ search_units: 2, cost: 0.004 });
});

test('the other protocol is asked in its own form, and its searches are charged, or the tokens estimated', async () => {
  const answer = await rank({ model: 'ranker/by-search', top_n: 1, max_tokens_per_doc: 512 }, key, '/v2/rerank');
  expect(answer.body).toMatchObject({ results: [{ index: 1 }], usage: { search_units: 1, cost: 0.002 } });
  expect(harness.simulator.requests.at(-1)?.path).toBe('/v2/rerank');
  expect(lastSent()).toEqual({
    model: 'rerank-v3.5',
    query: QUERY.query,
    documents: ['A cat sleeps.', 'The animal that barks: a dog.'],
    top_n: 1,
    max_tokens_per_doc: 512,
  });
  expect((await rank({ model: 'ranker/by-token' })).body.usage).toMatchObject({ cost: expect.any(Number) });
  expect(((await rank({ model: 'ranker/by-token' })).body.usage as { cost: number }).cost).toBeGreaterThan(0);
});

test("Cohere's own package, in either version, is served unchanged", async () => {
  const { key: own } = await harness.account();
  const options = { token: own, environment: harness.url, maxRetries: 0 };
  const asked = { model: 'ranker/by-search', query: QUERY.query, topN: 1 };
  const second = await new CohereClientV2(options).rerank({ ...asked, documents: ['A cat.', 'A dog that barks.'] });
  expect(second.results).toEqual([{ index: 1, relevanceScore: expect.any(Number) }]);
  expect(second.meta?.billedUnits?.searchUnits).toBe(1);
  const first = await new CohereClient(options).rerank({ ...asked, documents: QUERY.documents });
  expect(first.results[0]?.index).toBe(1);
  expect(await harness.spent(own)).toBeCloseTo(0.004, 12);
  const wrong = new CohereClientV2({ ...options, token: 'sk-unknown' }).rerank({ ...asked, documents: ['A cat.'] });
  await expect(wrong).rejects.toMatchObject({ statusCode: 401 });
});

test('what nobody counted is not charged', async () => {
  const { key: own } = await harness.account();
  expect((await rank({ model: 'acme/no-usage' }, own)).body.usage).toMatchObject({ cost: 0 });
  expect((await rank({ model: 'acme/absurd' }, own)).body.usage).toMatchObject({ cost: 0 });
  expect(await harness.spent(own)).toBe(0);
});

test.each([
  ['no query', { query: null }, 'missing_required_field'],
  ['an empty query', { query: '' }, 400],
  ['no documents', { documents: null }, 'missing_required_field'],
  ['an empty list', { documents: [] }, 400],
  ['too many documents', { documents: Array.from({ length: 2_049 }, () => 'd') }, 400],
  ['a document without text', { documents: [{ title: 'd' }] }, 400],
  ['a negative number', { top_n: -1 }, 400],
  ['half a number', { top_n: 0.5 }, 400],
  ['a model of another kind', { model: 'openai/test' }, 'model_endpoint_mismatch'],
  ['a model without its price', { model: 'acme/unpriced' }, 'model_not_priced'],
])('refused before anything is sent: %s', async (_, body, code) => {
  const answer = await rank(body as Json);
  expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  expect(harness.simulator.requests).toEqual([]);
});

test('a query that names a forbidden thing is refused like any prompt, and no credit is no call', async () => {
  const { key: poor } = await harness.account(0);
  expect((await rank({}, poor)).status).toBe(402);
  expect((await rank({ documents: ['how to build a pipe bomb at home'] })).status).toBe(403);
  expect(harness.simulator.requests).toEqual([]);
});
