// The auto router from the outside: which model answers, how the caller learns it, and what is refused, on every
// dialect.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadClassifier } from '../../../bench/src/auto-accuracy.ts';
import { inputOf, readPrompts } from '../../../bench/src/auto-prompts.ts';
import { AUTO_TIERS, type AutoTier } from '../../src/contract/config.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { autoCatalog, CLEAR_REQUESTS, freeModel, paidModel } from './auto-tables.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness(
    autoCatalog({
      'acme/failing': { commands: 'status-503' },
      'acme/blind': { entry: { input_modalities: ['text'] } },
      'acme/narrow': { entry: { context_length: 20 } },
      'acme/brief': { entry: { max_completion_tokens: 100 } },
      'acme/briefer': { entry: { max_completion_tokens: 50 } },
      'acme/toolless': { entry: { supported_parameters: ['temperature'] } },
      'acme/retired': { entry: { deprecation_date: '2020-01-31' } },
      'acme/silent': { entry: { output_modalities: ['embeddings'] } },
    }),
  );
  key = (await harness.account()).key;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const setTier = (tier: AutoTier, change: Json, table = 'paid') =>
  harness.operate('PATCH', `/admin/v1/auto-router/${table}/${tier}`, change);

const restoreTier = (tier: AutoTier) => setTier(tier, { enabled: true, models: [paidModel(tier)] });

const chat = (content: unknown, body: Json = {}): Promise<Answer> =>
  harness.chat(key, { model: 'auto', messages: [{ role: 'user', content }], ...body });

const resolvedModel = (answer: Answer): string | null => answer.headers.get('X-Auto-Resolved-Model');

describe('AUTO-02 a request reaches the tier it belongs to', () => {
  test.each(AUTO_TIERS)('%s', async (tier) => {
    const answer = await chat(CLEAR_REQUESTS[tier]);
    expect([answer.status, answer.body.model]).toEqual([200, paidModel(tier)]);
  });
});

type Way = Readonly<{ path: string; body(text: string): Json }>;
const WAYS: readonly (readonly [string, Way])[] = [
  ['chat', { path: '/v1/chat/completions', body: (text) => ({ messages: [{ role: 'user', content: text }] }) }],
  [
    'cursor',
    { path: '/v1/cursor/chat/completions', body: (text) => ({ messages: [{ role: 'user', content: text }] }) },
  ],
  ['responses', { path: '/v1/responses', body: (text) => ({ input: text }) }],
  [
    'messages',
    { path: '/v1/messages', body: (text) => ({ max_tokens: 50, messages: [{ role: 'user', content: text }] }) },
  ],
];
const SIMPLE = String(CLEAR_REQUESTS.simple);

describe.each(WAYS)('AUTO-01 AUTO-07 AUTO-10 on %s', (_name, way) => {
  const send = (model: string, stream: boolean): Promise<Answer> =>
    harness.request('POST', way.path, { key, body: { model, stream, ...way.body(SIMPLE) } });

  test('auto takes the paid table, and body and header name the model', async () => {
    const answer = await send('auto', false);
    expect(answer.status).toBe(200);
    expect(answer.body.model).toBe(paidModel('simple'));
    expect(resolvedModel(answer)).toBe(paidModel('simple'));
  });

  test('auto:free takes the free table', async () => {
    const answer = await send('auto:free', false);
    expect([answer.status, answer.body.model]).toEqual([200, freeModel('simple')]);
    expect(resolvedModel(answer)).toBe(freeModel('simple'));
  });

  test('a stream has the header too, and names the model in its frames', async () => {
    const answer = await send('auto', true);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toContain('text/event-stream');
    expect(resolvedModel(answer)).toBe(paidModel('simple'));
    expect(answer.text).toContain(`"model":"${paidModel('simple')}"`);
  });

  test('AUTO-05 ERR-11 a disabled tier is a 503 in the dialect of the caller, and nobody is asked', async () => {
    await setTier('simple', { enabled: false });
    const asked = harness.simulator.requests.length;
    const answer = await send('auto', false);
    await restoreTier('simple');
    expect(answer.status).toBe(503);
    expect((answer.body.error as Json).message).toContain('tier "simple" is disabled');
    expect(resolvedModel(answer)).toBeNull();
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(harness.simulator.requests.length).toBe(asked);
  });
});

test('a call that names its model has no such header', async () => {
  const answer = await chat(SIMPLE, { model: 'openai/test' });
  expect(answer.status).toBe(200);
  expect(resolvedModel(answer)).toBeNull();
});

test('the prefix that some clients add is understood', async () => {
  const answer = await chat(SIMPLE, { model: 'tollgate/auto' });
  expect([answer.status, answer.body.model]).toEqual([200, paidModel('simple')]);
});

describe('AUTO-04 a tier has a primary and up to five fallbacks', () => {
  test.each([false, true])('tried in order until one answers; stream: %s', async (stream) => {
    await setTier('simple', { models: ['acme/failing', 'acme/retired', paidModel('data'), paidModel('email')] });
    const answer = await chat(SIMPLE, { stream });
    await restoreTier('simple');
    expect(answer.status).toBe(200);
    expect(resolvedModel(answer)).toBe(paidModel('data'));
    expect(answer.text).toContain(`"model":"${paidModel('data')}"`);
  });

  test("the caller's own list comes after the tier's", async () => {
    await setTier('simple', { models: ['acme/failing'] });
    const answer = await chat(SIMPLE, { models: [paidModel('coding')] });
    await restoreTier('simple');
    expect([answer.status, resolvedModel(answer)]).toEqual([200, paidModel('coding')]);
  });

  test('when all of them fail, the last failure is the answer', async () => {
    await setTier('simple', { models: ['acme/failing'] });
    const answer = await chat(SIMPLE);
    await restoreTier('simple');
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(resolvedModel(answer)).toBeNull();
  });
});

describe('models of the tier that cannot serve the request are passed over', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };
  const long = 'Good morning to all of you. '.repeat(30);

  const pictured = [{ type: 'text', text: 'What is in this picture?' }, image];

  test.each([
    { why: 'no eyes for a picture', tier: 'vision', unfit: 'acme/blind', content: pictured, body: {} },
    { why: 'no tools', tier: 'simple', unfit: 'acme/toolless', content: SIMPLE, body: { tools: [tool] } },
    { why: 'no conversation at all', tier: 'simple', unfit: 'acme/silent', content: SIMPLE, body: {} },
    { why: 'past its last day', tier: 'simple', unfit: 'acme/retired', content: SIMPLE, body: {} },
  ] as const)('$why', async ({ tier, unfit, content, body }) => {
    await setTier(tier, { models: [unfit, paidModel('data')] });
    const served = await chat(content, body);
    await setTier(tier, { models: [unfit] });
    const refused = await chat(content, body);
    await restoreTier(tier);
    expect([served.status, resolvedModel(served)]).toEqual([200, paidModel('data')]);
    expect(refused.status).toBe(503);
    expect((refused.body.error as Json).code).toBe('upstream_unavailable');
  });

  test('too small for the prompt; alone, it says so itself', async () => {
    const first = await chat(long);
    const tier = String(first.body.model).replace('paid/', '') as AutoTier;
    await setTier(tier, { models: ['acme/narrow', paidModel('data')] });
    const served = await chat(long);
    await setTier(tier, { models: ['acme/narrow'] });
    const refused = await chat(long, { transforms: [] });
    await restoreTier(tier);
    expect([served.status, resolvedModel(served)]).toEqual([200, paidModel('data')]);
    expect([refused.status, (refused.body.error as Json).code]).toEqual([400, 'context_too_long']);
  });
});

test('ERR-32 a longer answer than any model of the tier gives is refused as it is for a model', async () => {
  await setTier('simple', { models: ['acme/brief', 'acme/briefer'] });
  const text = CLEAR_REQUESTS.simple;
  const asked = await chat(text, { max_tokens: 101 });
  expect([asked.status, (asked.body.error as Json).code]).toEqual([400, 'max_tokens_invalid']);
  expect((asked.body.error as Json).message).toContain('acme/brief produces at most 100');
  expect((await chat(text, { max_tokens: 100 })).body.model).toBe('acme/brief');
  await setTier('simple', { models: ['acme/briefer', 'acme/brief'] });
  expect((await chat(text, { max_tokens: 100 })).body.model).toBe('acme/brief');
  await restoreTier('simple');
});

test('AUTO-10 auto is no fallback, and says so', async () => {
  const answer = await chat(SIMPLE, { model: 'openai/test', models: ['auto'] });
  expect([answer.status, (answer.body.error as Json).code]).toEqual([400, 'model_endpoint_mismatch']);
});

test('AUTO-03 a doubtful result goes one step up the ladder', async () => {
  const ladder: readonly AutoTier[] = ['simple', 'standard', 'complex', 'reasoning'];
  const classifier = loadClassifier();
  const doubtful = readPrompts()
    .filter(({ needs, tools, system, turns }) => !needs && !tools && !system && !turns)
    .map((prompt) => ({ text: prompt.text, score: classifier.classify(inputOf(prompt)) }))
    .find(({ score }) => score.confidence < 0.6 && ladder.indexOf(score.tier) >= 0 && score.tier !== 'reasoning');
  expect(doubtful).toBeDefined();
  const from = doubtful?.score.tier ?? 'simple';
  const above = ladder[ladder.indexOf(from) + 1] ?? 'reasoning';
  const answer = await chat(doubtful?.text);
  expect(answer.body.model).toBe(paidModel(above));
  expect((await recordOf(answer)).auto).toMatchObject({ table: 'paid', tier: above, promoted_from: from });
});

async function recordOf(answer: Answer): Promise<Json> {
  const id = answer.headers.get('X-Generation-Id');
  const read = await harness.request('GET', `/v1/generation?id=${id}`, { key });
  expect(read.status).toBe(200);
  return read.body.data as Json;
}

describe('the record of the call says why', () => {
  test.each([false, true])(
    'table, tier, confidence and signals, and nothing of the prompt; stream: %s',
    async (stream) => {
      const secret = 'Kowalczyk';
      const answer = await chat(`Write an email to ${secret}, politely asking for a refund.`, { stream });
      const record = await recordOf(answer);
      const auto = record.auto as Json;
      expect(record.model).toBe(paidModel('email'));
      expect(auto).toMatchObject({ table: 'paid', tier: 'email', promoted_from: null });
      expect(auto.confidence).toBeGreaterThan(0.6);
      expect((auto.signals as Json[])[0]).toEqual({ name: expect.any(String), weight: expect.any(Number) });
      expect(JSON.stringify(record)).not.toContain(secret);
    },
  );

  test('of the free table too', async () => {
    const free = await chat(SIMPLE, { model: 'auto:free' });
    expect((await recordOf(free)).auto).toMatchObject({ table: 'free', tier: 'simple' });
  });

  test('a call that named its model has none', async () => {
    expect((await recordOf(await chat(SIMPLE, { model: 'openai/test' }))).auto).toBeNull();
  });
});
