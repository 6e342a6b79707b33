// The real SDK checks shapes: whatever it accepts, accumulates and parses is what the real API sends.

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
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

const messages = [{ role: 'user' as const, content: 'Say hello to Ada.' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Weather for a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

describe('whole answers', () => {
  test('have the shape of the real API and quote the prompt', async () => {
    const { data, request_id } = await client.chat.completions.create({ model: 'any-model', messages }).withResponse();
    expect(request_id).toMatch(/^req_/);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\w{29}$/),
      object: 'chat.completion',
      model: 'any-model',
      system_fingerprint: expect.stringMatching(/^fp_/),
      service_tier: 'default',
    });
    expect(data.choices).toHaveLength(1);
    expect(data.choices[0]).toMatchObject({ index: 0, logprobs: null, finish_reason: 'stop' });
    expect(data.choices[0]?.message).toMatchObject({ role: 'assistant', refusal: null });
    expect(data.choices[0]?.message.content).toContain('Say hello to Ada.');
    const text = data.choices[0]?.message.content ?? '';
    // 3 for the conversation, 3 for the message, 17 characters of text.
    expect(data.usage?.prompt_tokens).toBe(3 + 3 + 5);
    expect(data.usage?.completion_tokens).toBe(Math.ceil(text.length / 4));
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
    expect(data.usage?.completion_tokens_details?.reasoning_tokens).toBe(0);
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  });

  test('the same request gets another id each time, also from memory', async () => {
    const bodies = await Promise.all([1, 2, 3].map(() => client.chat.completions.create({ model: 'm', messages })));
    expect(new Set(bodies.map((body) => body.id)).size).toBe(3);
  });

  test('max_tokens cuts the text and says so', async () => {
    const cut = await client.chat.completions.create({ model: 'm', messages, max_tokens: 5 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.choices[0]?.message.content).toHaveLength(20);
    expect(cut.usage?.completion_tokens).toBe(5);
  });

  test('a stop sequence ends the text before it', async () => {
    const cut = await client.chat.completions.create({ model: 'm', messages, stop: [' Ada'] });
    expect(cut.choices[0]?.message.content).toBe('You said: "Say hello to');
    expect(cut.choices[0]?.finish_reason).toBe('stop');
  });

  test('n choices are all there and all counted', async () => {
    const one = await client.chat.completions.create({ model: 'm', messages });
    const three = await client.chat.completions.create({ model: 'm', messages, n: 3 });
    expect(three.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(three.usage?.completion_tokens).toBe(3 * (one.usage?.completion_tokens ?? 0));
  });

  test('exact counts win over max_tokens', async () => {
    const exact = await client.chat.completions.create({
      model: 'sim-tokens-1000-50+cached-200',
      messages,
      max_tokens: 1,
    });
    expect(exact.usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 });
    expect(exact.usage?.prompt_tokens_details?.cached_tokens).toBe(200);
    expect(exact.choices[0]?.message.content).toHaveLength(200);
  });

  test('size, provider and another model name on command', async () => {
    const body = await client.chat.completions.create({ model: 'sim-size-777+provider-acme+other-model', messages });
    expect(body.choices[0]?.message.content).toHaveLength(777);
    expect(body).toMatchObject({ provider: 'acme', model: 'sim-size-777+provider-acme+other-model-2025-01-01' });
  });

  test('reasoning is shown when asked for, hidden or detailed on command', async () => {
    const asked = await client.chat.completions.create({ model: 'm', messages, reasoning_effort: 'low' });
    expect(asked.choices[0]?.message).toMatchObject({ reasoning_content: expect.stringContaining('simulator') });
    expect(asked.usage?.completion_tokens_details?.reasoning_tokens).toBe(24);
    const hidden = await client.chat.completions.create({ model: 'sim-reasoning-hidden-7', messages });
    expect(hidden.choices[0]?.message).not.toHaveProperty('reasoning_content');
    expect(hidden.usage?.completion_tokens_details?.reasoning_tokens).toBe(7);
    const detailed = await client.chat.completions.create({ model: 'sim-reasoning-details-7', messages });
    expect(detailed.choices[0]?.message).toMatchObject({ reasoning_details: [{ type: 'reasoning.text' }] });
  });
});

describe('streamed answers', () => {
  test('come as role, content, finish, usage when it is asked for', async () => {
    const stream = await client.chat.completions.create({
      model: 'sim-chunks-4',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toHaveLength(1 + 4 + 1 + 1);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(chunks[1]?.choices[0]).toMatchObject({ index: 0, logprobs: null, finish_reason: null });
    expect(chunks[5]?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks[6]).toMatchObject({ choices: [], usage: { prompt_tokens: 11 } });
  });

  test('hold no usage at all when it is not asked for', async () => {
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    for await (const chunk of stream) expect(chunk).not.toHaveProperty('usage');
  });

  test('add up to the same answer and usage as the whole one', async () => {
    const whole = await client.chat.completions.create({ model: 'm', messages, n: 2 });
    const streamed = await client.chat.completions
      .stream({ model: 'm', messages, n: 2, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(streamed.choices.map((choice) => choice.message.content)).toEqual(
      whole.choices.map((choice) => choice.message.content),
    );
    expect(streamed.usage).toEqual(whole.usage);
  });

  test('paced chunks arrive one by one', async () => {
    const startedAt = performance.now();
    const stream = await client.chat.completions.create({ model: 'sim-chunks-5+delay-20', messages, stream: true });
    const times: number[] = [];
    for await (const _ of stream) times.push(performance.now() - startedAt);
    expect(times).toHaveLength(7);
    expect((times[6] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(90);
  });
});

describe('tools', () => {
  const question = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

  test('a tool is called with arguments from its schema, and its result comes back in the answer', async () => {
    const called = await client.chat.completions.create({ model: 'm', messages: question, tools: [weather] });
    const message = called.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    expect(called.choices[0]?.finish_reason).toBe('tool_calls');
    expect(message?.content).toBeNull();
    if (message === undefined || call?.type !== 'function') throw new Error('no call');
    expect(call.id).toMatch(/^call_/);
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris' });
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '21C and sunny' };
    const next = await client.chat.completions.create({
      model: 'm',
      messages: [...question, message, result],
      tools: [weather],
    });
    expect(next.choices[0]?.finish_reason).toBe('stop');
    expect(next.choices[0]?.message.content).toContain('21C and sunny');
  });

  test('streamed calls, two at once on command, accumulate to the same arguments', async () => {
    const final = await client.chat.completions
      .stream({ model: 'sim-calls-2', messages: question, tools: [weather] })
      .finalChatCompletion();
    const calls = final.choices[0]?.message.tool_calls ?? [];
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    for (const call of calls) expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris' });
  });

  test('none are called when the choice is none, or many tools have nothing to do with the question', async () => {
    const none = await client.chat.completions.create({
      model: 'm',
      messages: question,
      tools: [weather],
      tool_choice: 'none',
    });
    expect(none.choices[0]?.finish_reason).toBe('stop');
    const tools = ['bash', 'edit_file', 'grep_code', 'write_file'].map((name) => ({
      type: 'function' as const,
      function: { ...weather.function, name },
    }));
    const idle = await client.chat.completions.create({ model: 'm', messages, tools });
    expect(idle.choices[0]?.finish_reason).toBe('stop');
    const forced = await client.chat.completions.create({
      model: 'm',
      messages,
      tools,
      tool_choice: { type: 'function', function: { name: 'grep_code' } },
    });
    expect(forced.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'grep_code' } });
  });

  test('a result without its call is refused, and so is a call without its result', async () => {
    const stray = client.chat.completions.create({
      model: 'm',
      messages: [...question, { role: 'tool', tool_call_id: 'call_1', content: '21C' }],
    });
    await expect(stray).rejects.toThrow(/preceding message with 'tool_calls'/);
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } };
    const open = client.chat.completions.create({
      model: 'm',
      messages: [...question, { role: 'assistant', tool_calls: [call] }, ...messages],
    });
    await expect(open).rejects.toThrow(/call_1/);
  });
});

test('structured output satisfies its schema', async () => {
  const Answer = z.object({
    city: z.string(),
    mood: z.enum(['sunny', 'wet']),
    days: z.array(z.object({ high: z.number() })),
  });
  const parsed = await client.chat.completions.parse({
    model: 'm',
    messages,
    response_format: zodResponseFormat(Answer, 'answer'),
  });
  expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Paris', mood: 'sunny', days: [{ high: 21 }] });
  const loose = await client.chat.completions.create({
    model: 'm',
    messages,
    response_format: { type: 'json_object' },
  });
  expect(JSON.parse(loose.choices[0]?.message.content ?? '')).toBeTypeOf('object');
  const worded = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: `JSON by this schema: ${JSON.stringify(z.toJSONSchema(Answer))}` }],
    response_format: { type: 'json_object' },
  });
  expect(Answer.parse(JSON.parse(worded.choices[0]?.message.content ?? ''))).toMatchObject({ city: 'Paris' });
});

describe('refusals', () => {
  const post = (headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(`${simulator.url}/chat/completions`, { method: 'POST', headers, body });

  test('no key is 401 in the real envelope', async () => {
    const answer = await post({}, '{}');
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null, code: null } });
  });

  test.each([
    ['not json', /parse the JSON/],
    ['{"messages":[]}', /model parameter/],
    ['{"model":"m"}', /'messages'/],
    ['{"model":"m","messages":[]}', /empty array/],
    ['{"model":"m","messages":[{"role":"user"}],"max_tokens":-5}', /max_tokens/],
    ['{"model":"m","messages":[{"role":"owl"}]}', /messages\[0\]\.role/],
    ['{"model":"sim-fly","messages":[{"role":"user","content":""}]}', /no command 'fly'/],
  ])('%s is 400', async (body, message) => {
    const answer = await post({ authorization: 'Bearer k' }, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(message) } });
  });

  test('policy and context length have their codes', async () => {
    await expect(client.chat.completions.create({ model: 'sim-policy', messages })).rejects.toMatchObject({
      status: 400,
      code: 'content_policy_violation',
    });
    await expect(client.chat.completions.create({ model: 'sim-context-length', messages })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    });
  });
});

test('models are listed', async () => {
  const list = await client.models.list();
  expect(list.data.length).toBeGreaterThan(2);
  expect(list.data[0]).toMatchObject({ object: 'model', owned_by: 'tollgate-simulator' });
});

describe('what frameworks rely on', () => {
  test('a schema told in words is obeyed, the last of several', async () => {
    const schema =
      '{"properties": {"city": {"type": "string"}, "size": {"type": "integer"}}, "required": ["city", "size"]}';
    const content = `Answer as JSON. For {"properties": {"foo": {"type": "string"}}} that is {"foo": "a {"}. The schema: ${schema}`;
    const told = [{ role: 'system' as const, content }, ...messages];
    const answer = await client.chat.completions.create({ model: 'any-model', messages: told });
    const value = JSON.parse(answer.choices[0]?.message.content ?? '') as unknown;
    expect(value).toEqual({ city: 'Paris', size: expect.any(Number) });
  });

  test('a required tool is called once, and each of several', async () => {
    const other = { ...weather, function: { ...weather.function, name: 'final_result' } };
    const called: string[] = [];
    const turns: OpenAI.ChatCompletionMessageParam[] = [...messages];
    for (let turn = 0; turn < 4; turn += 1) {
      const params = { model: 'any-model', messages: turns, tools: [weather, other], tool_choice: 'required' as const };
      const message = (await client.chat.completions.create(params)).choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      if (message === undefined || call?.type !== 'function') break;
      called.push(call.function.name);
      turns.push(message, { role: 'tool', tool_call_id: call.id, content: 'done' });
    }
    expect(called).toEqual(['get_weather', 'final_result']);
  });

  test('log probabilities come with every piece, whole and streamed', async () => {
    const params = { model: 'any-model', messages, logprobs: true, top_logprobs: 3 };
    const whole = (await client.chat.completions.create(params)).choices[0];
    const pieces = whole?.logprobs?.content ?? [];
    expect(pieces.map(({ token }) => token).join('')).toBe(whole?.message.content);
    expect(pieces[0]?.top_logprobs).toHaveLength(3);
    const streamed = await client.chat.completions.stream(params).finalChatCompletion();
    expect(streamed.choices[0]?.logprobs?.content).toEqual(pieces);
  });
});
