// The real SDK checks shapes: whatever it accepts, accumulates and parses is what the real API sends.

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather for a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const thinking = { effort: 'low' as const, summary: 'auto' as const };

describe('whole answers', () => {
  test('have the shape of the real API and quote the prompt', async () => {
    const response = await client.responses.create({ model: 'any-model', input: 'Say hello to Ada.' });
    expect(response).toMatchObject({ object: 'response', status: 'completed', model: 'any-model', error: null });
    expect(response.id).toMatch(/^resp_\w+$/);
    expect(response.output_text).toContain('Say hello to Ada.');
    expect(response.usage?.total_tokens).toBe(
      (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
    );
  });

  test('follow a schema that stands in the instructions, also in those among the input', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: { degrees: { type: 'number' } },
      required: ['degrees'],
    });
    const wish = `Answer with JSON by ${schema}`;
    for (const said of [{ instructions: wish }, { input: [{ role: 'system' as const, content: wish }] }]) {
      const text = { format: { type: 'json_object' as const } };
      const answer = await client.responses.create({ model: 'm', input: 'Go.', text, ...said });
      expect(JSON.parse(answer.output_text)).toEqual({ degrees: expect.any(Number) });
    }
  });

  test('max_output_tokens cuts the text and says so', async () => {
    const cut = await client.responses.create({ model: 'm', input: 'Hello', max_output_tokens: 16 });
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(cut.output_text).toHaveLength(64);
  });

  test('exact counts, cached tokens and a failure on command', async () => {
    const exact = await client.responses.create({ model: 'sim-tokens-1000-50+cached-200', input: 'x' });
    expect(exact.usage).toMatchObject({ input_tokens: 1000, output_tokens: 50, total_tokens: 1050 });
    expect(exact.usage?.input_tokens_details.cached_tokens).toBe(200);
    const failed = await client.responses.create({ model: 'sim-finish-error', input: 'x' });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  });
});

describe('reasoning', () => {
  test('is an item whose encrypted half is given to whoever asks, and must come back as it was', async () => {
    const asked = { model: 'm', reasoning: thinking, store: false, include: ['reasoning.encrypted_content' as const] };
    const first = await client.responses.create({ ...asked, input: 'Think.' });
    const [item] = first.output;
    if (item?.type !== 'reasoning') throw new Error('no reasoning item');
    expect(item.summary[0]?.text).toContain('simulator');
    expect(first.usage?.output_tokens_details.reasoning_tokens).toBe(24);
    const history = [{ role: 'user' as const, content: 'Think.' }, ...(first.output as ResponseInput)];
    const next = { role: 'user' as const, content: 'Go on.' };
    await client.responses.create({ ...asked, input: [...history, next] });
    const forged = { ...item, encrypted_content: `${item.encrypted_content}x` };
    await expect(client.responses.create({ ...asked, input: [forged, next] })).rejects.toThrow(/could not be verified/);
    const { encrypted_content: _gone, ...bare } = item;
    await expect(client.responses.create({ ...asked, input: [bare, next] })).rejects.toThrow(/not persisted/);
  });

  test('without the wish for a summary nothing is shown', async () => {
    const response = await client.responses.create({ model: 'm', input: 'x', reasoning: { effort: 'low' } });
    expect(response.output[0]).toMatchObject({ type: 'reasoning', summary: [] });
    expect(response.output[0]).not.toHaveProperty('encrypted_content');
  });
});

describe('streams', () => {
  test('add up to the same answer and usage as the whole one', async () => {
    const params = { model: 'm', input: 'Say hello.', reasoning: thinking };
    const whole = await client.responses.create(params);
    const streamed = await client.responses.stream(params).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.output.map((item) => item.type)).toEqual(['reasoning', 'message']);
  });

  test('number their events and open and close every item', async () => {
    const stream = await client.responses.create({ model: 'sim-chunks-2', input: 'x', stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.map((event) => event.type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('an error frame is an event of this kind', async () => {
    const stream = await client.responses.create({ model: 'sim-error-frame-1', input: 'x', stream: true });
    const types = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(-1)).toBe('error');
  });
});

describe('tools', () => {
  test('a function is called, streamed and whole, and its output comes back in the answer', async () => {
    const input = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
    const streamed = await client.responses.stream({ model: 'm', input, tools: [weather] }).finalResponse();
    const called = await client.responses.create({ model: 'm', input, tools: [weather] });
    const [call] = called.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(streamed.output[0]).toMatchObject({ name: 'get_weather', arguments: call.arguments });
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '21C and sunny' };
    const next = await client.responses.create({ model: 'm', input: [...input, call, output], tools: [weather] });
    expect(next.output_text).toContain('21C and sunny');
  });

  test('a function of a namespace, also one that came with the input, is called by both names', async () => {
    const namespace = { type: 'namespace' as const, name: 'sky', description: 'd', tools: [weather] };
    const input = [
      { type: 'additional_tools' as const, role: 'developer' as const, tools: [namespace] },
      { role: 'user' as const, content: 'What is the weather?' },
    ];
    const called = await client.responses.create({ model: 'm', input });
    expect(called.output[0]).toMatchObject({ type: 'function_call', name: 'get_weather', namespace: 'sky' });
  });
});

test('structured output satisfies its schema', async () => {
  const format = zodTextFormat(z.object({ city: z.string(), high: z.number() }), 'weather');
  const parsed = await client.responses.parse({ model: 'm', input: 'x', text: { format } });
  expect(parsed.output_parsed).toEqual({ city: 'Paris', high: 21 });
});

test.each([
  ['{"input":"x"}', /model parameter/],
  ['{"model":"m"}', /'input'/],
  ['{"model":"m","input":"x","provider":{}}', /Unknown parameter: 'provider'/],
  ['{"model":"m","input":[{"role":"owl","content":""}]}', /input\[0\]\.role/],
  ['{"model":"m","input":[{"id":"x_1","role":"user","content":""}]}', /begins with 'msg'/],
  ['{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":""}]}', /No tool call found/],
  ['{"model":"m","input":"x","max_output_tokens":1}', /max_output_tokens/],
  ['{"model":"m","input":"x","tools":[{"type":"function","function":{"name":"f"}}]}', /tools\[0\]\.name/],
])('%s is 400', async (body, message) => {
  const headers = { authorization: 'Bearer k' };
  const answer = await fetch(`${simulator.url}/v1/responses`, { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(message) } });
});
