// The chat dialect and the openai protocol mirror each other: one reads what the other writes, and everything that the
// format can express is preserved, byte for byte and for every split of a stream.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantPart, Conversation, Message, ReasoningPart } from '../../src/canonical/conversation.ts';
import type { Candidate } from '../../src/canonical/model.ts';
import type { ConversationRequest } from '../../src/canonical/request.ts';
import type { StreamPart } from '../../src/canonical/stream-part.ts';
import { zeroUsage } from '../../src/canonical/usage.ts';
import { chatDialect } from '../../src/dialects/chat/chat-dialect.ts';
import { createChatStreamDecoder } from '../../src/upstreams/protocols/openai/decode-stream.ts';
import { encodeChatRequest } from '../../src/upstreams/protocols/openai/encode-request.ts';
import { toAnswer } from '../../src/upstreams/protocols/openai/to-answer.ts';
import { deepFreeze } from './deep-freeze.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const filled = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const word = fc.stringMatching(/^[a-z_]{1,8}$/);
const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{4,12}$/);
/** JSON writes -0 as 0. */
const schema = fc
  .dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as typeof value);

/** A record some of whose members may be missing. */
function partial<T extends object>(required: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: object = {}) {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) as never }) as fc.Arbitrary<T>;
}

const marker = { cacheControl: fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }) };
const textPart = partial({ type: fc.constant('text' as const), text }, marker);
const spokenPart = partial({ type: fc.constant('text' as const), text: filled }, marker);
const source = (mediaType: string) =>
  fc.oneof(
    fc.record({ kind: fc.constant('url' as const), url: word.map((name) => `https://a.example/${name}`) }),
    fc.record({ kind: fc.constant('base64' as const), mediaType: fc.constant(mediaType), data: base64 }),
  );
const filePart = partial(
  {
    type: fc.constant('file' as const),
    source: fc.record({
      kind: fc.constant('base64' as const),
      mediaType: fc.constantFrom('application/pdf', 'application/json'),
      data: base64,
    }),
    filename: filled,
  },
  marker,
);
const contentPart = fc.oneof(
  textPart,
  partial({ type: fc.constant('image' as const), source: source('image/png') }, { ...marker, detail: word }),
  filePart,
  fc.record({ type: fc.constant('audio' as const), data: base64, format: word }),
  fc.record({ type: fc.constant('video' as const), source: source('video/mp4') }),
);

const named = { name: filled };
const system = partial({ role: fc.constant('system' as const), parts: fc.array(textPart, { minLength: 1 }) }, named);
const user = partial({ role: fc.constant('user' as const), parts: fc.array(contentPart, { minLength: 1 }) }, named);
const speech = partial(
  { role: fc.constant('assistant' as const), parts: fc.array(spokenPart, { minLength: 1 }) },
  named,
);
const callRound = fc
  .tuple(
    fc.array(spokenPart, { maxLength: 2 }),
    fc.uniqueArray(fc.record({ id: filled, name: word, argumentsText: filled }), {
      selector: ({ id }) => id,
      minLength: 1,
      maxLength: 3,
    }),
    fc.array(textPart, { minLength: 1, maxLength: 2 }),
  )
  .map(([texts, calls, content]): Message[] => [
    { role: 'assistant', parts: [...texts, ...calls.map((call) => ({ type: 'tool-call' as const, ...call }))] },
    {
      role: 'tool',
      parts: calls.map(({ id }) => ({ type: 'tool-result', callId: id, content, isError: false })),
    },
  ]);
const messages = fc
  .array(fc.oneof(...[system, user, speech].map((one) => one.map((message): Message[] => [message])), callRound), {
    minLength: 1,
    maxLength: 5,
  })
  .map((rounds) => rounds.flat());

const tools = fc.uniqueArray(
  partial({ name: word, parameters: schema }, { ...marker, description: text, strict: fc.boolean() }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
);
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map((value) => value + 0);
const sampling = partial(
  {},
  {
    temperature: number(0, 2),
    topP: number(0, 1),
    frequencyPenalty: number(-2, 2),
    presencePenalty: number(-2, 2),
    seed: fc.maxSafeInteger().map((value) => value + 0),
    stop: fc.array(filled, { minLength: 1, maxLength: 4 }),
  },
);
const responseFormat = fc.oneof(
  fc.constant({ type: 'json-object' as const }),
  partial(
    { type: fc.constant('json-schema' as const), name: filled, schema },
    { strict: fc.boolean(), description: text },
  ),
);
const settings = {
  responseFormat,
  reasoning: fc.record({ effort: fc.constantFrom('low', 'medium', 'high', 'brand-new') }),
  outputTokensMax: fc.integer({ min: 1, max: 100_000 }),
  endUserId: filled,
};
const withTools = partial(
  { messages, sampling, tools },
  { ...settings, isParallelToolCalls: fc.boolean(), toolChoice: fc.constantFrom('auto', 'none', 'required') },
);
const conversations = fc.oneof(
  partial({ messages, sampling, tools: fc.constant([]) }, settings),
  withTools,
  withTools.map((one) => ({ ...one, toolChoice: { name: one.tools[0]?.name ?? '' } })),
) as fc.Arbitrary<Conversation>;

/** A family that accepts everything the format can express, so that nothing is left out because of the model. */
const CANDIDATE = {
  upstreamModel: 'up-1',
  provider: { baseUrl: 'https://x.test/v1' },
  model: { supportedParameters: null, traits: { family: 'anthropic', keepsOpenAiOnlyFields: true } },
} as unknown as Candidate;

test('CHAT-22 CHAT-40 any conversation is the same after it has been written as a chat body and read again', () => {
  fc.assert(
    fc.property(conversations, (conversation) => {
      const request = {
        format: 'messages',
        isStream: false,
        plugins: [],
        body: {},
        toConversation: () => deepFreeze(conversation),
      };
      const { body } = encodeChatRequest(request as unknown as ConversationRequest, CANDIDATE);
      expect(chatDialect.parse(JSON.parse(String(body))).toConversation()).toEqual(conversation);
    }),
    { numRuns: 300 },
  );
});

const opaqueHalf: fc.Arbitrary<Partial<ReasoningPart>> = fc.oneof(
  fc.constant({}),
  fc.record({ signature: filled }),
  fc.record({ encryptedContent: filled, itemId: filled }),
);
const thought: fc.Arbitrary<ReasoningPart> = fc.oneof(
  fc.tuple(filled, opaqueHalf).map(([value, half]) => ({ type: 'reasoning' as const, text: value, ...half })),
  filled.map((redactedData) => ({ type: 'reasoning' as const, text: '', redactedData })),
  filled.map((signature) => ({ type: 'reasoning' as const, text: '', signature })),
);
const call = fc.record({ type: fc.constant('tool-call' as const), id: filled, name: filled, argumentsText: text });
const reasons = fc.constantFrom('stop' as const, 'length' as const, 'content_filter' as const);

const context = () => ({
  id: 'gen-1',
  modelId: 'acme/one',
  createdSeconds: 17,
  request: chatDialect.parse({ model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }] }),
});
const bill = { usage: { ...zeroUsage, promptTokens: 7, completionTokens: 5 }, costUsd: 0.5 };

/** Neighbouring texts count as one, as they do in this format. */
function asOneText(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const spoken = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return [
    ...parts.filter(({ type }) => type === 'reasoning'),
    ...(spoken === '' ? [] : [{ type: 'text' as const, text: spoken }]),
    ...parts.filter(({ type }) => type === 'tool-call'),
  ];
}

const answers = fc.tuple(
  fc.array(thought, { maxLength: 3 }),
  fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 2 }),
  fc.array(call, { maxLength: 3 }),
);

test('CHAT-34 TOOL-06 any answer is the same after it has been written as a completion and read again', () => {
  fc.assert(
    fc.property(answers, reasons, fc.option(filled), ([thoughts, texts, calls], reason, native) => {
      const parts: readonly AssistantPart[] = [...thoughts, ...texts, ...calls];
      const finishReason = calls.length > 0 && reason === 'stop' ? ('tool_calls' as const) : reason;
      const answer = { parts, finishReason, nativeFinishReason: native, stopSequence: null, usage: bill.usage };
      const json = chatDialect.renderAnswer(deepFreeze(answer), context(), bill);
      expect(toAnswer(JSON.parse(json))).toEqual({
        ...answer,
        parts: asOneText(parts),
        nativeFinishReason: native ?? finishReason,
      });
    }),
    { numRuns: 300 },
  );
});

test('an answer that a client sends back has kept its thinking and its calls', () => {
  fc.assert(
    fc.property(answers, ([thoughts, texts, calls]) => {
      const parts: readonly AssistantPart[] = [...thoughts, ...texts, ...calls];
      const answer = {
        parts,
        finishReason: 'stop',
        nativeFinishReason: null,
        stopSequence: null,
        usage: null,
      } as const;
      const { message } = JSON.parse(chatDialect.renderAnswer(answer, context(), bill)).choices[0];
      const request = chatDialect.parse({ model: 'm/n', messages: [{ role: 'user', content: 'Hi' }, message] });
      expect(request.toConversation().messages[1]?.parts).toEqual(asOneText(parts));
    }),
    { numRuns: 200 },
  );
});

/** One block as parts, its text cut into pieces. */
function streamBlock(part: AssistantPart, index: number): StreamPart[] {
  const pieces = (value: string) => value.match(/[\s\S]{1,4}/g) ?? [];
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start' },
        ...pieces(part.text).map((piece) => ({ type: 'text-delta' as const, text: piece })),
        { type: 'text-end' },
      ];
    case 'reasoning': {
      const { type: _type, text: value, itemId, ...opaque } = part;
      return [
        { type: 'reasoning-start', itemId },
        ...pieces(value).map((piece) => ({ type: 'reasoning-delta' as const, text: piece })),
        { type: 'reasoning-end', ...opaque },
      ];
    }
    default:
      return [
        { type: 'tool-input-start', index, id: part.id, name: part.name },
        ...pieces(part.argumentsText).map((piece) => ({ type: 'tool-input-delta' as const, index, text: piece })),
        { type: 'tool-input-end', index },
      ];
  }
}

/** Merges the calls' parts in an order that `picks` chooses; the calls begin in the order of their indexes. */
function interleave(blocks: readonly StreamPart[][], picks: readonly number[]): StreamPart[] {
  const queues = blocks.map((block) => [...block]);
  const merged: StreamPart[] = queues.flatMap((queue) => queue.splice(0, 1));
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const waiting = queues.filter((queue) => queue.length > 0);
    merged.push(...(waiting[(picks[turn % picks.length] ?? 0) % waiting.length]?.splice(0, 1) ?? []));
  }
  return merged;
}

const endings = new Set(['finish', 'usage', 'error', 'done']);

function collect(stream: readonly StreamPart[]): { parts: readonly AssistantPart[]; ending: readonly StreamPart[] } {
  const parts: AssistantPart[] = [];
  const places = new Map<number, number>();
  for (const part of stream) {
    const last = parts.length - 1;
    if (part.type === 'text-start') parts.push({ type: 'text', text: '' });
    if (part.type === 'reasoning-start') parts.push({ type: 'reasoning', text: '', itemId: part.itemId });
    if (part.type === 'tool-input-start') {
      places.set(part.index, parts.length);
      parts.push({ type: 'tool-call', id: part.id, name: part.name, argumentsText: '' });
    }
    const place = 'index' in part ? (places.get(part.index) ?? -1) : last;
    const target = parts[place];
    if ('text' in part && target?.type === 'tool-call') {
      parts[place] = { ...target, argumentsText: target.argumentsText + part.text };
    } else if ('text' in part && target !== undefined && target.type !== 'tool-call') {
      parts[place] = { ...target, text: target.text + part.text };
    }
    if (part.type === 'reasoning-end' && target?.type === 'reasoning') {
      const { type: _type, ...opaque } = part;
      parts[place] = { ...target, ...opaque };
    }
  }
  return { parts: asOneText(parts), ending: stream.filter(({ type }) => endings.has(type)) };
}

function decode(pieces: readonly Buffer[]): StreamPart[] {
  const decoder = createChatStreamDecoder();
  const parts = pieces.flatMap((piece) => [...decoder.push(piece)]);
  return [...parts, ...decoder.end()];
}

const picks = fc.array(fc.nat(7), { minLength: 1, maxLength: 12 });
const streams = fc
  .tuple(fc.array(fc.oneof(thought, spokenPart), { maxLength: 4 }), fc.array(call, { maxLength: 3 }), picks)
  .map(([spoken, calls, order]) => ({
    parts: [...spoken, ...calls] as readonly AssistantPart[],
    stream: [...spoken.flatMap(streamBlock), ...interleave(calls.map(streamBlock), order)],
    hasCalls: calls.length > 0,
  }));

function renderBytes(
  stream: readonly StreamPart[],
  reason: 'stop' | 'length' | 'tool_calls' | 'content_filter',
): Buffer {
  const renderer = chatDialect.createRenderer(context());
  const content = stream.map((part) => renderer.render(part)).join('');
  const finale = renderer.finale({ reason, native: 'end_turn', stopSequence: null }, bill.usage, bill.costUsd);
  return Buffer.from(content + renderer.keepAliveFrame + finale);
}

test('STRM-02 TOOL-08 any stream is the same after it has been written as chunks and read again, however it is cut', () => {
  fc.assert(
    fc.property(
      streams,
      reasons,
      fc.array(fc.nat(5000), { maxLength: 6 }),
      ({ parts, stream, hasCalls }, reason, cuts) => {
        const finish = hasCalls && reason === 'stop' ? 'tool_calls' : reason;
        const bytes = renderBytes(stream, finish);
        const offsets = [...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = offsets.map((offset, index) => bytes.subarray(offsets[index - 1] ?? 0, offset));
        const plain = parts.map((part) => (part.type === 'text' ? { type: part.type, text: part.text } : part));
        expect(collect(decode(pieces))).toEqual({
          parts: asOneText(plain),
          ending: [
            { type: 'finish', reason: finish, native: 'end_turn', stopSequence: null },
            { type: 'usage', usage: bill.usage },
            { type: 'done' },
          ],
        });
      },
    ),
    { numRuns: 400 },
  );
});

test('STRM-02 every split offset of a stream gives the same parts', () => {
  const [sample] = fc.sample(
    streams.filter(({ parts }) => parts.length > 4),
    { numRuns: 1, seed: 7 },
  );
  const bytes = renderBytes(sample?.stream ?? [], 'stop');
  const whole = decode([bytes]);
  expect(whole.length).toBeGreaterThan(10);
  for (let offset = 0; offset <= bytes.length; offset += 1) {
    expect(decode([bytes.subarray(0, offset), bytes.subarray(offset)])).toEqual(whole);
  }
});
