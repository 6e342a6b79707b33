// The real SDK checks shapes and the order of events; these tests check the prompt cache and the signatures.

import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;
let client: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const base = {
  model: 'any-model',
  max_tokens: 500,
  messages: [{ role: 'user' as const, content: 'Say hello to Ada.' }],
};
const tools = [
  {
    name: 'get_weather',
    description: 'Weather',
    input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

function textOf(message: Anthropic.Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

describe('whole messages', () => {
  test('have the shape of the real API', async () => {
    const { data, request_id } = await client.messages.create(base).withResponse();
    expect(request_id).toMatch(/^req_/);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^msg_01/),
      type: 'message',
      role: 'assistant',
      model: 'any-model',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 3 + 3 + 5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        service_tier: 'standard',
      },
    });
    expect(textOf(data)).toContain('Say hello to Ada.');
    expect(data.usage.output_tokens).toBe(Math.ceil(textOf(data).length / 4));
  });

  test('max_tokens and stop sequences end the text, each with its reason', async () => {
    const short = await client.messages.create({ ...base, max_tokens: 5 });
    expect(short).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 5 } });
    const stopped = await client.messages.create({ ...base, stop_sequences: [' Ada'] });
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' Ada' });
  });

  test('exact counts include what the cache held', async () => {
    const exact = await client.messages.create({ ...base, model: 'sim-tokens-1000-50+cached-200+cache-write-100' });
    expect(exact.usage).toMatchObject({
      input_tokens: 700,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 100,
      output_tokens: 50,
    });
  });
});

describe('streamed messages', () => {
  test('send the exact sequence of events', async () => {
    const stream = await client.messages.create({ ...base, model: 'sim-chunks-2', stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    // The SDK keeps pings to itself; the next test sees them on the wire.
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]).toMatchObject({
      message: { content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
    });
    expect(events[5]).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 11 },
    });
  });

  test('every event has its name, and a ping follows the first block', async () => {
    const answer = await fetch(`${simulator.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...base, model: 'sim-chunks-1', stream: true }),
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const frames = (await answer.text()).trimEnd().split('\n\n');
    for (const frame of frames) {
      const [name, data] = frame.split('\n');
      expect(JSON.parse(data?.slice('data: '.length) ?? '').type).toBe(name?.slice('event: '.length));
    }
    expect(frames[2]).toBe('event: ping\ndata: {"type":"ping"}');
  });

  test('add up to the whole message', async () => {
    const whole = await client.messages.create(base);
    const streamed = await client.messages.stream(base).finalMessage();
    expect(textOf(streamed)).toBe(textOf(whole));
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(streamed.usage.input_tokens).toBe(whole.usage.input_tokens);
  });
});

test('a system prompt that asks for one JSON object gets one', async () => {
  const asked = await client.messages.create({
    ...base,
    system: 'Answer with one valid JSON object and nothing else.',
  });
  expect(JSON.parse(textOf(asked))).toMatchObject({ answer: expect.any(String) });
  const mentioned = await client.messages.create({ ...base, system: 'The tool returns a JSON object.' });
  expect(textOf(mentioned)).toContain('Say hello to Ada.');
});

describe('tools', () => {
  const question = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

  test('are called, and their result comes back in the answer', async () => {
    const called = await client.messages.create({ ...base, messages: question, tools });
    expect(called.stop_reason).toBe('tool_use');
    const use = called.content.find((block) => block.type === 'tool_use');
    expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } });
    const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: '21C and sunny' };
    const next = await client.messages.create({
      ...base,
      tools,
      messages: [...question, { role: 'assistant', content: called.content }, { role: 'user', content: [result] }],
    });
    expect(textOf(next)).toContain('21C and sunny');
    expect(next.stop_reason).toBe('end_turn');
  });

  test('streamed inputs accumulate', async () => {
    const final = await client.messages
      .stream({ ...base, model: 'sim-calls-2', messages: question, tools })
      .finalMessage();
    const uses = final.content.filter((block) => block.type === 'tool_use');
    expect(uses).toHaveLength(2);
    for (const use of uses) expect(use.input).toEqual({ city: 'Paris' });
  });

  test('a result that answers no call is refused', async () => {
    const stray = client.messages.create({
      ...base,
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_x', content: '1' }] }],
    });
    await expect(stray).rejects.toThrow(/unexpected `tool_use_id`/);
  });
});

describe('thinking', () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 1024 };

  test('comes with a signature, whole and streamed, and is accepted back', async () => {
    const whole = await client.messages.create({ ...base, max_tokens: 3000, thinking });
    const streamed = await client.messages.stream({ ...base, max_tokens: 3000, thinking }).finalMessage();
    expect(whole.content.map((block) => block.type)).toEqual(['thinking', 'text']);
    expect(streamed.content[0]).toEqual(whole.content[0]);
    const again = [...base.messages, { role: 'assistant' as const, content: whole.content }, ...base.messages];
    const next = await client.messages.create({ ...base, max_tokens: 3000, thinking, messages: again });
    expect(next.stop_reason).toBe('end_turn');
  });

  test('with a signature that was changed is refused', async () => {
    const forged = { type: 'thinking' as const, thinking: 'I think', signature: 'forged' };
    const messages = [...base.messages, { role: 'assistant' as const, content: [forged] }, ...base.messages];
    await expect(client.messages.create({ ...base, messages })).rejects.toThrow(
      /messages\.1\.content\.0: Invalid `signature`/,
    );
  });

  test('can be redacted on command', async () => {
    const redacted = await client.messages.stream({ ...base, model: 'sim-reasoning-redacted' }).finalMessage();
    expect(redacted.content[0]?.type).toBe('redacted_thinking');
  });
});

describe('the prompt cache', () => {
  const marked = (text: string): Anthropic.TextBlockParam => ({
    type: 'text',
    text,
    cache_control: { type: 'ephemeral' },
  });

  test('writes what is marked first and reads it the next time, also when the conversation has grown', async () => {
    const system = [marked(`Be brief. ${'x'.repeat(400)}`)];
    const first = await client.messages.create({ ...base, system });
    const written = first.usage.cache_creation_input_tokens ?? 0;
    expect(written).toBeGreaterThan(100);
    expect(first.usage.cache_read_input_tokens).toBe(0);

    const second = await client.messages.create({ ...base, system });
    expect(second.usage).toMatchObject({
      cache_read_input_tokens: written,
      cache_creation_input_tokens: 0,
      input_tokens: first.usage.input_tokens,
    });

    const unmarked = [{ type: 'text' as const, text: system[0]?.text ?? '' }];
    const longer = [{ role: 'user' as const, content: [marked('And now something else.')] }];
    const third = await client.messages.create({ ...base, system: unmarked, messages: longer });
    expect(third.usage.cache_read_input_tokens).toBe(written);
    expect(third.usage.cache_creation_input_tokens).toBeGreaterThan(0);
  });

  test('keeps the one-hour writes apart', async () => {
    const system = [{ ...marked('Be patient.'), cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } }];
    const { usage } = await client.messages.create({ ...base, system });
    expect(usage.cache_creation).toEqual({
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: usage.cache_creation_input_tokens,
    });
  });
});

test('tokens are counted as they are billed', async () => {
  const counted = await client.messages.countTokens({
    model: 'm',
    messages: base.messages,
    system: 'Be brief.',
    tools,
  });
  const billed = await client.messages.create({ ...base, system: 'Be brief.', tools });
  expect(counted.input_tokens).toBe(billed.usage.input_tokens);
});

test('structured output satisfies its schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const answer = await client.messages.create({ ...base, output_config: { format: { type: 'json_schema', schema } } });
  expect(JSON.parse(textOf(answer))).toEqual({ city: 'Paris' });
});

describe('refusals', () => {
  test('have the envelope of the real API', async () => {
    const answer = await fetch(`${simulator.url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      type: 'error',
      error: { type: 'authentication_error', message: 'x-api-key header is required' },
    });
    await expect(client.messages.create({ ...base, messages: [] })).rejects.toMatchObject({ status: 400 });
    await expect(client.messages.create({ ...base, model: 'sim-status-529' })).rejects.toMatchObject({
      status: 529,
      error: { error: { type: 'overloaded_error' } },
    });
  });

  test('a missing version is refused, as the real API does', async () => {
    const answer = await fetch(`${simulator.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
  });

  test('an error event inside the stream makes the SDK throw', async () => {
    const stream = client.messages.stream({ ...base, model: 'sim-error-frame-1' });
    await expect(stream.finalMessage()).rejects.toThrow(/Simulated failure/);
  });
});

test('models are listed in the shape of this protocol', async () => {
  const headers = { authorization: 'Bearer any' };
  const other = await (await fetch(`${simulator.url}/v1/models`, { headers })).json();
  expect(other).toMatchObject({ object: 'list' });
  const page = await client.models.list();
  expect(page.data[0]).toMatchObject({ type: 'model', id: 'simulated-small' });
});
