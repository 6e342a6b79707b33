// Nothing dearer is sold at the ordinary price: every field, tool, plugin and flag that makes a provider charge more
// reaches the provider only where the catalog prices it, and the charge names it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { startTeller, type Teller } from './teller.ts';

const sound = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4_000)]).toString('base64');
const TALK = [{ role: 'user', content: 'Hi.' }];

const calls: Readonly<Record<string, Readonly<{ path: string; provider: string; body: Json; entry?: Json }>>> = {
  chat: { path: '/v1/chat/completions', provider: 'plain', body: { messages: TALK } },
  responses: { path: '/v1/responses', provider: 'native', body: { input: 'Hi.' } },
  messages: { path: '/v1/messages', provider: 'messages', body: { messages: TALK, max_tokens: 50 } },
  images: {
    ...{ path: '/v1/images/generations', provider: 'plain', body: { prompt: 'A cat.' } },
    entry: { output_modalities: ['image'], pricing: { image: '0.04' } },
  },
  speech: {
    ...{ path: '/v1/audio/speech', provider: 'plain', body: { input: 'Hi.', voice: 'alloy' } },
    entry: { output_modalities: ['speech'], pricing: { character: '0.00001' } },
  },
  transcription: {
    ...{ path: '/v1/audio/transcriptions', provider: 'plain', body: { input_audio: { data: sound, format: 'wav' } } },
    entry: {
      ...{ input_modalities: ['audio'], output_modalities: ['transcription'] },
      pricing: { audio_second: '0.0001' },
    },
  },
};

type Row = Readonly<{
  format: string;
  what: string;
  body?: Json;
  flags?: string;
  /** Found in the provider's request where it has a price. */
  seen: string;
  /** Sent instead where it has no price. */
  instead?: unknown;
  extras?: Json;
  pricing?: Json;
  tiers?: readonly Json[];
}>;

const field = (format: string, name: string, value: unknown, more: Partial<Row> = {}): Row => ({
  ...{ format, what: name, body: { [name]: value }, seen: String(value), extras: { [`${name}=${value}`]: '2' } },
  ...more,
});

const tool = (format: string, body: Json, seen: string): Row => ({
  ...{ format, what: seen, body: { tools: [body] }, seen, pricing: { hosted_tool: '0.03' } },
});

const rows: readonly Row[] = [
  ...['chat', 'responses'].flatMap((format) =>
    ['priority', 'flex', 'scale'].map((tier) => field(format, 'service_tier', tier, { instead: 'default' })),
  ),
  field('messages', 'service_tier', 'priority'),
  ...['chat', 'messages'].flatMap((format) => [
    field(format, 'speed', 'fast'),
    field(format, 'inference_geo', 'us-only'),
  ]),
  ...['chat', 'responses'].map((format) =>
    field(format, 'reasoning', { mode: 'pro' }, { seen: '"pro"', extras: { 'reasoning_mode=pro': '3' } }),
  ),
  ...['chat', 'responses'].map((format) =>
    field(format, 'prompt_cache_options', { ttl: '12h' }, { seen: '"12h"', extras: { 'prompt_cache_ttl=12h': '2' } }),
  ),
  field(
    'chat',
    'web_search_options',
    { search_context_size: 'high' },
    {
      seen: '"high"',
      extras: { 'search_context_size=high': '1', 'search_context_size=medium': { request: '0.008' } },
    },
  ),
  field(
    'chat',
    'web_search_options',
    { search_type: 'pro' },
    {
      ...{ seen: '"pro"', extras: { 'search_type=pro': { request: '0.01' } } },
    },
  ),
  field('chat', 'plugins', [{ id: 'web', max_results: 100 }], {
    seen: '"max_results":100',
    instead: [{ id: 'web', max_results: 10 }],
    extras: { 'max_results=100': { request: '0.4' } },
  }),
  field(
    'chat',
    'search_parameters',
    { mode: 'on', max_search_results: 50 },
    {
      ...{ seen: '"max_search_results":50', instead: { mode: 'on', max_search_results: 20 } },
      extras: { 'max_results=50': { request: '1.25' } },
    },
  ),
  field('images', 'quality', 'high'),
  field('images', 'size', '2048x2048'),
  field('images', 'input_fidelity', 'high'),
  field('images', 'image_size', '4K'),
  field('images', 'resolution', '4K'),
  field('images', 'num_inference_steps', 150, { extras: { 'steps=150': '2' }, seen: '"num_inference_steps":150' }),
  field('speech', 'instructions', 'Very calmly.', { extras: { instructions: '1.2' } }),
  field('transcription', 'keyterms', 'a-keyterm', { extras: { keyterms: '1.2' } }),
  tool('messages', { type: 'code_execution_20250825', name: 'code_execution' }, 'code_execution_20250825'),
  tool('messages', { type: 'advisor_20260301', name: 'advisor', model: 'm' }, 'advisor_20260301'),
  tool('responses', { type: 'code_interpreter', container: { type: 'auto' } }, 'code_interpreter'),
  tool('responses', { type: 'image_generation' }, 'image_generation'),
  tool('responses', { type: 'shell' }, 'shell'),
  {
    ...{ format: 'chat', what: 'a plugin that reads files', body: { plugins: [{ id: 'file-parser' }] } },
    ...{ seen: 'file-parser', pricing: { hosted_tool: '0.03' } },
  },
  {
    ...{ format: 'chat', what: 'a plugin that fetches pages', body: { plugins: [{ id: 'web-fetch', max_uses: 9 }] } },
    ...{ seen: 'web-fetch', pricing: { hosted_tool: '0.03' } },
  },
  {
    ...{ format: 'messages', what: 'a cache for an hour', seen: '"1h"', pricing: { cache_write_1h: '2' } },
    body: { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
  },
  {
    ...{ format: 'messages', what: 'a flag for long prompts', flags: 'context-1m-2025-08-07' },
    ...{
      seen: 'context-1m-2025-08-07',
      tiers: [{ above_prompt_tokens: 200_000, prompt: '0.000002', completion: '0.000004' }],
    },
  },
  {
    ...{ format: 'messages', what: 'a flag for a fast mode', flags: 'fast-mode-2026-02-01', body: { speed: 'fast' } },
    ...{ seen: 'fast-mode-2026-02-01', extras: { 'speed=fast': '6' } },
  },
  {
    ...{ format: 'messages', what: 'a flag for code', flags: 'code-execution-2025-08-25' },
    ...{ seen: 'code-execution-2025-08-25', pricing: { hosted_tool: '0.03' } },
  },
];

/** Never sent, because they would order more than is counted. */
const never: readonly Row[] = [
  ...['num_images', 'num_outputs', 'samples', 'batch_size', 'number_of_images', 'max_images'].map((name) =>
    field('images', name, 9, { seen: name }),
  ),
  field('chat', 'best_of', 9, { seen: 'best_of' }),
  field('chat', 'plugins', [{ id: 'web', x_search: { from_date: '2026-01-01' } }], { seen: 'x_search' }),
  // Programs that read names in any case take the last of them.
  ...['N', 'Size', 'QUALITY', 'n[0]', ' n', 'Model', 'Num_Images'].map((name) =>
    field('images', name, '9', { seen: name }),
  ),
  ...['Max_Tokens', 'MODEL', 'Stream_Options', 'Service_Tier', 'me\u017f\u017fages'].map((name) =>
    field('chat', name, '9', { seen: name }),
  ),
  ...['Diarize', 'diarize[]', 'diarize[0]', 'Keyterms', '\u212aeyterms', 'Response_Format'].map((name) =>
    field('transcription', name, 'true', { seen: name }),
  ),
  field('messages', 'fallbacks', [{ model: 'dear' }], { seen: 'dear' }),
];

const TOKENS = { prompt: '1', completion: '2' };

let harness: Harness;
let key: string;
let teller: Teller;

const modelOf = (index: number, isPriced: boolean): string => `openai/${isPriced ? 'priced' : 'plain'}-${index}`;

function entryOf(row: Row, isPriced: boolean): Json {
  const { provider, entry = {} } = calls[row.format] ?? { provider: '' };
  const pricing = (entry.pricing ?? TOKENS) as Json;
  const dear = isPriced && row.pricing !== undefined ? { ...pricing, ...row.pricing } : pricing;
  return {
    ...entry,
    pricing: dear,
    ...(isPriced && row.extras !== undefined ? { extras: row.extras } : {}),
    ...(isPriced && row.tiers !== undefined ? { pricing_tiers: row.tiers } : {}),
    routes: [{ provider, upstream_model: 'm.sim-tokens-1000-1000' }],
  };
}

beforeAll(async () => {
  harness = await startHarness({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' } });
  const at = { base_url: `${harness.simulator.url}/v1`, api_key: 'k' };
  const { models: _models, ...others } = configDocument(harness.simulator.url, { models: {} });
  const models: Record<string, Json> = {};
  for (const [index, row] of [...rows, ...never].entries()) {
    if (index < rows.length) models[modelOf(index, true)] = entryOf(row, true);
    models[modelOf(index, false)] = entryOf(row, false);
  }
  teller = await startTeller();
  const told = { base_url: `${teller.url}/v1`, api_key: 'k' };
  for (const provider of ['plain', 'native', 'messages']) {
    const entry = { pricing: TOKENS, routes: [{ provider: `told-${provider}`, upstream_model: 'm' }] };
    models[`openai/told-${provider}`] = { ...entry, extras: { 'service_tier=priority': '2' } };
    models[`openai/untold-${provider}`] = entry;
  }
  for (const provider of ['plain', 'native', 'messages', 'gemini']) {
    const routes = [{ provider, upstream_model: 'm.sim-tokens-1000-1000' }];
    const extras = { 'service_tier=priority': '2', 'service_tier=flex': '0.5', 'speed=fast': '6' };
    for (const family of ['openai', 'acme']) models[`${family}/any-${provider}`] = { pricing: TOKENS, extras, routes };
  }
  await harness.operate('PUT', '/admin/v1/config', {
    ...others,
    models,
    providers: {
      'told-plain': { protocol: 'openai', ...told },
      'told-native': { protocol: 'openai', responses: true, ...told },
      'told-messages': { protocol: 'anthropic', ...told },
      plain: { protocol: 'openai', ...at },
      native: { protocol: 'openai', responses: true, ...at },
      messages: { protocol: 'anthropic', ...at },
      gemini: { protocol: 'gemini', ...at },
    },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  await teller.close();
});

/** What the provider was sent, flags included. */
async function sent(
  row: Row,
  model: string,
): Promise<Readonly<{ text: string; json: Json; id: string | null; cost: number }>> {
  const { path, body } = calls[row.format] ?? { path: '', body: {} };
  const headers: Record<string, string> = row.flags === undefined ? {} : { 'anthropic-beta': row.flags };
  const before = await harness.spent(key);
  const answer = await harness.request('POST', path, { key, headers, body: { model, ...body, ...row.body } });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const request = harness.simulator.requests.at(-1);
  const text = `${request?.body ?? JSON.stringify(request?.form?.fields ?? '')} ${request?.headers['anthropic-beta'] ?? ''}`;
  const cost = (await harness.spent(key)) - before;
  return { text, json: (request?.json ?? {}) as Json, id: answer.headers.get('x-generation-id'), cost };
}

describe('what a provider charges more for', () => {
  test.each(rows.map((row, index) => [row.what, row.format, row, index] as const))(
    '%s in %s is seen where it is priced, and nowhere else',
    async (_what, _format, row, index) => {
      expect((await sent(row, modelOf(index, true))).text).toContain(row.seen);
      const plain = await sent(row, modelOf(index, false));
      expect(plain.text).not.toContain(row.seen);
      if (row.instead !== undefined) expect(plain.json[row.what]).toEqual(row.instead);
    },
  );

  test('CHAT-13 a plugin that nobody pays for is named to the caller', async () => {
    const index = rows.findIndex(({ seen }) => seen === 'file-parser');
    const ask = (isPriced: boolean) =>
      harness.chat(key, { model: modelOf(index, isPriced), plugins: [{ id: 'file-parser' }] });
    const [priced, plain] = [await ask(true), await ask(false)];
    expect([priced.status, priced.headers.get('x-tollgate-left-out')]).toEqual([200, null]);
    expect([plain.status, plain.headers.get('x-tollgate-left-out')]).toEqual([200, 'file-parser']);
  });

  test.each(never.map((row, index) => [row.what, row.format, row, index] as const))(
    '%s in %s is never seen',
    async (_what, _format, row, index) => {
      expect((await sent(row, modelOf(rows.length + index, false))).text).not.toContain(row.seen);
    },
  );

  test.each(['auto', 'default'])('CHAT-23 service_tier %s stays', async (tier) => {
    const row = field('chat', 'service_tier', tier);
    expect((await sent(row, modelOf(0, false))).json.service_tier).toBe(tier);
  });
});

describe('what is charged', () => {
  /** A thousand tokens in and a thousand out, at 1 and 2 USD for a million. */
  const ORDINARY_USD = 0.003;

  test('BILL-01 a value that passes anywhere is charged at its own price where a model has one', async () => {
    const row = field('chat', 'web_search_options', { search_context_size: 'medium' });
    const index = rows.findIndex(({ extras = {} }) => Object.hasOwn(extras, 'search_context_size=medium'));
    const plain = await sent(row, modelOf(index, false));
    const priced = await sent(row, modelOf(index, true));
    expect(plain.text).toContain('"medium"');
    expect(priced.cost - plain.cost).toBeCloseTo(0.008, 9);
  });

  test('BILL-01 an extra that was sent is charged at its price, and the explanation names it', async () => {
    const row = field('chat', 'service_tier', 'priority');
    const { id, cost } = await sent(row, modelOf(0, true));
    expect(cost).toBeCloseTo(ORDINARY_USD * 2, 9);
    const explained = await harness.operate('GET', `/admin/v1/generations/${id}/explain`);
    expect(explained.price).toMatchObject({
      extras: ['service_tier=priority'],
      perMillion: { prompt: '2', completion: '4' },
    });
    const plain = await sent(row, modelOf(0, false));
    expect(plain.cost).toBeCloseTo(ORDINARY_USD, 9);
    const ordinary = await harness.operate('GET', `/admin/v1/generations/${plain.id}/explain`);
    expect(ordinary.price).toMatchObject({ extras: [], perMillion: { prompt: '1', completion: '2' } });
  });

  test.each([
    ['chat', 'acme/any-plain', { priority: 2, flex: 0.5, fast: 6 }],
    ['chat', 'openai/any-native', { priority: 2, flex: 0.5, fast: 1 }],
    ['chat', 'openai/any-messages', { priority: 2, flex: 0.5, fast: 6 }],
    ['chat', 'openai/any-gemini', { priority: 1, flex: 1, fast: 1 }],
    ['responses', 'acme/any-native', { priority: 2, flex: 0.5 }],
    ['responses', 'openai/any-plain', { priority: 2, flex: 0.5, fast: 1 }],
    ['messages', 'openai/any-plain', { priority: 2, flex: 0.5, fast: 1 }],
    ['messages', 'openai/any-gemini', { priority: 1, flex: 1, fast: 1 }],
  ])(
    'BILL-01 %s at %s: an extra changes the price where it is sent, and only there',
    async (format, model, factors) => {
      for (const [value, factor] of Object.entries(factors)) {
        const name = value === 'fast' ? 'speed' : 'service_tier';
        const body = { [name]: value, ...(format === 'messages' ? { max_tokens: 2_000 } : {}) };
        const { json, cost } = await sent(field(format, name, value, { body }), model);
        expect([value, json[name]]).toEqual([value, factor === 1 ? undefined : value]);
        expect(cost, value).toBeCloseTo(ORDINARY_USD * factor, 9);
      }
    },
  );

  test('CAT-20 the listing says which extras there are', async () => {
    const answer = await harness.request('GET', `/v1/models/${modelOf(0, true).replace('/', '-')}`);
    const model = (answer.body.data ?? answer.body) as Json;
    expect(model.extras).toEqual({ 'service_tier=priority': '2' });
    const plain = await harness.request('GET', `/v1/models/${modelOf(0, false).replace('/', '-')}`);
    expect((plain.body.data ?? plain.body) as Json).not.toHaveProperty('extras');
  });

  test.each(['/v1/chat/completions', '/v1/chat/completions stream', '/v1/responses', '/v1/messages'])(
    'BILL-01 %s: an answer that says it was dearer than asked for is charged so, where that has a price',
    async (place) => {
      const [path = '', stream] = place.split(' ');
      const body: Record<string, Json> = {
        '/v1/chat/completions': { messages: TALK, stream: stream !== undefined },
        '/v1/responses': { input: 'Hi.' },
        '/v1/messages': { messages: TALK, max_tokens: 2_000 },
      };
      const provider = path === '/v1/responses' ? 'native' : path === '/v1/messages' ? 'messages' : 'plain';
      const charged: number[] = [];
      for (const model of [`openai/told-${provider}`, `openai/untold-${provider}`]) {
        const before = await harness.spent(key);
        const answer = await harness.request('POST', path, { key, body: { model, ...body[path] } });
        expect(answer.status, answer.text).toBe(200);
        charged.push((await harness.spent(key)) - before);
        if (model.includes('untold')) continue;
        const id = answer.headers.get('x-generation-id');
        const { price } = await harness.operate('GET', `/admin/v1/generations/${id}/explain`);
        expect(price).toMatchObject({ extras: ['service_tier=priority'] });
      }
      expect(charged[0]).toBeCloseTo((charged[1] ?? 0) * 2, 9);
    },
  );

  test('the books balance', async () => {
    expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
  });
});
