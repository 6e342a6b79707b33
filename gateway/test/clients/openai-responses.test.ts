// The unmodified OpenAI SDK speaks Responses to every kind of upstream, through its own helpers. Nothing is stored
// between calls, so the client must get, and send back, everything that the next call needs.

import OpenAI from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseInputItem } from 'openai/resources/responses/responses';
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
  weatherSchema,
} from './every-upstream.ts';

let clients: Clients;
let client: OpenAI;
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: weatherSchema,
  strict: true,
};
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

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

const ask = (params: Params, isStreamed: boolean): Promise<OpenAI.Responses.Response> =>
  isStreamed ? client.responses.stream(params as never).finalResponse() : client.responses.create(params);

describe.each(KINDS)('Responses over an upstream of the %s kind', (kind) => {
  const model = modelOf(kind, 'open');

  test('RESP-13 RESP-15 stream() accumulates the text that the deltas had', async () => {
    const stream = client.responses.stream({ model, input: QUESTION });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await stream.finalResponse();
    expect(text).toContain(QUESTION);
    expect(final).toMatchObject({ status: 'completed', model, output_text: text });
  });

  test.each([false, true])('RESP-14 CHAT-41 BILL-09 usage is counted one way, streamed: %s', async (isStreamed) => {
    const written = countsWrites(kind) ? 30 * 3.75 : 30 * 3;
    const cost = (30 * 3 + 40 * 0.3 + written + 20 * 15) / 1e6;
    const { usage } = await ask({ model: modelOf(kind, 'exact'), input: QUESTION }, isStreamed);
    expect(usage).toMatchObject({
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_tokens_details: { cached_tokens: 40 },
    });
    expect((usage as unknown as { cost: number }).cost).toBeCloseTo(cost, 12);
  });

  test('inputTokens.count asks no upstream', async () => {
    const short = await client.responses.inputTokens.count({ model, input: QUESTION });
    const long = await client.responses.inputTokens.count({ model, input: QUESTION, tools: [weather] });
    expect(short.object).toBe('response.input_tokens');
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens);
    expect(short.input_tokens).toBeGreaterThan(0);
  });

  test.each([false, true])('RESP-11 TOOL-08 two calls at once, streamed: %s', async (isStreamed) => {
    const tools = [weather, { ...weather, name: 'get_tide' }];
    const first = await ask({ model: modelOf(kind, 'parallel'), input: QUESTION, tools }, isStreamed);
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_tide']);
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(2);
    const input: ResponseInput = [
      { role: 'user', content: QUESTION },
      ...(first.output as ResponseInputItem[]),
      ...calls.map(({ call_id, name }) => ({ type: 'function_call_output' as const, call_id, output: `${name} done` })),
    ];
    const next = await ask({ model, input, tools }, isStreamed);
    expect(next.output_text).toContain('get_weather done; get_tide done');
  });

  test.each([false, true])('zodTextFormat and zodResponsesFunction parse, streamed: %s', async (isStreamed) => {
    const text = { format: zodTextFormat(Report, 'report') };
    const tools = [zodResponsesFunction({ name: 'file_report', parameters: Report })];
    const structured = { model, input: QUESTION, text };
    const called = { model, input: QUESTION, tools, tool_choice: 'required' as const };
    const [answer, call] = isStreamed
      ? [
          await client.responses.stream(structured).finalResponse(),
          await client.responses.stream(called).finalResponse(),
        ]
      : [await client.responses.parse(structured), await client.responses.parse(called)];
    expect(Report.safeParse(answer.output_parsed).error).toBeUndefined();
    const item = call.output.find((one) => one.type === 'function_call');
    expect(Report.safeParse(item?.parsed_arguments).error).toBeUndefined();
  });

  test('RESP-10 an image and a PDF arrive byte for byte', async () => {
    const content = [
      { type: 'input_text' as const, text: 'Look.' },
      { type: 'input_image' as const, image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' as const },
      { type: 'input_file' as const, filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
    ];
    const response = await client.responses.create({ model, input: [{ role: 'user', content }] });
    expect(response.output_text).toContain('Look.');
    const sent = JSON.stringify(clients.lastSent());
    expect(sent).toContain(PIXEL);
    expect(sent).toContain(PDF);
  });

  test.each([false, true])('ERR-05 STRM-09 errors before any event are the SDK’s own, streamed: %s', async (stream) => {
    const call = (name: string) => client.responses.create({ model: modelOf(kind, name), input: QUESTION, stream });
    await expect(call('busy')).rejects.toMatchObject({ status: 429, code: 'upstream_rate_limited' });
    await expect(call('down')).rejects.toMatchObject({ status: 502, code: 'upstream_unavailable' });
    await expect(call('unheard-of')).rejects.toMatchObject({ status: 400, code: 'unknown_model' });
  });

  test.each(['error-frame', 'cut'])('STRM-06 a stream that ends with %s throws and is not charged', async (name) => {
    const before = await clients.harness.spent(clients.key);
    const stream = client.responses.stream({ model: modelOf(kind, name), input: QUESTION });
    await expect(stream.finalResponse()).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(await clients.harness.spent(clients.key)).toBe(before);
  });
});
