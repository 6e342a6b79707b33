// The unmodified Anthropic SDK against the gateway, with an upstream of its own format and with a translated one: if
// its own helpers accept everything, so will the clients built on it.

import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness } from '../harness.ts';
import { KINDS, startMessagesHarness } from './messages-harness.ts';

let harness: Harness;
let client: Anthropic;
const weatherTool = {
  name: 'get_weather',
  description: 'Weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
const question: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is the weather in Paris?' }];
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

beforeAll(async () => {
  const commands = {
    plain: 'tokens-100-20',
    open: 'chunks-4',
    thinking: 'reasoning-12',
    'error-frame': 'error-frame-1',
  };
  harness = await startMessagesHarness(commands, { max_completion_tokens: 4096 });
  const { key } = await harness.account();
  client = new Anthropic({ baseURL: harness.url, apiKey: key, maxRetries: 0 });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const textOf = (message: Anthropic.Message): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe.each(KINDS)('an upstream of the %s format', (kind) => {
  const base = { model: `${kind}/open`, max_tokens: 200, messages: question };

  test('MSGS-07 MSGS-08 create', async () => {
    const { data, request_id } = await client.messages.create({ ...base, model: `${kind}/plain` }).withResponse();
    expect(data).toMatchObject({ type: 'message', role: 'assistant', model: `${kind}/plain`, stop_reason: 'end_turn' });
    expect(data.usage).toMatchObject({ input_tokens: 100, output_tokens: 20, tollgate_cost: 0.00014 });
    expect(textOf(data)).toBeTruthy();
    expect(request_id).toBeTruthy();
  });

  test('MSGS-09 the streaming helper gives the text and the message', async () => {
    const stream = client.messages.stream(base);
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    const message = await stream.finalMessage();
    expect(textOf(message)).toBe(text);
    expect(text).toBeTruthy();
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  test('MSGS-05 what a coding agent sends', async () => {
    const marked = { type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } };
    const body = {
      ...base,
      max_tokens: 128_000,
      system: [marked],
      messages: [
        ...question,
        { role: 'system', content: [marked], output_config: { effort: 'medium' } },
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
        },
      ],
      metadata: { user_id: '{"session_id":"a"}' },
      tools: [
        { ...weatherTool, defer_loading: true },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search' },
      ],
      tool_choice: { type: 'none' },
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'medium' },
      stop_sequences: ['ZZZZ'],
    } as unknown as Anthropic.MessageStreamParams;
    const options = {
      query: { beta: 'true' },
      headers: { 'anthropic-beta': 'anything-2099-01-01,interleaved-thinking-2025-05-14' },
    };
    const message = await client.messages.stream(body, options).finalMessage();
    expect(textOf(message)).toBeTruthy();
    // The client's beta features are sent only to an upstream of its own format, and only known ones.
    const beta = harness.simulator.requests.at(-1)?.headers['anthropic-beta'];
    expect(beta).toBe(kind === 'same' ? 'interleaved-thinking-2025-05-14' : undefined);
    // The model cannot produce that much, and the client does not expect it.
    const sent = harness.simulator.requests.at(-1)?.json as { max_tokens?: number; max_completion_tokens?: number };
    expect(sent.max_tokens ?? sent.max_completion_tokens).toBe(4096);
  });

  test('MSGS-06 TOOL-06 a tool is called and answered, whole and streamed', async () => {
    for (const isStreamed of [false, true]) {
      const body = { ...base, tools: [weatherTool], tool_choice: { type: 'any' as const } };
      const first = isStreamed ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
      expect(first.stop_reason).toBe('tool_use');
      const use = first.content.find((block) => block.type === 'tool_use');
      expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } });
      const result = {
        type: 'tool_result' as const,
        tool_use_id: use?.id ?? '',
        content: [{ type: 'text' as const, text: '21C' }],
      };
      const second = await client.messages.create({
        ...base,
        tools: [weatherTool],
        messages: [...question, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }],
      });
      expect(textOf(second)).toContain('21C');
      expect(second.stop_reason).toBe('end_turn');
    }
  });

  test('the tool runner, which would like to keep its history on the server, sends all of it', async () => {
    const calls: unknown[] = [];
    const tool = {
      ...weatherTool,
      parse: (input: unknown) => input,
      run: (input: unknown) => `${calls.push(input)} 21C`,
    };
    const final = await client.beta.messages.toolRunner({ ...base, tools: [tool] } as never);
    expect(textOf(final as unknown as Anthropic.Message)).toContain('21C');
    expect(calls).toEqual([{ city: 'Paris' }]);
  });

  test('thinking comes back with its signature, and the next turn is accepted', async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const body = { ...base, model: `${kind}/thinking`, max_tokens: 3_000, thinking };
    for (const first of [await client.messages.create(body), await client.messages.stream(body).finalMessage()]) {
      expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: expect.stringMatching(/./) });
      for (const next of KINDS) {
        const messages = [...question, { role: 'assistant' as const, content: first.content }, ...question];
        const second = await client.messages.create({
          ...body,
          model: `${next}/open`,
          thinking: { type: 'disabled' },
          messages,
        });
        expect(textOf(second)).toBeTruthy();
      }
    }
  });

  test('TOOL-10 structured output is JSON of its schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const message = await client.messages.create({
      ...base,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(JSON.parse(textOf(message))).toEqual({ city: 'Paris' });
  });

  test('STRM-07 an error amid the stream is thrown', async () => {
    const stream = client.messages.stream({ ...base, model: `${kind}/error-frame` });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });
});

test('CHAT-40 markers for the cache reach an upstream of the same format untouched', async () => {
  const marked = {
    type: 'text' as const,
    text: 'Be brief. '.repeat(40),
    cache_control: { type: 'ephemeral' as const },
  };
  const body = { model: 'same/open', max_tokens: 50, system: [marked], messages: question };
  const first = await client.messages.create(body);
  const second = await client.messages.create(body);
  expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(0);
  expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
});

test('countTokens', async () => {
  const counted = await client.messages.countTokens({ model: 'same/open', messages: question, tools: [weatherTool] });
  expect(counted.input_tokens).toBeGreaterThan(300);
});

test('MSGS-10 errors arrive as the SDK knows them', async () => {
  const body = { model: 'same/open', max_tokens: 50, messages: question };
  const stranger = new Anthropic({ baseURL: harness.url, apiKey: 'sk-tg-wrong', maxRetries: 0 });
  await expect(stranger.messages.create(body)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  await expect(client.messages.create({ ...body, messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  await expect(client.messages.create({ ...body, messages: [], stream: true })).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
  });
});
