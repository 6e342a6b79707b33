// Whole conversations over HTTP: the simulated API accepts what is encoded here (it checks signatures, tool results and
// prompt caches like the real one), and its answers arrive complete, whole and streamed.

import { readFileSync } from 'node:fs';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../../canonical/answer.ts';
import type { AssistantPart, Conversation, Message, ToolCallPart } from '../../../canonical/conversation.ts';
import type { Candidate, Provider } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import type { ConversationCodec } from '../../conversation-codec.ts';
import { anthropicProtocol } from './anthropic-protocol.ts';

const codec = anthropicProtocol.codecs.chat as ConversationCodec | undefined;
if (codec === undefined) throw new Error('the protocol speaks conversations');

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => simulator.clearRequests());
afterAll(() => simulator.close());

async function post(conversation: Conversation, commands: string, isStream: boolean): Promise<Response> {
  const request = {
    ...{ operation: 'chat', format: 'chat', isStream, plugins: [], body: {} },
    toConversation: () => conversation,
  };
  const candidate = {
    upstreamModel: commands === '' ? 'claude-x' : `sim-${commands}`,
    model: { completionTokensMax: 8_000, traits: { isReasoningMandatory: false } },
  };
  const call = codec!.encode(request as unknown as ConversationRequest, candidate as unknown as Candidate);
  const headers = new Headers({ 'content-type': 'application/json' });
  const authorization = await anthropicProtocol.authorize(
    { method: 'POST', url: simulator.url, headers: [], body: call.body, nowMs: 0 },
    { apiKey: 'key' } as Provider,
    '',
  );
  for (let index = 0; index < authorization.length; index += 2) {
    headers.set(authorization[index] ?? '', authorization[index + 1] ?? '');
  }
  return fetch(`${simulator.url}/v1${call.path}`, { method: 'POST', headers, body: String(call.body) });
}

async function ask(conversation: Conversation, commands = ''): Promise<Answer> {
  const response = await post(conversation, commands, false);
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${body.toString('utf8')}`);
  const decoded = codec!.decodeJson(body);
  if (decoded.kind !== 'answer') throw new Error(JSON.stringify(decoded.failure));
  return codec!.toAnswer(decoded.source.json);
}

async function streamParts(conversation: Conversation, commands = ''): Promise<StreamPart[]> {
  const response = await post(conversation, commands, true);
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const decoder = codec!.createStreamDecoder();
  const parts: StreamPart[] = [];
  for await (const chunk of response.body) parts.push(...decoder.push(Buffer.from(chunk as Uint8Array)));
  return [...parts, ...decoder.end()];
}

/** Joins a stream again, so that it can be compared with the whole answer. */
function assemble(parts: readonly StreamPart[]): Answer {
  const finished: AssistantPart[] = [];
  const answer: { -readonly [key in keyof Answer]: Answer[key] } = {
    parts: [],
    finishReason: 'error',
    nativeFinishReason: null,
    stopSequence: null,
    usage: null,
  };
  let text = '';
  const calls = new Map<number, { id: string; name: string; argumentsText: string }>();
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        text = '';
        break;
      case 'text-delta':
      case 'reasoning-delta':
        text += part.text;
        break;
      case 'text-end':
        finished.push({ type: 'text', text });
        break;
      case 'reasoning-end': {
        const { signature, redactedData } = part;
        finished.push({ type: 'reasoning', text, signature, redactedData });
        break;
      }
      case 'tool-input-start':
        calls.set(part.index, { id: part.id, name: part.name, argumentsText: '' });
        break;
      case 'tool-input-delta':
        calls.get(part.index)!.argumentsText += part.text;
        break;
      case 'tool-input-end':
        finished.push({ type: 'tool-call', ...calls.get(part.index)! });
        break;
      case 'finish':
        answer.finishReason = part.reason;
        answer.nativeFinishReason = part.native;
        answer.stopSequence = part.stopSequence;
        break;
      case 'usage':
        answer.usage = part.usage;
        break;
      case 'error':
        throw new Error(JSON.stringify(part.fault));
      case 'done':
        break;
    }
  }
  return { ...answer, parts: finished };
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const conversation = (messages: readonly Message[], change: Partial<Conversation> = {}): Conversation => ({
  messages,
  tools: [],
  sampling: {},
  ...change,
});
const weather = {
  name: 'get_weather',
  description: 'Weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
/** What is sent back to the model; none of these answers has anything else. */
const saidIn = ({ parts }: Answer) => parts.filter((part) => part.type !== 'block');

const callsOf = (answer: Answer) => answer.parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
const textOf = (answer: Answer) => answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
const resultsFor = (answer: Answer): Message => ({
  role: 'tool',
  parts: callsOf(answer).map(({ id }, index) => ({
    type: 'tool-result',
    callId: id,
    content: [{ type: 'text', text: `result ${index}` }],
    isError: false,
  })),
});

const ways = [
  ['whole', ask],
  ['streamed', async (asked: Conversation, commands?: string) => assemble(await streamParts(asked, commands))],
] as const;

describe.each(ways)('%s', (_, call) => {
  test('BILL-06 CHAT-34 text, finish and usage', async () => {
    const answer = await call(conversation([user('Say hello to Ada.')]), 'tokens-40-9');
    expect(answer).toMatchObject({
      finishReason: 'stop',
      nativeFinishReason: 'end_turn',
      usage: { promptTokens: 40, completionTokens: 9, cachedTokens: 0 },
    });
    expect(textOf(answer)).not.toBe('');
  });

  test('CHAT-34 limits and stop sequences end it with their reason', async () => {
    const short = await call(conversation([user('Tell me a lot about tolls.')], { outputTokensMax: 3 }));
    expect(short).toMatchObject({ finishReason: 'length', nativeFinishReason: 'max_tokens' });
    const stopped = await call(conversation([user('Say hello to Ada.')], { sampling: { stop: [' Ada'] } }));
    expect(stopped).toMatchObject({ finishReason: 'stop', nativeFinishReason: 'stop_sequence', stopSequence: ' Ada' });
    expect(await call(conversation([user('Hi')]), 'finish-filtered')).toMatchObject({ finishReason: 'content_filter' });
  });

  test('TOOL-06 TOOL-07 TOOL-08 a round of parallel calls and their results', async () => {
    const asked = [user('What is the weather in Paris?')];
    const first = await call(conversation(asked, { tools: [weather] }), 'calls-3');
    const calls = callsOf(first);
    expect(calls).toHaveLength(3);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    for (const { name, argumentsText } of calls) {
      expect(name).toBe('get_weather');
      expect(JSON.parse(argumentsText)).toHaveProperty('city');
    }
    expect(first.finishReason).toBe('tool_calls');
    const messages: Message[] = [
      ...asked,
      { role: 'assistant', parts: saidIn(first) },
      resultsFor(first),
      user('And?'),
    ];
    const second = await call(conversation(messages, { tools: [weather] }));
    expect(textOf(second)).toMatch(/result 0.*result 1.*result 2/s);
    expect(second.finishReason).toBe('stop');
  });

  test.each(['', 'reasoning-redacted'])(
    'CHAT-18 a round of thinking and tools comes back with its proof %s',
    async (commands) => {
      const settings = { tools: [weather], reasoning: { effort: 'high' } };
      const asked = [user('What is the weather in Paris?')];
      const first = await call(conversation(asked, settings), commands);
      expect(first.parts.map(({ type }) => type)).toEqual(['reasoning', 'tool-call']);
      const messages: Message[] = [...asked, { role: 'assistant', parts: saidIn(first) }, resultsFor(first)];
      const second = await call(conversation(messages, settings));
      expect(textOf(second)).toContain('result 0');
      expect(JSON.parse(simulator.requests.at(-1)?.body ?? '')).toMatchObject({ thinking: { type: 'enabled' } });
      const forged = saidIn(first).map((part) =>
        part.type === 'reasoning' ? { ...part, text: 'no', signature: 'x' } : part,
      );
      if (commands === 'reasoning-redacted') return;
      const altered = conversation([...asked, { role: 'assistant', parts: forged }, resultsFor(first)], settings);
      await expect(call(altered)).rejects.toThrow(/400/);
    },
  );

  test('CHAT-40 CHAT-41 what is marked is written to the cache once and read from it after', async () => {
    const marked = (name: string): Conversation =>
      conversation([
        {
          role: 'system',
          parts: [
            { type: 'text', text: `Long instructions for ${name}. `.repeat(50), cacheControl: { type: 'ephemeral' } },
          ],
        },
        user('Hi'),
      ]);
    const name = `${_} ${simulator.port}`;
    const first = (await call(marked(name))).usage!;
    const second = (await call(marked(name))).usage!;
    expect(first.cacheWriteTokens).toBeGreaterThan(300);
    expect(first.cachedTokens).toBe(0);
    expect(second).toMatchObject({ cachedTokens: first.cacheWriteTokens, cacheWriteTokens: 0 });
    expect(second.promptTokens).toBe(first.promptTokens);
    const unmarked = (await call(conversation([user('Hi'), user('there')]))).usage!;
    expect(unmarked).toMatchObject({ cachedTokens: 0, cacheWriteTokens: 0 });
  });

  test('TOOL-11 an answer that fits a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    };
    const answer = await call(
      conversation([user('Plan.')], { responseFormat: { type: 'json-schema', name: 'p', schema } }),
    );
    expect(JSON.parse(textOf(answer))).toMatchObject({ city: expect.any(String) });
  });

  test('USG-1 USG-2 F22 F23 F25 usage that is none is null, zero is zero', async () => {
    for (const commands of ['usage-negative', 'usage-fraction', 'usage-string', 'usage-none', 'usage-null']) {
      expect((await call(conversation([user('Hi')]), commands)).usage).toBeNull();
    }
    expect((await call(conversation([user('Hi')]), 'usage-zero')).usage).toMatchObject({ promptTokens: 0 });
  });
});

test('CHAT-29 CHAT-30 images and files of both kinds are accepted and counted', async () => {
  const data = readFileSync(new URL('./__fixtures__/errors.json', import.meta.url)).toString('base64');
  const message: Message = {
    role: 'user',
    parts: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data } },
      { type: 'image', source: { kind: 'url', url: 'https://x.test/a.png' } },
      { type: 'file', source: { kind: 'base64', mediaType: 'application/pdf', data }, filename: 'a.pdf' },
    ],
  };
  const seen = await ask(conversation([message]));
  const bare = await ask(conversation([user('What is this?')]));
  expect(seen.usage!.promptTokens - bare.usage!.promptTokens).toBe(3 * 85);
});

describe('streams that go wrong', () => {
  const hi = conversation([user('Say hello to Ada and to everyone else.')]);
  const typesOf = (parts: readonly StreamPart[]) => parts.map(({ type }) => type);

  test.each([
    'crlf',
    'cr',
    'bom',
    'comments',
    'multi-line',
    'no-space',
    'field-noise',
    'byte-by-byte',
    'split-utf8+unicode',
    'after-done',
  ])('F33 a legal form of the same frames: %s', async (form) => {
    const plain = form.includes('unicode') ? 'unicode' : '';
    const expected = assemble(await streamParts(hi, plain));
    expect(assemble(await streamParts(hi, form))).toEqual(expected);
  });

  test('USG-3 F27 a count that comes twice or with every chunk is charged once', async () => {
    for (const commands of ['usage-twice', 'usage-every-chunk']) {
      const parts = await streamParts(hi, `tokens-30-12+cached-5+${commands}`);
      const usages = parts.filter((part) => part.type === 'usage');
      expect(usages).toMatchObject([{ usage: { promptTokens: 30, cachedTokens: 5, completionTokens: 12 } }]);
    }
  });

  test('STRM-07 an error inside is a fault, after what came before', async () => {
    for (const commands of ['error-frame-2', 'finish-error']) {
      const parts = await streamParts(hi, commands);
      expect(parts[0]).toEqual({ type: 'text-start' });
      expect(parts.at(-1)).toMatchObject({ type: 'error', fault: { kind: 'upstream-error', status: 529 } });
    }
    expect((await streamParts(hi, 'bad-frame-2')).at(-1)).toMatchObject({ fault: { kind: 'malformed' } });
    const giant = { ...hi, outputTokensMax: 1_000_000 };
    expect((await streamParts(giant, 'giant-line')).at(-1)).toMatchObject({ fault: { kind: 'oversize' } });
  });

  test('STRM-06 F29 F30 an early end has neither finish nor usage, one after the usage has both', async () => {
    const early = typesOf(await streamParts(hi, 'eof-after-3'));
    expect(early).not.toContain('finish');
    expect(early).not.toContain('usage');
    expect(early.at(-1)).toBe('text-end');
    const late = typesOf(await streamParts(hi, 'eof-after-usage'));
    expect(late).toEqual(expect.arrayContaining(['finish', 'usage']));
    expect(late).not.toContain('done');
  });
});

test('ERR-33 ERR-39 ERR-57 ERR-58 the refusals of the API are understood', async () => {
  const failureFor = async (commands: string) => {
    const response = await post(conversation([user('Hi')]), commands, false);
    return codec!.decodeError(
      response.status,
      Object.fromEntries(response.headers),
      Buffer.from(await response.arrayBuffer()),
    );
  };
  expect(await failureFor('context-length')).toMatchObject({ kind: 'rejected', code: 'context_too_long' });
  expect(await failureFor('policy')).toMatchObject({ kind: 'rejected', code: 'content_moderation' });
  expect(await failureFor('status-429-retry-after-7')).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 7 });
  expect(await failureFor('status-529')).toMatchObject({ kind: 'unavailable' });
  expect(await failureFor('status-401')).toMatchObject({ kind: 'auth_failed' });
  expect(await failureFor('status-404')).toMatchObject({ kind: 'model_missing' });
  expect(await failureFor('status-413')).toMatchObject({ kind: 'rejected', code: 'http_413' });
  expect(await failureFor('status-418')).toMatchObject({ kind: 'rejected', code: 'unknown_4xx' });
});
