// Plugins on every dialect and for every kind of upstream: the web plugin reaches every provider that can search, in
// its own words; the gateway itself shortens prompts; and its own settings are not sent on.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

/**
 * The tool that stands for the search where an upstream searches with a tool; null where it takes the plugin itself.
 */
function toolFor(model: string): object | null {
  if (model === 'acme/messages') return { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
  return model === 'acme/native' ? { type: 'web_search' } : null;
}

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness();
  const upstream = { base_url: `${harness.simulator.url}/v1`, api_key: 'upstream-secret-key' };
  const providers = {
    chat: { protocol: 'openai', ...upstream },
    native: { protocol: 'openai', ...upstream, responses: true },
    messages: { protocol: 'anthropic', ...upstream },
    strict: { protocol: 'openai', ...upstream, plugins: false },
  };
  const models: Record<string, ModelSpec> = {};
  for (const provider of Object.keys(providers)) {
    models[`acme/${provider}`] = { routes: [{ provider, upstream_model: 'm' }], entry: { context_length: 9_000 } };
  }
  const { models: entries, ...others } = configDocument(harness.simulator.url, { models });
  const { 'openai/test': _own, ...kept } = entries as Record<string, unknown>;
  await harness.operate('PUT', '/admin/v1/config', { ...others, models: kept, providers });
  ({ key } = await harness.account());
});

beforeEach(() => harness.simulator.clearRequests());

afterAll(() => harness.close());

type Talk = readonly { role: string; content: string }[];

const HELLO: Talk = [{ role: 'user', content: 'Hi.' }];

const dialects: Readonly<Record<string, { path: string; body(talk: Talk): Json }>> = {
  chat: { path: '/v1/chat/completions', body: (messages) => ({ messages }) },
  responses: { path: '/v1/responses', body: (input) => ({ input }) },
  messages: { path: '/v1/messages', body: (messages) => ({ messages, max_tokens: 50 }) },
};

const everyPair = Object.keys(dialects).flatMap((dialect) =>
  ['acme/chat', 'acme/native', 'acme/messages'].map((model) => ({ dialect, model })),
);

async function send(dialect: string, model: string, more: Json = {}, talk = HELLO) {
  const { path, body } = dialects[dialect] ?? { path: '', body: () => ({}) };
  const answer = await harness.request('POST', path, { key, body: { model, ...body(talk), ...more } });
  return { answer, sent: harness.simulator.requests.at(-1)?.json as Json };
}

describe('the web plugin', () => {
  /** What of the wish is in the upstream's body. */
  const wishOf = (sent: Json): Json => ({ tools: sent.tools ?? null, plugins: sent.plugins ?? null });

  const expected = (model: string, plugins: readonly object[]): Json => {
    const tool = toolFor(model);
    return tool === null ? { tools: null, plugins } : { tools: [tool], plugins: null };
  };

  test.each(everyPair)('ROUTE-07 CHAT-13 RESP-06 :online on $dialect reaches $model', async ({ dialect, model }) => {
    for (const stream of [false, true]) {
      const { answer, sent } = await send(dialect, `${model}:online`, { stream });
      expect(answer.status).toBe(200);
      expect(wishOf(sent)).toEqual(expected(model, [{ id: 'web' }]));
    }
  });

  test.each(everyPair)("CHAT-13 the caller's own plugins on $dialect reach $model", async ({ dialect, model }) => {
    const plugins = [{ id: 'web', max_results: 3 }, { id: 'other' }];
    const { answer, sent } = await send(dialect, model, { plugins });
    expect(answer.status).toBe(200);
    expect(wishOf(sent)).toEqual(expected(model, plugins));
  });

  test.each(everyPair)('CHAT-13 nothing is added unasked on $dialect to $model, nor when it is off', async (pair) => {
    const { dialect, model } = pair;
    expect(wishOf((await send(dialect, model)).sent)).toEqual({ tools: null, plugins: null });
    const off = [{ id: 'web', enabled: false }];
    const plugins = toolFor(model) === null ? off : null;
    expect(wishOf((await send(dialect, model, { plugins: off })).sent)).toEqual({ tools: null, plugins });
  });

  test('CHAT-13 a provider that refuses calls with plugins is spared them', async () => {
    const { answer, sent } = await send('chat', 'acme/strict:online', { plugins: [{ id: 'other' }] });
    expect([answer.status, wishOf(sent)]).toEqual([200, { tools: null, plugins: null }]);
  });

  test('a tool of the same name that the caller offers is not offered twice', async () => {
    const own = { name: 'web_search', input_schema: { type: 'object' } };
    const { answer, sent } = await send('messages', 'acme/messages:online', { tools: [own] });
    expect([answer.status, sent.tools]).toEqual([200, [own]]);
  });

  test.each(Object.keys(dialects))('CHAT-13 ERR-02 on %s a list that is none is refused by name', async (dialect) => {
    const { answer } = await send(dialect, 'acme/chat', { plugins: [{ id: 1 }] });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('plugins[0].id')]);
  });
});

describe('shortening', () => {
  const long: Talk = Array.from({ length: 41 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `#${index}${' word'.repeat(400)}`,
  }));

  test.each(everyPair)(
    'ROUTE-23 CHAT-42 the plugin on $dialect does what the field does, before $model',
    async (pair) => {
      const { dialect, model } = pair;
      expect((await send(dialect, model, {}, long)).answer.status).toBe(400);
      const byField = await send(dialect, model, { transforms: ['middle-out'] }, long);
      const byPlugin = await send(dialect, model, { plugins: [{ id: 'context-compression' }] }, long);
      expect([byField.answer.status, byPlugin.answer.status]).toEqual([200, 200]);
      expect(byPlugin.sent).toEqual(byField.sent);
      expect(JSON.stringify(byPlugin.sent)).toContain('#0 word');
      expect(JSON.stringify(byPlugin.sent)).not.toContain('#20 word');
    },
  );
});

test.each(everyPair)("ROUTE-16 a session's name on $dialect does not travel to $model", async ({ dialect, model }) => {
  const { answer, sent } = await send(dialect, model, { session_id: 'mine', transforms: [] });
  expect([answer.status, 'session_id' in sent, 'transforms' in sent]).toEqual([200, false, false]);
});
