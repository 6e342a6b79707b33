// A prompt that is too long is cut in its middle or refused, never sent as it is; a prompt that fits is never changed,
// even when the quick estimate says that it is too long.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countExactly } from '../../src/modules/tokens/exact-count.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';

const small = (context_length: number, more: Json = {}) => ({ entry: { context_length, ...more } });

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/at-8192': small(8_192),
      'openai/at-8193': small(8_193),
      'openai/at-1000': small(1_000),
      'openai/at-4000': small(4_000),
      'acme/at-1000': small(1_000),
      'openai/dear': small(2_000, { pricing: { prompt: '1000', completion: '0' } }),
      'openai/broken': { commands: 'status-500' },
      'openai/broken-8192': { commands: 'status-500', ...small(8_192) },
      'anthropic/claude-small': small(1_000),
    },
  });
  ({ key } = await harness.account());
  // The vocabulary is loaded when it is first needed, which may take longer than a call waits for it.
  while ((await countExactly('o200k_base', [['a']])) === null);
});

beforeEach(() => harness.simulator.clearRequests());

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const words = (count: number): string => ' word'.repeat(count);

/** System, then user and assistant in turn, each with its number. */
const talk = (length: number, wordsEach: number): Json[] => [
  { role: 'system', content: 'instructions' },
  ...Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `#${index}${words(wordsEach)}`,
  })),
];

const sent = (): Json[] => {
  const body = harness.simulator.requests.at(-1)?.json as { messages: Json[] } | undefined;
  return body?.messages ?? [];
};
const numbers = (messages: readonly Json[]): number[] =>
  messages.flatMap(({ content }) => /^#(\d+)/.exec(String(content))?.[1] ?? []).map(Number);
const messageOf = ({ body }: Answer): string => String((body.error as Json).message);

/** So that earlier requests do not count. */
function cleared<Result>(call: () => Promise<Result>): Promise<Result> {
  harness.simulator.clearRequests();
  return call();
}

function expectRefusal(answer: Answer): void {
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: { code: 'context_too_long', type: 'invalid_request_error' } });
  expect(harness.simulator.requests).toHaveLength(0);
}

describe('who is trimmed', () => {
  const messages = talk(31, 400);

  test('ROUTE-25 ROUTE-24 at 8,192 tokens unasked: beginning and end stay, and it fits', async () => {
    const answer = await harness.chat(key, { model: 'openai/at-8192', messages });
    expect(answer.status).toBe(200);
    expect(sent()[0]).toEqual(messages[0]);
    const kept = numbers(sent());
    expect(kept.slice(0, 3)).toEqual([0, 1, 2]);
    expect(kept.slice(-3)).toEqual([28, 29, 30]);
    expect(kept).not.toContain(15);
    expect(kept).toEqual([...kept].sort((left, right) => left - right));
    const tokens = sent().reduce((sum, { content }) => sum + countTokens(String(content)) + 4, 0);
    expect(tokens).toBeLessThan(8_192);
    expect(tokens).toBeGreaterThan(6_000);
  });

  test('ROUTE-25 ERR-33 at 8,193 tokens only when asked', async () => {
    expectRefusal(await harness.chat(key, { model: 'openai/at-8193', messages }));
    const answer = await harness.chat(key, { model: 'openai/at-8193', messages, transforms: ['middle-out'] });
    expect(answer.status).toBe(200);
    expect(numbers(sent()).length).toBeLessThan(31);
  });

  test('ROUTE-23 asked for on a large model', async () => {
    const long = talk(301, 900);
    expectRefusal(await harness.chat(key, { model: 'openai/test', messages: long }));
    const answer = await harness.chat(key, { model: 'openai/test', messages: long, transforms: ['middle-out'] });
    expect(answer.status).toBe(200);
    const kept = numbers(sent());
    expect([kept[0], kept.at(-1)]).toEqual([0, 300]);
    expect(kept.length).toBeGreaterThan(80);
    expect(kept.length).toBeLessThan(142);
  });

  test('ROUTE-23 ERR-33 an empty list is a no, and the refusal names the limit and the count', async () => {
    const answer = await harness.chat(key, { model: 'openai/at-8192', messages, transforms: [] });
    expectRefusal(answer);
    expect(messageOf(answer)).toMatch(/maximum context length is 8192 tokens.* 12\d{3} tokens/);
  });

  test('ROUTE-23 any other transform is refused', async () => {
    const answer = await harness.chat(key, { model: 'openai/at-8192', transforms: ['outside-in'] });
    expect(answer.body).toMatchObject({ error: { code: 'unsupported_param' } });
  });

  test('ROUTE-24 a family whose vocabulary is not known is trimmed by estimate', async () => {
    const answer = await harness.chat(key, { model: 'acme/at-1000', messages: talk(21, 100) });
    expect(answer.status).toBe(200);
    const kept = numbers(sent());
    expect([kept[0], kept.at(-1)]).toEqual([0, 20]);
    expect(kept.length).toBeGreaterThan(4);
    expect(sent().reduce((sum, { content }) => sum + countTokens(String(content)) + 4, 0)).toBeLessThan(1_000);
  });

  test('ROUTE-24 the same for a stream', async () => {
    const answer = await harness.stream(key, { model: 'openai/at-1000', messages: talk(21, 100) });
    expect(answer.isDone).toBe(true);
    expect(numbers(sent()).length).toBeLessThan(21);
  });
});

describe('each model of a call by its own context', () => {
  const messages = talk(31, 400);

  test('ROUTE-25 ROUTE-09 a fallback at 8,192 tokens is trimmed unasked, though the first model holds everything', async () => {
    const call = { model: 'openai/broken', models: ['openai/at-8192'], messages };
    const answer = await harness.chat(key, call);
    expect(answer.status).toBe(200);
    expect(answer.body.model).toBe('openai/at-8192');
    const kept = numbers(sent());
    expect([kept[0], kept.at(-1)]).toEqual([0, 30]);
    expect(kept).not.toContain(15);
    const whole = harness.simulator.requests[0]?.json as { messages: Json[] };
    expect(whole.messages).toEqual(messages);
  });

  test('ROUTE-23 ROUTE-09 a larger fallback is trimmed where the caller asks for it, and else left out', async () => {
    const call = { model: 'openai/broken', models: ['openai/at-8193'], messages };
    expect((await harness.chat(key, call)).status).toBe(502);
    const answer = await harness.stream(key, { ...call, transforms: ['middle-out'] });
    expect(answer.isDone).toBe(true);
    expect(numbers(sent()).length).toBeLessThan(31);
  });

  test('ROUTE-25 ROUTE-09 a fallback with room gets everything, though the first model was trimmed', async () => {
    const call = { model: 'openai/broken-8192', models: ['openai/test'], messages };
    const answer = await harness.chat(key, call);
    expect(answer.status).toBe(200);
    expect(sent()).toEqual(messages);
    const trimmed = harness.simulator.requests[0]?.json as { messages: Json[] };
    expect(numbers(trimmed.messages)).not.toContain(15);
  });

  test('BILL-02 ROUTE-09 a model that is trimmed holds no more than its context, whatever the others hold', async () => {
    const { key: modest } = await harness.account(4);
    const call = { model: 'openai/dear', models: ['openai/test'], messages: talk(41, 200) };
    const answer = await harness.chat(modest, call);
    expect(answer.body).toMatchObject({ model: 'openai/dear' });
    expect(numbers(sent()).length).toBeLessThan(41);
  });
});

describe('the other dialects', () => {
  test('ROUTE-25 RESP-04 items of the input go, thinking and calls with what belongs to them', async () => {
    const round = (index: number): Json[] => [
      { type: 'reasoning', id: `rs_${index}`, summary: [], encrypted_content: 'sealed' },
      { type: 'function_call', call_id: `call_${index}`, name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: `call_${index}`, output: words(80) },
    ];
    const input = [
      { role: 'user', content: '#0 look' },
      ...Array.from({ length: 20 }, (_, index) => round(index)).flat(),
      { role: 'user', content: '#1 so?' },
    ];
    const body = { model: 'openai/at-1000', input, instructions: 'Be brief.', store: false };
    const answer = await harness.request('POST', '/v1/responses', { key, body });
    expect(answer.status).toBe(200);
    expect(numbers(sent())).toEqual([0, 1]);
    const calls = sent().flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
    const results = sent().flatMap(({ role, tool_call_id }) => (role === 'tool' ? [tool_call_id] : []));
    expect(calls.map(({ id }: Json) => id)).toEqual(results);
    expect(results.slice(0, 2)).toEqual(['call_0', 'call_1']);
    expect(results.at(-1)).toBe('call_19');
    expect(results.length).toBeLessThan(12);
    expectRefusal(
      await cleared(() => harness.request('POST', '/v1/responses', { key, body: { ...body, transforms: [] } })),
    );
  });

  test('ROUTE-25 ERR-33 messages go from the middle, and the refusal has the form of the dialect', async () => {
    const body = { model: 'openai/at-1000', system: 'Be brief.', max_tokens: 50, messages: talk(21, 100).slice(1) };
    const answer = await harness.request('POST', '/v1/messages', { key, body });
    expect(answer.status).toBe(200);
    const kept = numbers(sent());
    expect([kept[0], kept.at(-1)]).toEqual([0, 20]);
    expect(kept.length).toBeLessThan(10);
    const refusal = await harness.request('POST', '/v1/messages', { key, body: { ...body, transforms: [] } });
    expect(refusal.status).toBe(400);
    expect(refusal.body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(messageOf(refusal)).toMatch(/^prompt is too long: 2\d{3} tokens > 1000 maximum$/);
  });
});

describe('what goes', () => {
  test('ROUTE-24 a tool call and its results stay or go together', async () => {
    const rounds = Array.from({ length: 12 }, (_, round) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((name) => ({
          id: `${round}${name}`,
          type: 'function',
          function: { name: 'look', arguments: '{"at":"here"}' },
        })),
      },
      { role: 'tool', tool_call_id: `${round}a`, content: words(40) },
      { role: 'tool', tool_call_id: `${round}b`, content: words(40) },
    ]);
    const messages = [{ role: 'user', content: '#0 look' }, ...rounds.flat(), { role: 'user', content: '#1 so?' }];
    const answer = await harness.chat(key, { model: 'openai/at-1000', messages });
    expect(answer.status).toBe(200);
    const calls = sent().flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
    const results = sent().filter(({ role }) => role === 'tool');
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }: Json) => id));
    expect(calls.length).toBeGreaterThan(4);
    expect(calls.length).toBeLessThan(24);
    expect(numbers(sent())).toEqual([0, 1]);
  });

  test('ROUTE-24 room is left for the answer that was asked for', async () => {
    const messages = talk(21, 60);
    await harness.chat(key, { model: 'openai/at-1000', messages, max_tokens: 10 });
    const short = sent().length;
    await harness.chat(key, { model: 'openai/at-1000', messages, max_tokens: 400 });
    expect(sent().length).toBeLessThan(short);
    // A caller who asks for the whole context as output does not lose the whole prompt.
    await harness.chat(key, { model: 'openai/at-1000', messages, max_tokens: 1_000 });
    expect(sent().length).toBeGreaterThan(4);
  });

  test('ERR-33 ROUTE-24 when even the minimum is too long nothing helps', async () => {
    const messages = [{ role: 'user', content: words(2_000) }];
    const answer = await harness.chat(key, { model: 'openai/at-1000', messages, transforms: ['middle-out'] });
    expectRefusal(answer);
    expect(messageOf(answer)).toMatch(/ 1000\b/);
  });

  test('BILL-02 what is held is for the prompt that is sent', async () => {
    const { key: modest } = await harness.account(4);
    const call = { model: 'openai/dear', messages: talk(41, 200) };
    expect((await harness.chat(modest, call)).status).toBe(200);
  });

  test('AMB-28 CHAT-42 a limit on messages counts them as sent', async () => {
    const messages = Array.from({ length: 1_001 }, (_, index) => ({ role: 'user', content: `#${index}` }));
    const call = { model: 'anthropic/claude-small', messages, transforms: ['middle-out'] };
    expectRefusal(await harness.chat(key, call));
    expect((await harness.chat(key, { ...call, messages: messages.slice(0, 1_000) })).status).toBe(200);
  });
});

describe('what fits is not touched', () => {
  // Each message, and the frame around the prompt, counts for four tokens.
  const exactly = (tokens: number): Json[] => [{ role: 'user', content: words(tokens - 8) }];

  test('ERR-33 up to the last token', async () => {
    const fits = { model: 'openai/at-1000', messages: exactly(1_000), transforms: [] };
    expect((await harness.chat(key, fits)).status).toBe(200);
    expect(sent()).toEqual(fits.messages);
    const answer = await cleared(() => harness.chat(key, { ...fits, messages: exactly(1_001) }));
    expectRefusal(answer);
    expect(messageOf(answer)).toContain('resulted in 1001 tokens');
  });

  test('ROUTE-25 a conversation that fits by count, though not by the quick estimate', async () => {
    const text = 'कल शाम हम नदी के किनारे बैठे थे और मछुआरों को जाल खींचते हुए देख रहे थे। ';
    const messages = Array.from({ length: 21 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: text.repeat(5),
    }));
    const answer = await harness.chat(key, { model: 'openai/at-4000', messages });
    expect(answer.status).toBe(200);
    expect(sent()).toEqual(messages);
  });

  test('an output limit beyond the context is the upstream to judge', async () => {
    const answer = await harness.chat(key, { model: 'openai/at-1000', max_tokens: 5_000, transforms: [] });
    expect(answer.status).toBe(200);
  });
});

describe('fallbacks', () => {
  const messages = talk(3, 1_500);

  test('ROUTE-24 one that cannot hold the prompt is left out', async () => {
    const answer = await harness.chat(key, { models: ['openai/broken', 'openai/at-1000'], model: undefined, messages });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    const called = harness.simulator.requests.map(({ json }) => (json as Json).model);
    expect(new Set(called)).toEqual(new Set(['sim-status-500']));
  });

  test('ROUTE-24 one that can is called with all of it', async () => {
    const answer = await harness.chat(key, { models: ['openai/broken', 'openai/at-8193'], model: undefined, messages });
    expect(answer.status).toBe(200);
    expect(sent()).toEqual(messages);
  });
});
