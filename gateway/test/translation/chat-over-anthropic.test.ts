// A chat client in front of an upstream with another format: what it sees, what the upstream is sent and what the call
// costs. The upstream itself checks signatures, so changed thinking would be refused.

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

const COMMANDS = {
  plain: 'tokens-100-20',
  open: 'chunks-4',
  cached: 'tokens-100-20+cached-40+cache-write-30',
  thinking: 'reasoning-12',
  redacted: 'reasoning-redacted-12',
  parallel: 'calls-2',
  long: 'finish-length',
  unicode: 'unicode+byte-by-byte+crlf',
  broken: 'error-frame-1',
  lost: 'reset-after-2',
};
const model = (name: keyof typeof COMMANDS): string => `anthropic/${name}`;
const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ type: 'function' as const, function: weather }];
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

let harness: Harness;
let key: string;
let client: OpenAI;

beforeAll(async () => {
  harness = await startHarness();
  const models: Record<string, ModelSpec> = {};
  for (const [name, command] of Object.entries(COMMANDS)) {
    models[`anthropic/${name}`] = { routes: [{ provider: 'native', upstream_model: `sim-${command}` }] };
  }
  const document = configDocument(harness.simulator.url, { models });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  await harness.operate('PUT', '/admin/v1/config', document);
  ({ key } = await harness.account());
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const lastSent = (): Json => harness.simulator.requests.at(-1)?.json as Json;

test('CHAT-33 CHAT-34 CHAT-35 CHAT-36 CHAT-39 a whole answer', async () => {
  const { status, body, headers } = await harness.chat(key, { model: model('plain') });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: headers.get('x-generation-id'),
    object: 'chat.completion',
    model: 'anthropic/plain',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: expect.stringMatching(/./) },
        finish_reason: 'stop',
        native_finish_reason: 'end_turn',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, cost: 0.00014 },
  });
});

test('STRM-01 STRM-02 STRM-04 a stream, its usage and cost on the last chunk', async () => {
  const { frames, isDone, headers } = await harness.stream(key, { model: model('plain') });
  expect(headers.get('content-type')).toContain('text/event-stream');
  expect(isDone).toBe(true);
  expect(new Set(frames.map(({ id }) => id))).toEqual(new Set([headers.get('x-generation-id')]));
  const choices = frames.map((frame) => (frame.choices as Json[])[0] as Json);
  expect(choices[0]?.delta).toMatchObject({ role: 'assistant' });
  expect(choices.slice(0, -1).every(({ finish_reason }) => finish_reason === null)).toBe(true);
  expect(choices.at(-1)).toMatchObject({ finish_reason: 'stop', native_finish_reason: 'end_turn' });
  expect(frames.at(-1)?.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, cost: 0.00014 });
});

test('CHAT-37 CHAT-41 cached and cache-writing tokens are part of the prompt', async () => {
  const { body } = await harness.chat(key, { model: model('cached') });
  expect(body.usage).toMatchObject({
    prompt_tokens: 100,
    prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
  });
});

test('CHAT-40 a marker reaches the upstream', async () => {
  const content = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
  await harness.chat(key, { model: model('open'), messages: [{ role: 'system', content }, ...messages] });
  expect(JSON.stringify(lastSent())).toContain('"cache_control":{"type":"ephemeral"}');
});

describe.each([false, true])('with the SDK, streamed: %s', (stream) => {
  test('TOOL-06 TOOL-07 TOOL-08 runTools calls the tool and gets the answer', async () => {
    const calls: unknown[] = [];
    const tool = {
      type: 'function' as const,
      function: { ...weather, parse: JSON.parse, function: (input: { city: string }) => `${calls.push(input)} 21C` },
    };
    const runner = stream
      ? client.chat.completions.runTools({ model: model('open'), messages, tools: [tool], stream: true })
      : client.chat.completions.runTools({ model: model('open'), messages, tools: [tool] });
    expect(await runner.finalContent()).toContain('21C');
    expect(calls).toEqual([{ city: expect.any(String) }]);
  });

  test('TOOL-08 two calls at once stay two', async () => {
    const body = { model: model('parallel'), messages, tools, tool_choice: 'required' as const };
    const completion = stream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const [choice] = completion.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const made = choice?.message.tool_calls?.filter((call) => call.type === 'function') ?? [];
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
    for (const call of made) expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) });
  });
});

/** The message that a client would keep: deltas added up, the list of details simply appended. */
async function streamedMessage(body: Json): Promise<Json> {
  const { frames } = await harness.stream(key, body);
  const message: Json = { role: 'assistant', content: '', reasoning: '', reasoning_details: [], tool_calls: [] };
  for (const frame of frames) {
    const { delta } = (frame.choices as Json[])[0] as { delta: Json };
    message.content += String(delta.content ?? '');
    message.reasoning += String(delta.reasoning ?? '');
    (message.reasoning_details as unknown[]).push(...((delta.reasoning_details as unknown[]) ?? []));
    for (const call of (delta.tool_calls as { index: number; function: Json }[]) ?? []) {
      const calls = message.tool_calls as { function: Json }[];
      const known = calls[call.index];
      if (known === undefined) calls[call.index] = call;
      else known.function.arguments = String(known.function.arguments) + String(call.function.arguments);
    }
  }
  return message;
}

describe.each(['thinking', 'redacted'] as const)('%s comes back as it left', (name) => {
  const asking = { model: model(name), max_tokens: 4_000, reasoning: { max_tokens: 2_000 }, tools, messages };

  test.each([false, true])('streamed: %s', async (stream) => {
    const whole = async () =>
      ((await harness.chat(key, asking)).body.choices as { message: Json }[])[0]?.message as Json;
    const message = stream ? await streamedMessage(asking) : await whole();
    const calls = message.tool_calls as { id: string }[];
    expect(calls).toHaveLength(1);
    expect(message.reasoning_details).not.toEqual([]);
    if (name === 'thinking') expect(message.reasoning).toMatch(/./);
    const result = { role: 'tool', tool_call_id: calls[0]?.id, content: '21C' };
    const { status, text } = await harness.chat(key, { ...asking, messages: [...messages, message, result] });
    expect(text).toContain('21C');
    expect(status).toBe(200);
    const sent = JSON.stringify(lastSent().messages);
    expect(sent).toMatch(name === 'thinking' ? /"signature":"[^"]+"/ : /"redacted_thinking"/);
  });
});

test('CHAT-17 thinking that shall not be shown is asked for and not shown', async () => {
  const body = { model: model('thinking'), max_tokens: 4_000, reasoning: { max_tokens: 2_000, exclude: true } };
  const whole = await harness.chat(key, body);
  expect(lastSent().thinking).toBeDefined();
  const { text } = await harness.stream(key, body);
  expect(whole.text).not.toMatch(/"reasoning(_details|_content)?":/);
  expect(text).not.toMatch(/"reasoning(_details|_content)?":/);
});

test('STRM-01 any form of the frames, byte by byte, gives the same text', async () => {
  const message = await streamedMessage({ model: model('unicode') });
  const { body } = await harness.chat(key, { model: model('unicode') });
  expect(body).toMatchObject({ choices: [{ message: { content: message.content } }] });
  expect(message.content).toMatch(/[^\x20-\x7e]/);
});

test('CHAT-34 an answer that was cut says so', async () => {
  const { body } = await harness.chat(key, { model: model('long') });
  expect((body.choices as Json[])[0]).toMatchObject({ finish_reason: 'length', native_finish_reason: 'max_tokens' });
});

test.each(['broken', 'lost'] as const)(
  'STRM-06 STRM-07 a stream that is %s ends with one error frame, unpaid',
  async (name) => {
    const before = await harness.spent(key);
    const { status, frames, isDone } = await harness.stream(key, { model: model(name) });
    expect(status).toBe(200);
    expect(isDone).toBe(true);
    expect(frames.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(frames.at(-1)).not.toHaveProperty('choices');
    expect(await harness.spent(key)).toBe(before);
  },
);

test('CHAT-29 images and instructions arrive in the upstream’s own form', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
  ];
  const sent = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content },
  ];
  const { status } = await harness.chat(key, { model: model('open'), messages: sent, stop: 'END', temperature: 0 });
  expect(status).toBe(200);
  expect(lastSent()).toMatchObject({ stop_sequences: ['END'], temperature: 0 });
  expect(JSON.stringify(lastSent())).toContain(`"source":{"type":"base64","media_type":"image/png","data":"${pixel}"}`);
});
