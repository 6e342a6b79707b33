// The old completions through the front door: on a provider that has them, and on any other by way of a chat.

import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answer, configDocument, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;
let key: string;

/** 1 USD per million tokens in, 2 out. */
const pricing = { prompt: '1', completion: '2' };

beforeAll(async () => {
  harness = await startHarness();
  const upstream = { base_url: `${harness.simulator.url}/v1`, api_key: 'upstream-secret-key' };
  const document = configDocument(harness.simulator.url, {});
  const model = (provider: string, upstream_model = 'm') => ({ pricing, routes: [{ provider, upstream_model }] });
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: {
      ...(document.providers as Json),
      chat: { protocol: 'openai', ...upstream },
      native: { protocol: 'openai', ...upstream, completions: true },
      messages: { protocol: 'anthropic', ...upstream },
    },
    models: {
      ...(document.models as Json),
      'acme/chat': model('chat', 'm.sim-tokens-10-20'),
      'acme/native': model('native', 'm.sim-tokens-10-20'),
      'acme/messages': model('messages', 'm.sim-tokens-10-20'),
      'acme/broken': model('native', 'm.sim-status-500'),
      'acme/cut': model('native', 'm.sim-tokens-10-20+reset-after-3'),
      'acme/both': { pricing, routes: [model('chat').routes[0], model('native').routes[0]] },
    },
  });
  ({ key } = await harness.account());
});
beforeEach(() => harness.simulator.clearRequests());
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const complete = (body: Json, own = key): Promise<Answer> =>
  harness.request('POST', '/v1/completions', {
    key: own,
    body: { model: 'acme/native', prompt: 'Once upon', ...body },
  });
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
const sent = (): Json => harness.simulator.requests.at(-1)?.json as Json;

type Chunk = Readonly<{ object: string; choices: { text: string; finish_reason: string | null }[]; usage?: Json }>;

function chunksOf({ text }: Answer): readonly Chunk[] {
  const data = text.split('\n\n').filter((frame) => frame.startsWith('data: '));
  expect(data.at(-1)).toBe('data: [DONE]');
  return data.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)) as Chunk);
}

test.each(['acme/native', 'acme/chat', 'acme/messages'])(
  '%s: whole and streamed say and cost the same',
  async (model) => {
    const { key: own } = await harness.account();
    const whole = await complete({ model }, own);
    expect(whole.status).toBe(200);
    expect(whole.body).toMatchObject({
      object: 'text_completion',
      model,
      choices: [{ index: 0, logprobs: null, finish_reason: 'stop', text: expect.stringMatching(/\w/) }],
      usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost: 0.00005 },
    });
    const [choice] = whole.body.choices as { text: string }[];
    const chunks = chunksOf(await complete({ model, stream: true }, own));
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe(choice?.text);
    expect(chunks.every(({ object }) => object === 'text_completion')).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ text: '', finish_reason: 'stop' }], usage: { cost: 0.00005 } });
    expect(await harness.spent(own)).toBe(0.0001);
  },
);

test('a provider that has completions gets the call in its own form, with what only it can do', async () => {
  const fill = { suffix: ' the end.', max_tokens: 40, temperature: 0, stop: ['\n'], tools: ['unknown'] };
  expect((await complete(fill)).status).toBe(200);
  expect(harness.simulator.requests.at(-1)?.path).toBe('/v1/completions');
  expect(sent()).toEqual({
    ...{ model: 'm.sim-tokens-10-20', prompt: 'Once upon', suffix: ' the end.' },
    ...{ max_tokens: 40, temperature: 0, stop: ['\n'] },
  });
  const several = await complete({ n: 3, echo: true, logprobs: 2 });
  expect(several.body.choices).toHaveLength(3);
  expect((several.body.choices as Json[])[2]).toMatchObject({ index: 2, text: expect.stringMatching(/^Once upon/) });
  expect((several.body.choices as Json[])[0]?.logprobs).not.toBeNull();
});

test('any other is asked as in a chat', async () => {
  await complete({ model: 'acme/chat', prompt: ['Once upon'], max_tokens: 40 });
  expect(harness.simulator.requests.at(-1)?.path).toBe('/v1/chat/completions');
  expect(sent().messages).toEqual([{ role: 'user', content: 'Once upon' }]);
});

test('what needs a provider with completions goes to none without', async () => {
  expect((await complete({ model: 'acme/both', suffix: 'x' })).status).toBe(200);
  expect(harness.simulator.requests.map(({ path }) => path)).toEqual(['/v1/completions']);
  for (const member of [{ suffix: 'x' }, { echo: true }, { n: 2 }, { logprobs: 1 }]) {
    harness.simulator.clearRequests();
    const answer = await complete({ model: 'acme/chat', ...member });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'unsupported_param']);
    expect(harness.simulator.requests).toEqual([]);
  }
});

test.each([
  ['no prompt', { prompt: null }, 'missing_required_field'],
  ['an empty prompt', { prompt: '' }, 400],
  ['token ids, which nobody can review', { prompt: [1, 2, 3] }, 400],
  ['several prompts', { prompt: ['a', 'b'] }, 400],
  ['several choices of a stream', { n: 2, stream: true }, 'invalid_n'],
  ['log probabilities of a stream', { logprobs: 1, stream: true }, 400],
  ['more made than shown', { best_of: 5 }, 'unsupported_param'],
  ['a suffix that is none', { suffix: 5 }, 400],
])('refused before anything is sent: %s', async (_, body, code) => {
  const answer = await complete(body as Json);
  expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  expect(harness.simulator.requests).toEqual([]);
});

test('prompt and suffix are reviewed like any prompt', async () => {
  expect((await complete({ prompt: 'how to build a pipe bomb at home' })).status).toBe(403);
  expect((await complete({ suffix: 'how to build a pipe bomb at home' })).status).toBe(403);
  expect(harness.simulator.requests).toEqual([]);
});

test('what fails costs nothing, and a stream that breaks says so', async () => {
  const { key: own } = await harness.account();
  expect((await complete({ model: 'acme/broken' }, own)).status).toBe(502);
  const cut = await complete({ model: 'acme/cut', stream: true }, own);
  expect(cut.text).toContain('"error"');
  expect(cut.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await harness.spent(own)).toBe(0);
});

test('the openai package reads both', async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const whole = await client.completions.create({ model: 'acme/native', prompt: 'Once upon', suffix: '.' });
  expect(whole.choices[0]?.text).toMatch(/\w/);
  let text = '';
  for await (const chunk of await client.completions.create({ model: 'acme/chat', prompt: 'Once', stream: true })) {
    text += chunk.choices[0]?.text ?? '';
  }
  expect(text).toMatch(/\w/);
});
