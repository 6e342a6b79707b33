// The unmodified SDK against the gateway, over every kind of upstream: if its own helpers accept every event and build
// the answer, so will the clients built on it.

import type OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { everyWay, NATIVE, OVER_CHAT, type Setup, startThreeUpstreams } from './three-upstreams.ts';

let setup: Setup;
let client: OpenAI;
const question = 'What is the weather in Paris?';
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather of a city',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

beforeAll(async () => {
  setup = await startThreeUpstreams([]);
  client = setup.client;
});

afterAll(async () => {
  expect(await setup.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await setup.harness.close();
});

async function collect(params: OpenAI.Responses.ResponseCreateParamsNonStreaming): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...params, stream: true })) events.push(event);
  return events;
}

describe.each(everyWay)('%s', (model) => {
  test('RESP-01 RESP-12 RESP-13 RESP-14 GEN-01 create, and the record of it', async () => {
    const spentBefore = await setup.harness.spent(setup.key);
    const { data, response } = await client.responses.create({ model, input: 'Say hello.' }).withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', model, error: null, store: false });
    expect(data.output_text).toContain('Say hello.');
    const usage = data.usage as OpenAI.Responses.ResponseUsage & { cost: number };
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(usage.cost).toBeGreaterThan(0);
    expect((await setup.harness.spent(setup.key)) - spentBefore).toBeCloseTo(usage.cost, 9);
    const generationId = response.headers.get('x-generation-id');
    expect(data.id).toBe(`resp_${generationId}`);
    const record = await setup.harness.request('GET', `/v1/generation?id=${data.id}`, { key: setup.key });
    expect(record.body.data).toMatchObject({ id: generationId, model, usage: { cost: usage.cost } });
  });

  test('RESP-15 the events of a stream, each with what clients need', async () => {
    const events = await collect({ model, input: 'Say hello.', instructions: 'Be brief.' });
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ]);
    expect(types.slice(-4)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const [created, last] = [events[0], events.at(-1)];
    if (created?.type !== 'response.created' || last?.type !== 'response.completed') throw new Error('wrong ends');
    expect(created.response).toMatchObject({ id: last.response.id, model, instructions: 'Be brief.' });
    expect(last.response).toMatchObject({ model, usage: { cost: expect.any(Number) } });
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
    expect(last.response.output[0]).toMatchObject({ type: 'message', content: [{ text }] });
    const done = events.find((event) => event.type === 'response.output_item.done');
    expect(done?.type === 'response.output_item.done' && done.item).toEqual(last.response.output[0]);
  });

  test('the streaming helper puts the answer and its cost together', async () => {
    const final = await client.responses.stream({ model, input: 'Say hello.' }).finalResponse();
    expect(final.output_text).toContain('Say hello.');
    expect((final.usage as unknown as { cost: number }).cost).toBeGreaterThan(0);
  });

  test.each([false, true])('RESP-05 RESP-11 a whole tool loop, streamed: %s', async (isStreamed) => {
    const params = { model, input: question, tools: [weather], tool_choice: 'required' as const };
    const first = isStreamed
      ? await client.responses.stream(params).finalResponse()
      : await client.responses.create(params);
    const call = first.output.find((item) => item.type === 'function_call');
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(call).toMatchObject({ name: 'get_weather', status: 'completed' });
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
    const input: ResponseInput = [
      { role: 'user', content: question },
      ...(first.output as ResponseInput),
      { type: 'function_call_output', call_id: call.call_id, output: '21C and sunny' },
    ];
    const next = await client.responses.create({ model, input, tools: [weather] });
    expect(next.output_text).toContain('21C and sunny');
  });

  test('structured output parses, whole and streamed', async () => {
    const format = zodTextFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather');
    const whole = await client.responses.parse({ model, input: 'x', text: { format } });
    expect(whole.output_parsed).toMatchObject({ city: expect.any(String), degrees: expect.any(Number) });
    const streamed = await client.responses.stream({ model, input: 'x', text: { format } }).finalResponse();
    expect(streamed.output_parsed).toMatchObject({ city: expect.any(String) });
  });

  test('an answer that was cut is incomplete, whole and streamed', async () => {
    const params = { model, input: 'Say hello.', max_output_tokens: 16 };
    const whole = await client.responses.create(params);
    expect(whole).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const events = await collect(params);
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } });
  });
});

describe('RESP-07 RESP-06 ERR-31 ERR-38 refusals', () => {
  test.each([
    [{ store: true }, 'invalid_prompt'],
    [{ previous_response_id: 'resp_1' }, 'invalid_prompt'],
    [{ input: [{ type: 'item_reference' as const, id: 'msg_1' }] }, 'invalid_prompt'],
    [{ tools: [{ type: 'file_search' as const, vector_store_ids: [] }] }, 'unsupported_param'],
    [{ stream: true as const, store: true }, 'invalid_prompt'],
  ])('%j', async (change, code) => {
    const call = client.responses.create({ model: NATIVE, input: 'x', ...change });
    await expect(call).rejects.toMatchObject({ status: 400, code });
  });

  test('RESP-02 missing fields', async () => {
    const answer = await setup.harness.request('POST', '/v1/responses', { key: setup.key, body: { model: OVER_CHAT } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'missing_required_field' } });
  });
});

test.each(['whole', 'streamed'])(
  'RESP-01 reasoning that another account has sealed does not end a conversation: the model thinks again (%s)',
  async (form) => {
    const { harness, client } = setup;
    harness.simulator.clearRequests();
    const body = {
      model: NATIVE,
      store: false,
      input: [
        { role: 'user' as const, content: 'q' },
        { type: 'reasoning' as const, id: 'rs_1', encrypted_content: 'ENC', summary: [] },
        { role: 'user' as const, content: 'Go on' },
      ],
    };
    const answer =
      form === 'whole' ? await client.responses.create(body) : await client.responses.stream(body).finalResponse();
    expect(answer.status).toBe('completed');
    const sent = harness.simulator.requests.map(({ json }) => (json as { input: { type?: string }[] }).input);
    expect(sent.map((input) => input.some(({ type }) => type === 'reasoning'))).toEqual([true, false]);
  },
);
