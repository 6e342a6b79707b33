// The unmodified OpenAI SDK speaks chat completions to every kind of upstream, through its own helpers: they join
// streams, run tools and parse answers, and throw at the first chunk that they do not expect.

import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Clients,
  countsWrites,
  KINDS,
  modelOf,
  PDF,
  PIXEL,
  QUESTION,
  startClients,
  takesStops,
  weatherSchema,
} from './every-upstream.ts';

let clients: Clients;
let client: OpenAI;
const messages = [{ role: 'user' as const, content: QUESTION }];
const weather = { name: 'get_weather', description: 'Weather of a city', parameters: weatherSchema };
const Report = z.object({ city: z.string(), degrees: z.number(), tags: z.array(z.enum(['dry', 'wet'])) });

beforeAll(async () => {
  clients = await startClients({
    open: '',
    exact: 'tokens-100-20+cached-40+cache-write-30',
    parallel: 'calls-2',
    'error-frame': 'error-frame-2',
    cut: 'eof-after-2',
    busy: 'status-429-retry-after-7',
    down: 'status-500',
  });
  client = clients.openai;
});

afterAll(() => clients.close());

describe.each(KINDS)('chat over an upstream of the %s kind', (kind) => {
  const model = modelOf(kind, 'open');

  test('STRM-02 STRM-04 CHAT-36 stream() accumulates text, finish and usage', async () => {
    const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
    let text = '';
    stream.on('content', (delta) => {
      text += delta;
    });
    const final = await stream.finalChatCompletion();
    expect(text).toContain(QUESTION);
    expect(final.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: text } });
    const usage = await stream.totalUsage();
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    expect(final.usage).toMatchObject({ total_tokens: usage.total_tokens, cost: expect.any(Number) });
    expect(final.model).toBe(model);
  });

  test('CHAT-36 CHAT-37 CHAT-41 BILL-09 usage is counted one way, cached tokens included', async () => {
    // 30 plain, 40 read from the cache, 30 written to it where that is told, 20 said.
    const written = countsWrites(kind) ? 30 : 0;
    const cost = ((60 - written) * 3 + 40 * 0.3 + written * 3.75 + 20 * 15) / 1e6;
    const body = { model: modelOf(kind, 'exact'), messages };
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const { usage } of [whole, streamed]) {
      expect(usage).toMatchObject({
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 40, ...(written > 0 ? { cache_write_tokens: written } : {}) },
      });
      expect((usage as unknown as { cost: number }).cost).toBeCloseTo(cost, 12);
    }
  });

  test.each([false, true])('TOOL-06 TOOL-07 TOOL-08 runTools, streamed: %s', async (isStreamed) => {
    const cities: string[] = [];
    const tool = {
      type: 'function' as const,
      function: {
        ...weather,
        parse: JSON.parse,
        function: ({ city }: { city: string }) => {
          cities.push(city);
          return `21C in ${city}`;
        },
      },
    };
    const runner = isStreamed
      ? client.chat.completions.runTools({ model, messages, tools: [tool], stream: true })
      : client.chat.completions.runTools({ model, messages, tools: [tool] });
    expect(await runner.finalContent()).toContain('21C in Paris');
    expect(cities).toEqual(['Paris']);
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0);
  });

  test.each([false, true])('TOOL-08 runTools answers two calls at once, streamed: %s', async (isStreamed) => {
    const made: string[] = [];
    const toolNamed = (name: string) => ({
      type: 'function' as const,
      function: { ...weather, name, parse: JSON.parse, function: () => `answer ${made.push(name)}` },
    });
    const tools = [toolNamed('get_weather'), toolNamed('get_tide')];
    const body = { model: modelOf(kind, 'parallel'), messages, tools };
    const runner = isStreamed
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toContain('answer 1; answer 2');
    expect(made).toEqual(['get_weather', 'get_tide']);
  });

  test.each([false, true])('TOOL-11 zodResponseFormat parses, streamed: %s', async (isStreamed) => {
    const body = { model, messages, response_format: zodResponseFormat(Report, 'report') };
    const completion = isStreamed
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.parse(body);
    expect(Report.safeParse(completion.choices[0]?.message.parsed).error).toBeUndefined();
  });

  test('TOOL-06 zodFunction parses the arguments of a call', async () => {
    const tools = [zodFunction({ name: 'file_report', parameters: Report })];
    const completion = await client.chat.completions.parse({ model, messages, tools });
    const call = completion.choices[0]?.message.tool_calls?.[0];
    expect(Report.safeParse(call?.function.parsed_arguments).error).toBeUndefined();
  });

  test('TOOL-10 plain JSON mode answers with JSON', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toBeTypeOf('object');
  });

  test.runIf(takesStops(kind))('CHAT-09 CHAT-34 stop ends the answer there, and max_tokens cuts it', async () => {
    const stopped = await client.chat.completions.create({ model, messages, stop: ['weather'] });
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'You said: "What is the ' },
    });
    const cut = await client.chat.completions.create({ model, messages, max_completion_tokens: 2 });
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'You said' } });
  });

  test('CHAT-29 CHAT-30 an image and a PDF arrive byte for byte', async () => {
    const content = [
      { type: 'text' as const, text: 'Look.' },
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'file' as const, file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ];
    const completion = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    expect(completion.choices[0]?.message.content).toContain('Look.');
    const sent = JSON.stringify(clients.lastSent());
    expect(sent).toContain(PIXEL);
    expect(sent).toContain(PDF);
    if (kind === 'messages') expect(sent).toContain('"type":"document"');
  });

  test('CHAT-29 TOOL-07 what a tool has photographed arrives, as some clients send it', async () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }];
    const completion = await client.chat.completions.create({
      model,
      // The package’s types know only text here.
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content } as never,
      ],
    });
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(JSON.stringify(clients.lastSent())).toContain(PIXEL);
  });

  test('ERR-05 STRM-09 errors before the stream are the SDK’s own', async () => {
    const stranger = new OpenAI({ baseURL: `${clients.harness.url}/v1`, apiKey: 'sk-tg-wrong', maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model, messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    for (const stream of [false, true]) {
      const call = (name: string) => client.chat.completions.create({ model: modelOf(kind, name), messages, stream });
      await expect(call('busy')).rejects.toMatchObject({ status: 429, code: 'upstream_rate_limited' });
      await expect(call('down')).rejects.toMatchObject({ status: 502, code: 'upstream_unavailable' });
      await expect(call('unheard-of')).rejects.toMatchObject({ status: 400, code: 'unknown_model' });
    }
  });

  test.each(['error-frame', 'cut'])(
    'STRM-06 STRM-07 a stream that ends with %s throws and is not charged',
    async (name) => {
      const before = await clients.harness.spent(clients.key);
      const stream = client.chat.completions.stream({ model: modelOf(kind, name), messages });
      await expect(stream.finalChatCompletion()).rejects.toBeInstanceOf(OpenAI.APIError);
      expect(await clients.harness.spent(clients.key)).toBe(before);
    },
  );
});
