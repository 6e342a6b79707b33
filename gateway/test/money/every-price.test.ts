// Nothing is given away because a price is missing: a call needs the price that it is billed by, and what a provider
// runs by itself (searches, other tools) is charged by the use, held before and counted after, or not asked for.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

const TOKENS = { prompt: '1', completion: '2' };
/** Ten tokens in and five out, at those prices. */
const TOKENS_USD = 0.00002;

const PRICE_KEYS = [
  ...['prompt', 'completion', 'cache_read', 'cache_write', 'cache_write_1h', 'image', 'video_second'],
  ...['audio_second', 'character', 'request', 'search', 'web_search', 'hosted_tool'],
] as const;
type PriceKey = (typeof PRICE_KEYS)[number];

type Kind = Readonly<{
  output: string;
  path: string;
  body: Json;
  /** Each of them is enough alone. */
  enough: readonly PriceKey[];
  /** What the simulator is to report, where it would not by itself report what the price is for. */
  commands?: Readonly<Partial<Record<PriceKey, string>>>;
}>;

const sound = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4_000)]).toString('base64');

const kinds: Readonly<Record<string, Kind>> = {
  chat: {
    ...{ output: 'text', path: '/v1/chat/completions', enough: ['request'] },
    body: { messages: [{ role: 'user', content: 'Hi.' }] },
  },
  illustrated: {
    ...{ output: 'image', path: '/v1/chat/completions', enough: ['image', 'request'] },
    body: { messages: [{ role: 'user', content: 'A cat.' }], modalities: ['image'] },
  },
  embeddings: { output: 'embeddings', path: '/v1/embeddings', body: { input: 'Hi.' }, enough: ['prompt', 'request'] },
  rerank: {
    ...{ output: 'rerank', path: '/v1/rerank', body: { query: 'Hi?', documents: ['Hi.'] } },
    enough: ['search', 'prompt', 'request'],
  },
  moderation: { output: 'moderation', path: '/v1/moderations', body: { input: 'Hi.' }, enough: ['prompt', 'request'] },
  images: {
    ...{
      output: 'image',
      path: '/v1/images/generations',
      body: { prompt: 'A cat.' },
      commands: { completion: 'tokens-10-2000' },
    },
    enough: ['image', 'completion', 'request'],
  },
  speech: {
    ...{ output: 'speech', path: '/v1/audio/speech', body: { input: 'Hi.', voice: 'alloy' } },
    enough: ['character', 'prompt', 'request'],
  },
  transcription: {
    ...{
      output: 'transcription',
      path: '/v1/audio/transcriptions',
      commands: { prompt: 'tokens-30-12', completion: 'tokens-30-12' },
    },
    body: { input_audio: { data: sound, format: 'wav' } },
    enough: ['audio_second', 'prompt', 'completion', 'request'],
  },
  video: { output: 'video', path: '/v1/videos', body: { prompt: 'A cat.' }, enough: ['video_second', 'request'] },
};

/** A model of text with one token price and not the other is refused with the whole document. */
const priceKeysOf = ({ output }: Kind): readonly PriceKey[] =>
  output === 'text' ? PRICE_KEYS.filter((key) => key !== 'prompt' && key !== 'completion') : PRICE_KEYS;

const oneEach = Object.entries(kinds).flatMap(([name, kind]) =>
  priceKeysOf(kind).map((price) => [
    `${name}/${price.replaceAll('_', '-')}`,
    {
      routes: [
        {
          provider: 'chat',
          upstream_model: kind.commands?.[price] === undefined ? 'm' : `m.sim-${kind.commands[price]}`,
        },
      ],
      entry: { output_modalities: [kind.output], pricing: { [price]: '0.25' } },
    },
  ]),
);

let harness: Harness;

/** What the provider was asked to do: the videos under way are looked after all along, which costs nothing. */
const ordered = () => harness.simulator.requests.filter(({ method }) => method === 'POST');

beforeAll(async () => {
  harness = await startHarness();
  const upstream = { base_url: `${harness.simulator.url}/v1`, api_key: 'upstream-secret-key' };
  const providers = {
    chat: { protocol: 'openai', ...upstream },
    responses: { protocol: 'openai', ...upstream, responses: true },
    messages: { protocol: 'anthropic', ...upstream },
  };
  const models = Object.fromEntries(
    Object.keys(providers).flatMap((provider) => {
      const model = (pricing: Json, more: Json = {}) => ({
        routes: [{ provider, upstream_model: 'm' }],
        entry: { pricing: { ...TOKENS, ...pricing }, ...more },
      });
      return [
        [`acme/${provider}`, model({})],
        [`acme/${provider}-dear`, model({ web_search: '0.03', hosted_tool: '0.5' })],
        [`acme/${provider}-given`, model({ web_search: '0', hosted_tool: '0' })],
        [`acme/${provider}-free`, model({}, { free: { requests_per_minute: 100 } })],
        [`acme/${provider}-hour`, model({ cache_write: '1.25', cache_write_1h: '2' })],
      ];
    }),
  );
  const { models: entries, ...others } = configDocument(harness.simulator.url, {
    models: { ...models, ...Object.fromEntries(oneEach) },
  });
  const { 'openai/test': _own, ...kept } = entries as Record<string, unknown>;
  await harness.operate('PUT', '/admin/v1/config', { ...others, models: kept, providers });
});

afterEach(async () => {
  harness.simulator.clearScripts();
  harness.simulator.clearRequests();
  // The two videos that were ordered are still being made.
  expect((await harness.ledgerCheck()).heldReservations).toBeLessThanOrEqual(2);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
});
afterAll(() => harness.close());

describe.each(Object.entries(kinds))('a price for %s', (name, kind) => {
  test('ERR-26 BILL-01 CAT-20 is one that it is billed by; with any other it is not for sale', async () => {
    const { data } = (await harness.request('GET', '/v1/models?output_modalities=all')).body as { data: Json[] };
    const listed = new Set(data.map(({ id }) => id));
    for (const price of priceKeysOf(kind)) {
      const model = `${name}/${price.replaceAll('_', '-')}`;
      const { key } = await harness.account(1_000);
      const answer = await harness.request('POST', kind.path, { key, body: { model, ...kind.body } });
      const isEnough = kind.enough.includes(price);
      if (isEnough) expect(answer.status, `${model} ${answer.text.slice(0, 200)}`).toBeLessThan(300);
      else {
        expect([answer.status, (answer.body.error as Json | undefined)?.code], model).toEqual([
          400,
          'model_not_priced',
        ]);
        expect(ordered()).toEqual([]);
      }
      // Pictures have further prices to be billed by than those that a conversation makes.
      if (name !== 'illustrated') expect(listed.has(model), model).toBe(isEnough);
      if (isEnough && name !== 'video') expect(await harness.spent(key), model).toBeGreaterThan(0);
      harness.simulator.clearRequests();
    }
  });
});

type Format = 'chat' | 'responses' | 'messages';
type Searched = Readonly<{ searches: number; others?: number }>;

const quoted = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org' } }] };

/** One answer of each format in which the provider says, in its own way, how often it searched. */
const answers: Readonly<Record<Format, (uses: Searched) => Json>> = {
  chat: ({ searches }) => ({
    id: 'x',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'a', ...(searches > 0 ? quoted : {}) },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  responses: ({ searches, others = 0 }) => ({
    id: 'x',
    object: 'response',
    status: 'completed',
    output: [
      ...Array.from({ length: searches }, (_, id) => ({ type: 'web_search_call', id: `w${id}`, status: 'completed' })),
      ...Array.from({ length: others }, (_, id) => ({ type: 'code_interpreter_call', id: `c${id}` })),
      { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  }),
  messages: ({ searches, others = 0 }) => ({
    id: 'x',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'a' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      server_tool_use: { web_search_requests: searches, code_execution_requests: others },
    },
  }),
};

const sse = (events: readonly Json[], isNamed: boolean): string =>
  events.map((event) => `${isNamed ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('');

const streams: Readonly<Record<Format, (uses: Searched) => string>> = {
  chat(uses) {
    const { choices, usage } = answers.chat(uses) as { choices: { message: Json }[]; usage: Json };
    const chunk = (choice: Json, more: Json = {}): Json => ({ id: 'x', choices: [{ index: 0, ...choice }], ...more });
    const { role, ...piece } = choices[0]?.message ?? {};
    const chunks = [chunk({ delta: { role, ...piece } }), chunk({ delta: {}, finish_reason: 'stop' }, { usage })];
    return `${sse(chunks, false)}data: [DONE]\n\n`;
  },
  responses: (uses) => sse([{ type: 'response.completed', response: answers.responses(uses) }], true),
  messages(uses) {
    const { usage, ...message } = answers.messages(uses) as { usage: Json };
    const started = { ...message, content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 0 } };
    return sse(
      [
        { type: 'message_start', message: started },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
        { type: 'message_stop' },
      ],
      true,
    );
  },
};

const paths: Readonly<Record<Format, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

const talks: Readonly<Record<Format, Json>> = {
  chat: { messages: [{ role: 'user', content: 'Hi.' }] },
  responses: { input: 'Hi.' },
  messages: { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 },
};

function answerWith(format: Format, uses: Searched): void {
  // Without other requests of the gateway to its providers.
  const path = { path: paths[format].slice('/v1'.length) };
  harness.simulator.script((request, response) => {
    const isStream = (request.json as Json).stream === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? streams[format](uses) : JSON.stringify(answers[format](uses)));
    return undefined;
  }, path);
}

const send = (key: string, format: Format, body: Json) =>
  harness.request('POST', paths[format], { key, body: { ...talks[format], ...body } });

const sentBody = (): Json => ordered().at(-1)?.json as Json;

/** How each format's callers ask for a search in so many words. */
const wishes: Readonly<Record<Format, Json>> = {
  chat: { web_search_options: {} },
  responses: { tools: [{ type: 'web_search' }] },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] },
};

const formats: readonly Format[] = ['chat', 'responses', 'messages'];

describe.each(formats)('searches on %s', (format) => {
  const counted = format === 'chat' ? 1 : 2;

  test.each([false, true])(
    'BILL-01 are charged at the usual price unless the catalog states one (stream: %s)',
    async (stream) => {
      for (const [model, eachUsd] of [
        ['', 0.01],
        ['-dear', 0.03],
        ['-given', 0],
      ] as const) {
        const { key } = await harness.account(1);
        answerWith(format, { searches: 2 });
        const answer = await send(key, format, { model: `acme/${format}${model}`, stream, ...wishes[format] });
        expect(answer.status, answer.text).toBe(200);
        expect(await harness.spent(key)).toBeCloseTo(TOKENS_USD + counted * eachUsd, 9);
        const id = answer.headers.get('x-generation-id');
        const record = await harness.request('GET', `/v1/generation?id=${id}`, { key });
        expect(record.body.data).toMatchObject({ usage: { units: { web_searches: counted } } });
      }
    },
  );

  test('ROUTE-07 CHAT-13 :online and the plugin are charged likewise', async () => {
    for (const body of [{ model: `acme/${format}:online` }, { model: `acme/${format}`, plugins: [{ id: 'web' }] }]) {
      const { key } = await harness.account(1);
      answerWith(format, { searches: 2 });
      expect((await send(key, format, body)).status).toBe(200);
      expect(await harness.spent(key)).toBeCloseTo(TOKENS_USD + counted * 0.01, 9);
    }
  });

  test('BILL-02 are held before anything is sent', async () => {
    const { key } = await harness.account('0.02');
    const refused = await send(key, format, { model: `acme/${format}-dear`, ...wishes[format] });
    expect(refused.status, refused.text).toBe(402);
    expect(ordered()).toEqual([]);
    expect((await send(key, format, { model: `acme/${format}-dear` })).status).toBe(200);
  });

  test('cost nothing where nobody asked for one, whatever the upstream says', async () => {
    const { key } = await harness.account(1);
    answerWith(format, { searches: 2 });
    expect((await send(key, format, { model: `acme/${format}` })).status).toBe(200);
    expect(await harness.spent(key)).toBeCloseTo(TOKENS_USD, 9);
  });

  test('FREE-01 are no part of what a free quota carries', async () => {
    const { key } = await harness.account(1);
    const body = { model: `acme/${format}-free:online`, ...wishes[format] };
    expect((await send(key, format, body)).status).toBe(200);
    const { tools, plugins, web_search_options } = sentBody();
    expect([tools, plugins, web_search_options]).toEqual([undefined, undefined, undefined]);
    expect(await harness.spent(key)).toBe(0);
  });
});

const others: Readonly<Record<'responses' | 'messages', Json>> = {
  responses: { type: 'code_interpreter', container: { type: 'auto' } },
  messages: { type: 'code_execution_20250522', name: 'code_execution' },
};

describe.each(['responses', 'messages'] as const)('other tools that a provider runs, on %s', (format) => {
  const tool = others[format];
  const own: Json =
    format === 'responses'
      ? { type: 'function', name: 'mine', parameters: { type: 'object' } }
      : { name: 'mine', input_schema: { type: 'object' } };

  test('are left out where they have no price, and the call is made without them', async () => {
    const { key } = await harness.account(1);
    const choice = format === 'responses' ? { type: 'code_interpreter' } : { type: 'tool', name: 'code_execution' };
    const answer = await send(key, format, { model: `acme/${format}`, tools: [own, tool], tool_choice: choice });
    expect(answer.status, answer.text).toBe(200);
    expect(sentBody()).toMatchObject({ tools: [own] });
    expect(sentBody()).not.toHaveProperty('tool_choice');
  });

  test('are charged by the use where they have one', async () => {
    const { key } = await harness.account(2);
    answerWith(format, { searches: 0, others: 2 });
    const answer = await send(key, format, { model: `acme/${format}-dear`, tools: [own, tool] });
    expect(answer.status, answer.text).toBe(200);
    expect(sentBody()).toMatchObject({ tools: [own, tool] });
    expect(await harness.spent(key)).toBeCloseTo(TOKENS_USD + 1, 9);
  });
});

test('BILL-09 what a cache keeps for an hour has a price of its own, else that of ordinary writing', async () => {
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 1_000_000,
    cache_creation: { ephemeral_5m_input_tokens: 400_000, ephemeral_1h_input_tokens: 600_000 },
  };
  for (const [model, costUsd] of [
    ['acme/messages-hour', 0.4 * 1.25 + 0.6 * 2],
    ['acme/messages', 1],
  ] as const) {
    const { key } = await harness.account(10);
    const words = 'word '.repeat(100_000);
    harness.simulator.script((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...answers.messages({ searches: 0 }), usage }));
      return undefined;
    });
    const messages = [{ role: 'user', content: words }];
    const answer = await send(key, 'messages', { model, messages });
    expect(answer.status, answer.text).toBe(200);
    expect(await harness.spent(key)).toBeCloseTo(costUsd, 9);
    expect(answer.body.usage).toMatchObject({ cache_creation_input_tokens: 1_000_000, tollgate_cost: costUsd });
  }
});
