// The unmodified OpenAI SDK against the gateway: if its own helpers accept every chunk, so will the clients built on
// it.

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let client: OpenAI;
const model = 'openai/test';
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

beforeAll(async () => {
  harness = await startHarness();
  const { key } = await harness.account();
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 });
});

afterAll(() => harness.close());

test('CHAT-01 VER-08 create', async () => {
  const { data, request_id } = await client.chat.completions.create({ model, messages }).withResponse();
  expect(data.choices[0]?.message.content).toBeTruthy();
  expect(request_id).toBeTruthy();
});

test('STRM-02 STRM-04 the streaming helper accumulates text and usage', async () => {
  const stream = client.chat.completions.stream({ model, messages });
  const final = await stream.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBeTruthy();
  expect((final.usage as unknown as { cost: number }).cost).toBeGreaterThan(0);
});

test('TOOL-06 TOOL-07 TOOL-08 runTools calls the tool once, whole and streamed', async () => {
  for (const stream of [false, true]) {
    const calls: unknown[] = [];
    const tool = {
      type: 'function' as const,
      function: { ...weather, parse: JSON.parse, function: (input: { city: string }) => `${calls.push(input)} 21C` },
    };
    const runner = stream
      ? client.chat.completions.runTools({ model, messages, tools: [tool], stream: true })
      : client.chat.completions.runTools({ model, messages, tools: [tool] });
    expect(await runner.finalContent()).toContain('21C');
    expect(calls).toEqual([{ city: expect.any(String) }]);
  }
});

test('TOOL-10 TOOL-11 structured output parses, whole and streamed', async () => {
  const format = zodResponseFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather');
  const whole = await client.chat.completions.parse({ model, messages, response_format: format });
  expect(whole.choices[0]?.message.parsed).toMatchObject({ city: expect.any(String), degrees: expect.any(Number) });
  const final = await client.chat.completions
    .stream({ model, messages, response_format: format })
    .finalChatCompletion();
  expect(final.choices[0]?.message.parsed).toMatchObject({ city: expect.any(String) });
});

test('ERR-01 ERR-05 errors arrive as the SDK knows them', async () => {
  const stranger = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'sk-tg-wrong', maxRetries: 0 });
  await expect(stranger.chat.completions.create({ model, messages })).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
  await expect(client.chat.completions.create({ model, messages: [], stream: true })).rejects.toBeInstanceOf(
    OpenAI.BadRequestError,
  );
});

test('CAT-01 CAT-12 models.list and models.retrieve', async () => {
  const listed = await client.models.list();
  expect(listed.data.map((entry) => entry.id)).toContain(model);
  expect((await client.models.retrieve(model)).id).toBe(model);
});
