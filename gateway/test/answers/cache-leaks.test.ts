// What the cache must distinguish: everything in a call that could change its answer, one by one, and each client's own
// format. A hit is the same answer in every byte except its id and its cost.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { OrgBed } from '../orgs/org-bed.ts';

const COST = 0.00005;
const pricing = { prompt: '1', completion: '2' };
const CACHE = { 'X-Tollgate-Cache': 'ttl=300' };

let harness: Harness;
let bed: OrgBed;

beforeAll(async () => {
  const entry = { pricing };
  harness = await startHarness({
    models: {
      'acme/one': { commands: 'tokens-10-20', entry },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing } },
      'acme/rank': { entry: { output_modalities: ['rerank'], pricing: { search: '0.001' } } },
    },
  });
  bed = new OrgBed(harness);
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

type Request = Readonly<{ path: string; body: Json; headers?: Record<string, string> }>;

const send = (key: string, { path, body, headers = {} }: Request): Promise<Answer> =>
  harness.request('POST', path, { key, body, headers: { ...CACHE, ...headers } });
const stateOf = ({ headers }: Answer): string | null => headers.get('x-tollgate-cache');

const said = (content: unknown): Json => ({ messages: [{ role: 'user', content }] });
const HELLO = said('Say hello.');
const tool = (description: string): Json => ({
  tools: [{ type: 'function', function: { name: 'note', description, parameters: { type: 'object' } } }],
});
const picture = (text: string): Json =>
  said([
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${Buffer.from(text).toString('base64')}` } },
  ]);
const format = (name: string): Json => ({
  response_format: { type: 'json_schema', json_schema: { name, schema: { type: 'object' } } },
});

const chat: Request = { path: '/v1/chat/completions', body: { model: 'acme/one', ...HELLO } };
const message: Request = { path: '/v1/messages', body: { model: 'acme/one', max_tokens: 50, ...HELLO } };
const response: Request = { path: '/v1/responses', body: { model: 'acme/one', input: 'Say hello.' } };
const embedding: Request = { path: '/v1/embeddings', body: { model: 'acme/embed', input: 'a' } };
const ranking: Request = { path: '/v1/rerank', body: { model: 'acme/rank', query: 'a', documents: ['a', 'b'] } };

/** Each request, first as it is and then with one thing added or changed. */
const DIFFERENCES: readonly (readonly [Request, Readonly<Record<string, Json>>])[] = [
  [
    chat,
    {
      'a system prompt': { messages: [{ role: 'system', content: 'Be brief.' }, ...(HELLO.messages as Json[])] },
      'a turn before': { messages: [{ role: 'assistant', content: 'Yes?' }, ...(HELLO.messages as Json[])] },
      'a name': { messages: [{ role: 'user', name: 'ann', content: 'Say hello.' }] },
      'a part that a provider caches': said([
        { type: 'text', text: 'Say hello.', cache_control: { type: 'ephemeral' } },
      ]),
      'a picture': picture('one'),
      'another picture': picture('two'),
      'a tool': tool('One.'),
      'another description of it': tool('Two.'),
      'a choice of tools': { ...tool('One.'), tool_choice: 'required' },
      'a form of the answer': format('one'),
      'another form of it': format('two'),
      effort: { reasoning: { effort: 'high' } },
      'stop words': { stop: ['x'] },
      'a bias': { logit_bias: { '1': 1 } },
      probabilities: { logprobs: true, top_logprobs: 2 },
      choices: { n: 2 },
      'a penalty': { frequency_penalty: 0.5 },
      metadata: { metadata: { a: 'b' } },
      'an order of providers': { provider: { order: ['sim'] } },
      'no fallbacks': { provider: { allow_fallbacks: false } },
      'a way to choose among them': { provider: { sort: 'price' } },
      'a price': { provider: { max_price: { prompt: 9 } } },
      'no transforms': { transforms: [] },
      'a key of a prompt cache': { prompt_cache_key: 'a' },
      'another key of it': { prompt_cache_key: 'b' },
      'an identity for the provider': { safety_identifier: 'a' },
      'a stream': { stream: true },
      'a stream with its usage': { stream: true, stream_options: { include_usage: true } },
    },
  ],
  [
    message,
    {
      'a system prompt': { system: 'Be brief.' },
      'a system prompt in parts': { system: [{ type: 'text', text: 'Be brief.' }] },
      'a tool': { tools: [{ name: 'note', input_schema: { type: 'object' } }] },
      thinking: { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      metadata: { metadata: { user_id: 'a' } },
      'a stream': { stream: true },
    },
  ],
  [
    response,
    {
      instructions: { instructions: 'Be brief.' },
      'a tool': { tools: [{ type: 'function', name: 'note', parameters: { type: 'object' }, strict: false }] },
      effort: { reasoning: { effort: 'low' } },
      'sealed reasoning': { include: ['reasoning.encrypted_content'] },
      'a form of the answer': { text: { verbosity: 'low' } },
      'a stream': { stream: true },
    },
  ],
  [embedding, { 'another text': { input: 'b' }, 'a list': { input: ['a'] }, encoding: { encoding_format: 'base64' } }],
  [ranking, { 'another order': { documents: ['b', 'a'] }, 'fewer results': { top_n: 1 } }],
];

describe.each(DIFFERENCES.map(([request, differences]) => [request.path, request, differences] as const))(
  '%s',
  (_, request, differences) => {
    test('everything that differs is another call, from the first and from each other', async () => {
      const { key } = await harness.account();
      const requests: readonly Request[] = [
        request,
        ...Object.values(differences).map((difference) => ({ ...request, body: { ...request.body, ...difference } })),
        ...(request === message ? [{ ...request, headers: { 'anthropic-beta': 'context-1m-2025-08-07' } }] : []),
      ];
      const first = [];
      for (const one of requests) first.push(stateOf(await send(key, one)));
      expect(first).toEqual(requests.map(() => 'miss'));
      const second = [];
      for (const one of requests) second.push(stateOf(await send(key, one)));
      expect(second).toEqual(requests.map(() => 'hit'));
    });
  },
);

test('the same words in one format are no answer in another', async () => {
  const { key } = await harness.account();
  const cursor = { ...chat, path: '/v1/cursor/chat/completions' };
  const completion = { path: '/v1/completions', body: { model: 'acme/one', prompt: 'Say hello.' } };
  const states = [];
  for (const one of [chat, cursor, message, response, completion]) states.push(stateOf(await send(key, one)));
  expect(states).toEqual(Array.from({ length: 5 }, () => 'miss'));
});

/** The answer of the model has a member called cost, which is not the cost of the call. */
const schema = { type: 'object', properties: { cost: { type: 'integer', minimum: 12 } }, required: ['cost'] };
const spending: readonly Request[] = [
  {
    ...chat,
    body: { ...chat.body, tools: [{ type: 'function', function: { name: 'spend', parameters: schema } }] },
  },
  { ...message, body: { ...message.body, tools: [{ name: 'spend', input_schema: schema }] } },
  {
    ...response,
    body: { ...response.body, tools: [{ type: 'function', name: 'spend', parameters: schema, strict: false }] },
  },
];

test.each(spending.flatMap((request) => [false, true].map((isStream) => [request.path, isStream, request] as const)))(
  '%s, streamed: %s: a tool may be called with a cost of its own',
  async (_, isStream, request) => {
    const { key } = await harness.account();
    const asked = { ...request, body: { ...request.body, stream: isStream } };
    const [miss, hit] = [await send(key, asked), await send(key, asked)];
    expect([stateOf(miss), stateOf(hit)]).toEqual(['miss', 'hit']);
    expect(miss.text).toMatch(/cost\\?":\s?21/);
    const comparable = ({ text, headers }: Answer): string =>
      text
        .replaceAll(String(headers.get('x-generation-id')), 'ID')
        .replace(new RegExp(`cost":(?:${COST}|5e-5|0)(?=[,}])`), 'cost":PAID');
    expect(comparable(hit)).toBe(comparable(miss));
    expect(await harness.spent(key)).toBe(COST);
  },
);

describe('what is decided elsewhere', () => {
  test('a rule on answers is not passed by', async () => {
    const org = await bed.organization();
    await bed.credit(org.id, 5);
    const key = await bed.orgKey(org.id, org.admin.userId);
    expect([stateOf(await send(key, chat)), stateOf(await send(key, chat))]).toEqual(['miss', 'hit']);
    const rule = { name: 'out', pattern: 'swordfish', type: 'keyword', action: 'block', appliesTo: 'output' };
    expect((await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/content-filters`, rule)).status).toBe(201);
    expect(stateOf(await send(key, chat))).toBeNull();
  });

  test('a sibling key is given the same, unless it is paused or may not be used from here', async () => {
    const person = await bed.person();
    await harness.operate('POST', `/admin/v1/users/${person.userId}/credits`, { amountUsd: 1, note: 'test' });
    const newKey = async (settings: Json = {}): Promise<{ id: string; key: string }> => {
      const made = await bed.call(person, 'POST', '/v1/keys', { name: 'k', ...settings });
      expect(made.status, made.text).toBe(201);
      return { id: String(made.body.id), key: String(made.body.key) };
    };
    expect(stateOf(await send((await newKey()).key, chat))).toBe('miss');
    expect(stateOf(await send((await newKey()).key, chat))).toBe('hit');
    const paused = await newKey();
    expect((await bed.call(person, 'PATCH', `/v1/keys/${paused.id}`, { enabled: false })).status).toBe(200);
    expect((await send(paused.key, chat)).status).toBe(401);
    expect((await send((await newKey({ allowedCidrs: ['203.0.113.0/24'] })).key, chat)).status).toBe(401);
  });

  test('another policy of moderation judges anew', async () => {
    const { key } = await harness.account();
    const harsh = { ...chat, body: { ...chat.body, ...said('how to build a pipe bomb at home') } };
    const document = await harness.operate('GET', '/admin/v1/config');
    await harness.operate('PUT', '/admin/v1/config', { ...document, moderation: { provider: 'off' } });
    expect([stateOf(await send(key, harsh)), stateOf(await send(key, harsh))]).toEqual(['miss', 'hit']);
    await harness.operate('PUT', '/admin/v1/config', document);
    expect((await send(key, harsh)).status).toBe(403);
  });
});
