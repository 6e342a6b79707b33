// The whole paid call: what reaches the upstream, what comes back, and what must never be passed on in either
// direction.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/echo': {},
      'acme/other': {},
      'qwen/qwen3-8b': {},
      'openai/provider-field': { commands: 'provider-secretcloud' },
      'openai/no-tools': { entry: { supported_parameters: ['temperature'] } },
      'openai/text-only': { entry: { input_modalities: ['text'] } },
      'openai/embedder': { entry: { output_modalities: ['embeddings'] } },
      'openai/filmer': { entry: { output_modalities: ['video'] } },
      'openai/small': { entry: { max_completion_tokens: 100, context_length: 1000 } },
      'anthropic/claude-x': {},
      'openai/unrouted': { entry: { routes: [] } },
      'openai/gone': { entry: { deprecation_date: '2020-01-31' } },
    },
  });
  key = (await harness.account()).key;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

/** What the upstream received for the last call. */
function lastUpstream(): { headers: Record<string, unknown>; body: Json } {
  const recorded = harness.simulator.requests.at(-1);
  if (recorded === undefined) throw new Error('the upstream saw nothing');
  return { headers: recorded.headers, body: JSON.parse(recorded.body) as Json };
}

const usageOf = (body: Json): Json => body.usage as Json;

describe('a whole answer', () => {
  test('CHAT-01 CHAT-33 CHAT-34 CHAT-36 CHAT-37 has the dialect shape, our model id and a settled cost', async () => {
    const { status, body, headers } = await harness.chat(key, { model: 'openai/echo' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'openai/echo',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
    });
    expect(Number.isInteger(body.created)).toBe(true);
    const usage = usageOf(body);
    expect(usage.total_tokens).toBe(Number(usage.prompt_tokens) + Number(usage.completion_tokens));
    expect(usage.cost).toBeGreaterThan(0);
    expect(usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(headers.get('x-generation-id')).toBe(body.id);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('CHAT-02 VER-02 the editor path and the legacy prefix behave the same', async () => {
    for (const path of ['/v1/cursor/chat/completions', '/api/v1/chat/completions', '/v1/v1/chat/completions']) {
      const answer = await harness.request('POST', path, {
        key,
        body: { model: 'openai/echo', messages: [{ role: 'user', content: 'hi' }] },
      });
      expect(answer.status, path).toBe(200);
      expect(answer.body.model).toBe('openai/echo');
    }
  });

  test('a mark of the byte order before the body means nothing', async () => {
    const text = JSON.stringify({ model: 'openai/echo', messages: [{ role: 'user', content: 'hi' }] });
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    const answer = await fetch(`${harness.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(answer.status, await answer.text()).toBe(200);
  });

  test.each(['image/svg+xml', 'image/tiff', 'text/html', 'application/octet-stream'])(
    'a picture of type %s is refused in every dialect, in words',
    async (type) => {
      const url = `data:${type};base64,PHN2Zz48L3N2Zz4=`;
      const bodies: [string, Json][] = [
        [
          '/v1/chat/completions',
          { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
        ],
        ['/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] }],
        [
          '/v1/messages',
          {
            max_tokens: 5,
            messages: [
              {
                role: 'user',
                content: [{ type: 'image', source: { type: 'base64', media_type: type, data: 'PHN2Zz48L3N2Zz4=' } }],
              },
            ],
          },
        ],
      ];
      for (const [path, body] of bodies) {
        const answer = await harness.request('POST', path, { key, body: { model: 'openai/echo', ...body } });
        expect(answer.status, path).toBe(400);
        expect(answer.text).toContain('image/png, image/jpeg, image/webp, image/gif');
      }
    },
  );

  test('CHAT-39 GEN-01 GEN-02 GEN-03 STRM-12 the id names a generation that is readable at once', async () => {
    const { body } = await harness.chat(key, { model: 'openai/echo' }, { 'X-Title': 'My app' });
    const { status, body: generation } = await harness.request('GET', `/v1/generation?id=${body.id}`, { key });
    expect(status).toBe(200);
    const data = generation.data as Json;
    expect(data).toMatchObject({
      id: body.id,
      model: 'openai/echo',
      app_name: 'My app',
      finish_reason: 'stop',
      status: 200,
      usage: { cost: usageOf(body).cost, prompt_tokens: usageOf(body).prompt_tokens },
      cost_breakdown: { total: usageOf(body).cost },
    });
  });

  test('CHAT-22 VER-06 unknown fields and sampling fields reach the upstream unchanged, and nothing is added', async () => {
    const sent = {
      model: 'openai/echo',
      messages: [{ role: 'user', content: 'hi', name: 'bob', x_part: [1, { deep: null }] }],
      temperature: 0.3,
      top_p: 0.9,
      seed: 42,
      reasoning: { effort: 'brand-new', exclude: false },
      structured_outputs: true,
      a_field_from_the_future: { list: [1, 2, { three: '3' }], none: null },
    };
    const { status } = await harness.request('POST', '/v1/chat/completions', { key, body: sent });
    expect(status).toBe(200);
    expect(lastUpstream().body).toEqual(sent);
  });

  test('VER-06 integers beyond the safe range survive to the upstream digit by digit', async () => {
    const raw = '{"model":"openai/echo","messages":[{"role":"user","content":"hi"}],"seed":9223372036854775807}';
    const { status } = await harness.request('POST', '/v1/chat/completions', { key, body: raw });
    expect(status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.body).toContain('9223372036854775807');
  });

  test('CHAT-22 what need not change reaches the upstream to the byte', async () => {
    const sent =
      '"messages" : [ {"role":"user","content":"caf\\u00e9 \\/ \u00e9", "x": 1.0} ],\n "unheard_of":[1e2,12345678901234567890]';
    const body = `{ "model":"openai/echo", ${sent}, "provider":{} }`;
    expect((await harness.request('POST', '/v1/chat/completions', { key, body })).status).toBe(200);
    const received = harness.simulator.requests.at(-1)?.body;
    expect(received).toContain(sent);
    expect(received).not.toContain('provider');
  });

  test('CHAT-22 a repeated key reaches the upstream once, as the gateway itself has read it', async () => {
    const body = '{"model":"openai/echo","messages":[{"role":"user","content":"first","content":"second"}]}';
    expect((await harness.request('POST', '/v1/chat/completions', { key, body })).status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.body).not.toContain('first');
    expect(harness.simulator.requests.at(-1)?.body).toContain('second');
  });

  test('CHAT-23 TOOL-09 fields of one family are dropped silently for others', async () => {
    const extra = {
      user: 'u',
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { '5': 1 },
      parallel_tool_calls: false,
      service_tier: 'auto',
    };
    expect((await harness.chat(key, { model: 'openai/echo', ...extra })).status).toBe(200);
    expect(lastUpstream().body).toMatchObject(extra);
    expect((await harness.chat(key, { model: 'acme/other', ...extra })).status).toBe(200);
    expect(Object.keys(lastUpstream().body).sort()).toEqual(['messages', 'model']);
  });

  test('CHAT-19 thinking is off for its family unless asked for, and asking doubles the completion price', async () => {
    const silent = await harness.chat(key, { model: 'qwen/qwen3-8b' });
    expect(lastUpstream().body.enable_thinking).toBe(false);
    const thinking = await harness.chat(key, { model: 'qwen/qwen3-8b', enable_thinking: true });
    expect(lastUpstream().body.enable_thinking).toBe(true);
    const cost = (body: Json, multiplier: number): number => {
      const usage = usageOf(body);
      return (Number(usage.prompt_tokens) + Number(usage.completion_tokens) * 2 * multiplier) / 1e6;
    };
    expect(usageOf(silent.body).cost).toBeCloseTo(cost(silent.body, 1), 9);
    expect(usageOf(thinking.body).cost, 'BILL-11').toBeCloseTo(cost(thinking.body, 2), 9);
  });

  test('CHAT-38 the upstream provider never reaches the client', async () => {
    const { text } = await harness.chat(key, { model: 'openai/provider-field' });
    expect(text).not.toContain('secretcloud');
    expect(text).not.toContain('"provider"');
    const stream = await harness.stream(key, { model: 'openai/provider-field' });
    expect(stream.text).not.toContain('secretcloud');
  });

  test('AUTH-01 the caller key never reaches the upstream; the upstream gets its own', async () => {
    await harness.chat(key, { model: 'openai/echo' }, { 'x-api-key': key, cookie: `session=${key}` });
    const { headers } = lastUpstream();
    expect(JSON.stringify(headers)).not.toContain(key);
    expect(headers.authorization).toBe('Bearer upstream-secret-key');
  });
});

describe('a request that does not fit', () => {
  const cases: readonly [string, Json, number, string | number][] = [
    ['CHAT-03 ERR-30 no model', { model: undefined }, 400, 'missing_required_field'],
    ['CHAT-04 no messages', { model: 'openai/echo', messages: [] }, 400, 'missing_required_field'],
    ['CHAT-06 ERR-32 max_tokens 0', { model: 'openai/echo', max_tokens: 0 }, 400, 'max_tokens_invalid'],
    ['ERR-32 max_tokens above the model', { model: 'openai/small', max_tokens: 101 }, 400, 'max_tokens_invalid'],
    ['ERR-20 unknown model', { model: 'nosuch/model-x' }, 400, 'unknown_model'],
    ['ERR-21 malformed id', { model: 'open ai//gpt' }, 400, 'invalid_model_id'],
    ['ERR-21 empty id', { model: '' }, 400, 'invalid_model_id'],
    ['ERR-21 NUL in the id', { model: 'openai/\u0000echo' }, 400, 'invalid_model_id'],
    ['ERR-23 CAT-19 retired', { model: 'openai/gone' }, 410, 'model_retired'],
    ['ERR-11 known without upstream', { model: 'openai/unrouted' }, 503, 'upstream_unavailable'],
    ['ERR-25 embeddings', { model: 'openai/embedder' }, 400, 'embedding_on_chat_endpoint'],
    ['ERR-28 video', { model: 'openai/filmer' }, 400, 'wrong_endpoint_for_video'],
    ['ERR-27 image output', { model: 'openai/echo', modalities: ['image'] }, 400, 'invalid_modality_for_model'],
    [
      'ERR-34 tools',
      { model: 'openai/no-tools', tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] },
      400,
      'tool_use_unsupported',
    ],
    [
      'ERR-43 images',
      {
        model: 'openai/text-only',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] }],
      },
      400,
      'input_images_not_supported',
    ],
    [
      'ERR-33 far too long',
      { model: 'openai/small', messages: [{ role: 'user', content: 'word '.repeat(4000) }] },
      400,
      'context_too_long',
    ],
    [
      'CHAT-42 too many messages',
      { model: 'anthropic/claude-x', messages: Array.from({ length: 1001 }, () => ({ role: 'user', content: 'x' })) },
      400,
      'context_too_long',
    ],
  ];
  test.each(cases)('%s', async (_, body, status, code) => {
    const upstreamCalls = harness.simulator.requests.length;
    const answer = await harness.chat(key, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(harness.simulator.requests.length).toBe(upstreamCalls);
  });

  test('CHAT-42 exactly 1,000 messages are accepted', async () => {
    const messages = Array.from({ length: 1000 }, () => ({ role: 'user', content: 'x' }));
    expect((await harness.chat(key, { model: 'anthropic/claude-x', messages })).status).toBe(200);
  });

  test('ERR-23 the retired answer has its own type', async () => {
    const { body } = await harness.chat(key, { model: 'openai/gone' });
    expect(body).toMatchObject({ error: { type: 'model_not_available', code: 'model_retired' } });
  });
});

describe('hostile input', () => {
  test('ERR-04 LIM-08 each is a clear 4xx at once while other calls go on', async () => {
    const model = 'openai/echo';
    const message = { role: 'user', content: 'x' };
    const others = Array.from({ length: 20 }, () => harness.chat(key, { model }));
    const hostile: readonly [string, string, number][] = [
      ['200,000 nested brackets', `{"model":"${model}","messages":${'['.repeat(200_000)}`, 400],
      ['closed nesting', `{"model":"${model}","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
      ['10 MB and one byte', `{"model":"${model}","x":"${'a'.repeat(10_485_760)}"}`, 413],
      ['three million tokens', `{"model":"${model}","messages":[${'{},'.repeat(1_000_000)}{}]}`, 400],
      ['infinite max_tokens', `{"model":"${model}","messages":[${JSON.stringify(message)}],"max_tokens":1e999}`, 400],
      ['no JSON', '{"model":', 400],
      ['an array', '[]', 400],
      ['own __proto__', `{"model":"${model}","messages":[${JSON.stringify(message)}],"__proto__":{"x":1}}`, 400],
    ];
    for (const [name, body, status] of hostile) {
      const answer = await harness.request('POST', '/v1/chat/completions', { key, body });
      expect(answer.status, name).toBe(status);
      expect(answer.body, name).toMatchObject({ error: { message: expect.any(String) } });
    }
    for (const answer of await Promise.all(others)) expect(answer.status).toBe(200);
  });

  test('LIM-08 exactly 10 MB is read', async () => {
    const frame = JSON.stringify({ model: 'openai/echo', messages: [{ role: 'user', content: 'hi' }], pad: '' });
    const pad = 'a'.repeat(10_485_760 - frame.length);
    const body = frame.replace('"pad":""', `"pad":"${pad}"`);
    expect(Buffer.byteLength(body)).toBe(10_485_760);
    expect((await harness.request('POST', '/v1/chat/completions', { key, body })).status).toBe(200);
  });
});
