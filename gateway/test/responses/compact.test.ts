// A conversation that is made shorter by its provider, as the unmodified SDK asks for it: what goes there, what comes
// back, what it costs, and where it cannot be had.

import type OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { NATIVE, OVER_CHAT, OVER_MESSAGES, type Setup, startThreeUpstreams } from './three-upstreams.ts';

let setup: Setup;
let client: OpenAI;
const input = [
  { role: 'user' as const, content: 'What is the tide?' },
  { role: 'assistant' as const, content: 'High.' },
  { role: 'user' as const, content: 'And now?' },
];

beforeAll(async () => {
  setup = await startThreeUpstreams([]);
  client = setup.client;
});

afterAll(async () => {
  expect(await setup.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await setup.harness.close();
});

const sent = () => setup.harness.simulator.requests.at(-1);
const ask = (body: Json) => setup.harness.request('POST', '/v1/responses/compact', { key: setup.key, body });

test('RESP-01 BILL-01 it goes to the provider as it is, comes back as it came, and is charged', async () => {
  const tools = [{ type: 'function', name: 'tide', parameters: {} }];
  const before = await setup.harness.spent(setup.key);
  const answer = await client.responses.compact(
    { model: NATIVE, input, instructions: 'Be brief.' },
    { body: { model: NATIVE, input, instructions: 'Be brief.', tools, store: false, provider: { sort: 'price' } } },
  );
  expect(answer).toMatchObject({ id: expect.stringMatching(/^resp_gen/), object: 'response.compaction' });
  expect(answer.output).toMatchObject([input[0], input[2], { type: 'compaction' }]);
  const { cost } = answer.usage as unknown as { cost: number };
  expect(cost).toBeGreaterThan(0);
  expect((await setup.harness.spent(setup.key)) - before).toBeCloseTo(cost, 9);
  expect(sent()?.path).toBe('/v1/responses/compact');
  expect(sent()?.json).toEqual({ model: 'plain', input, instructions: 'Be brief.', tools });
});

test('RESP-01 what comes back is the input of the next call', async () => {
  const { output } = await client.responses.compact({ model: NATIVE, input });
  const next = [...output, { role: 'user', content: 'Go on.' }] as OpenAI.Responses.ResponseInput;
  expect((await client.responses.create({ model: NATIVE, input: next, store: false })).status).toBe('completed');
  expect(sent()?.json).toMatchObject({ input: next });
});

test.each([
  ['a provider of chat completions', { model: OVER_CHAT, input }, 'unsupported_param'],
  ['a provider of another vendor', { model: OVER_MESSAGES, input }, 'unsupported_param'],
  ['a stream', { model: NATIVE, input, stream: true }, 400],
  ['an earlier response', { model: NATIVE, input, previous_response_id: 'resp_1' }, 'invalid_prompt'],
])('ERR-31 it is refused: %s', async (_, body, code) => {
  const answer = await ask(body);
  expect([answer.status, (answer.body.error as Json).code]).toEqual([400, code]);
});
