// The unmodified Anthropic SDK to every kind of upstream, through its own helpers: the stream that becomes a message,
// the tool runner, and answers parsed by a schema.

import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
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
  textOf,
  weatherSchema,
} from './every-upstream.ts';

let clients: Clients;
let client: Anthropic;
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
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
  client = clients.anthropic;
});

afterAll(() => clients.close());

type Charged = Readonly<{ tollgate_cost: number }>;
type RunnerParams = Parameters<typeof client.beta.messages.toolRunner>[0];

const ask = (body: Anthropic.MessageCreateParamsNonStreaming, isStreamed: boolean) =>
  isStreamed ? client.messages.stream(body).finalMessage() : client.messages.create(body);

describe.each(KINDS)('Messages over an upstream of the %s kind', (kind) => {
  const body = { model: modelOf(kind, 'open'), max_tokens: 500, messages };

  test('MSGS-09 messages.stream gives the text and the message', async () => {
    const stream = client.messages.stream(body);
    let text = '';
    stream.on('text', (delta) => {
      text += delta;
    });
    const message = await stream.finalMessage();
    expect(text).toContain(QUESTION);
    expect(textOf(message)).toBe(text);
    expect(await stream.finalText()).toBe(text);
    expect(message).toMatchObject({ role: 'assistant', model: body.model, stop_reason: 'end_turn' });
  });

  test.each([false, true])('MSGS-08 BILL-09 usage as this API counts it, streamed: %s', async (isStreamed) => {
    const written = countsWrites(kind) ? 30 : 0;
    const cost = ((60 - written) * 3 + 40 * 0.3 + written * 3.75 + 20 * 15) / 1e6;
    const asked = { ...body, model: modelOf(kind, 'exact') };
    const figures = {
      input_tokens: 60 - written,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: written,
      output_tokens: 20,
    };
    let charged = Number.NaN;
    if (isStreamed) {
      // The helper keeps only the figures that it knows; the cost is in the event itself.
      const stream = client.messages.stream(asked).on('streamEvent', (event) => {
        if (event.type === 'message_delta') charged = (event.usage as unknown as Charged).tollgate_cost;
      });
      expect((await stream.finalMessage()).usage).toMatchObject(figures);
    } else {
      const { usage } = await client.messages.create(asked);
      expect(usage).toMatchObject(figures);
      charged = (usage as unknown as Charged).tollgate_cost;
    }
    expect(charged).toBeCloseTo(cost, 12);
  });

  test.each([false, true])('MSGS-06 the tool runner, streamed: %s', async (stream) => {
    const cities: string[] = [];
    const tool = betaZodTool({
      name: 'get_weather',
      description: 'Weather of a city',
      inputSchema: z.object({ city: z.string() }),
      run: ({ city }) => `21C in ${city}, asked ${cities.push(city)} times`,
    });
    const final = await client.beta.messages
      .toolRunner({ ...body, tools: [tool], stream } as RunnerParams)
      .runUntilDone();
    expect(textOf(final as Pick<Anthropic.Message, 'content'>)).toContain('21C in Paris, asked 1 times');
    expect(cities).toEqual(['Paris']);
  });

  test.each([false, true])('MSGS-06 TOOL-08 two calls at once, streamed: %s', async (isStreamed) => {
    const tools = ['get_weather', 'get_tide'].map((name) => ({ name, input_schema: weatherSchema }));
    const asked = { ...body, model: modelOf(kind, 'parallel'), tools };
    const first = await ask(asked, isStreamed);
    const uses = first.content.filter((block) => block.type === 'tool_use');
    expect(first.stop_reason).toBe('tool_use');
    expect(uses).toMatchObject([
      { name: 'get_weather', input: { city: 'Paris' } },
      { name: 'get_tide', input: { city: 'Paris' } },
    ]);
    const results = uses.map(({ id, name }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: `${name} done`,
    }));
    const next = await ask(
      {
        ...asked,
        messages: [...messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }],
      },
      isStreamed,
    );
    expect(textOf(next)).toContain('get_weather done; get_tide done');
  });

  test.each([false, true])('zodOutputFormat parses, streamed: %s', async (isStreamed) => {
    const asked = { ...body, output_config: { format: zodOutputFormat(Report) } };
    const message = isStreamed
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.parse(asked);
    expect(Report.safeParse(message.parsed_output).error).toBeUndefined();
  });

  test.each([false, true])('MSGS-06 stop sequences and the limit, streamed: %s', async (isStreamed) => {
    if (!takesStops(kind)) return;
    const stopped = await ask({ ...body, stop_sequences: ['weather'] }, isStreamed);
    expect(textOf(stopped)).toBe('You said: "What is the ');
    // Only this API says which sequence was met; the others call it an ordinary end.
    if (kind === 'messages') expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'weather' });
    else expect(stopped.stop_reason).toBe('end_turn');
    const cut = await ask({ ...body, max_tokens: 2 }, isStreamed);
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'You said' }] });
  });

  test('an image and a PDF arrive byte for byte', async () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'a.pdf' },
    ];
    const message = await client.messages.create({ ...body, messages: [{ role: 'user', content }] });
    expect(textOf(message)).toContain('Look.');
    const sent = JSON.stringify(clients.lastSent());
    expect(sent).toContain(PIXEL);
    expect(sent).toContain(PDF);
  });

  test('countTokens counts the prompt that will be charged, nearly', async () => {
    const { input_tokens } = await client.messages.countTokens({ model: body.model, messages });
    expect(input_tokens).toBeGreaterThan(3);
    expect(input_tokens).toBeLessThan(40);
  });

  test.each([false, true])(
    'MSGS-10 STRM-09 errors before any event are the SDK’s own, streamed: %s',
    async (stream) => {
      const call = (name: string) => client.messages.create({ ...body, model: modelOf(kind, name), stream });
      await expect(call('busy')).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' });
      await expect(call('down')).rejects.toMatchObject({ status: 502, type: 'api_error' });
      await expect(call('unheard-of')).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
    },
  );

  test.each(['error-frame', 'cut'])('STRM-06 a stream that ends with %s throws and is not charged', async (name) => {
    const before = await clients.harness.spent(clients.key);
    const stream = client.messages.stream({ ...body, model: modelOf(kind, name) });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
    expect(await clients.harness.spent(clients.key)).toBe(before);
  });
});
