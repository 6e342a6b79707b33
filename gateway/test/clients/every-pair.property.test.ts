// Every dialect with every other format of an upstream, on random answers, streams and conversations: a translation to
// the other format and back loses no text, no tool call and no opaque value that only the upstream understands, and
// both sides read the same usage. No server is needed, because this code is pure.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer, AnswerPart } from '../../src/canonical/answer.ts';
import type { AssistantPart, Conversation, Message, ReasoningPart } from '../../src/canonical/conversation.ts';
import type { ConversationFormat } from '../../src/canonical/format.ts';
import type { Candidate } from '../../src/canonical/model.ts';
import type { ConversationRequest } from '../../src/canonical/request.ts';
import type { StreamPart } from '../../src/canonical/stream-part.ts';
import { type Usage, zeroUsage } from '../../src/canonical/usage.ts';
import { chatDialect } from '../../src/dialects/chat/chat-dialect.ts';
import type { ConversationDialect } from '../../src/dialects/conversation-dialect.ts';
import { messagesDialect } from '../../src/dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../../src/dialects/responses/responses-dialect.ts';
import { TranslatingPipe } from '../../src/dialects/translating-pipe.ts';
import type { ConversationCodec } from '../../src/upstreams/conversation-codec.ts';
import { anthropicProtocol } from '../../src/upstreams/protocols/anthropic/anthropic-protocol.ts';
import { openAiProtocol } from '../../src/upstreams/protocols/openai/openai-protocol.ts';
import { responsesCodec } from '../../src/upstreams/protocols/openai-responses/responses-codec.ts';
import type { Json } from '../harness.ts';

type Format = Exclude<ConversationFormat, 'completions'>;
const DIALECTS: Readonly<Record<Format, ConversationDialect>> = {
  chat: chatDialect,
  messages: messagesDialect,
  responses: responsesDialect,
};
const CODECS: Readonly<Record<Format, ConversationCodec>> = {
  chat: openAiProtocol.codecs.chat as ConversationCodec,
  messages: anthropicProtocol.codecs.chat as ConversationCodec,
  responses: responsesCodec,
};
const FORMATS: readonly Format[] = ['chat', 'messages', 'responses'];
const PAIRS = FORMATS.flatMap((client) =>
  FORMATS.filter((upstream) => upstream !== client).map((upstream) => [client, upstream] as const),
);

const filled = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 16 });
const spoken = filled.filter((text) => text.trim() !== '');
const word = fc.stringMatching(/^[a-z][a-z_]{0,7}$/);
const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{8,16}$/);
const input = fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map((value) => JSON.stringify(value));
const callId = fc.stringMatching(/^call_[a-zA-Z0-9]{6}$/);
const call = fc.record({ type: fc.constant('tool-call' as const), id: callId, name: word, argumentsText: input });
const calls = fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 3 });

/** Thinking as an upstream of this format gives it; chat has several ways, none of which is verified by all. */
const thoughts: Readonly<Record<Format, fc.Arbitrary<ReasoningPart>>> = {
  chat: filled.map((text) => ({ type: 'reasoning', text })),
  messages: fc.oneof(
    fc.record({ type: fc.constant('reasoning' as const), text: filled, signature: base64 }),
    base64.map((redactedData) => ({ type: 'reasoning' as const, text: '', redactedData })),
  ),
  responses: fc.record({
    type: fc.constant('reasoning' as const),
    text: fc.oneof(fc.constant(''), filled),
    itemId: word.map((name) => `rs_${name}`),
    encryptedContent: base64,
  }),
};

/** At least what a Messages stream begins with before anything is known: the figures of a stream only rise. */
const usages: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.nat(5_000))
  .map(([plain, cachedTokens, cacheWriteTokens, said, reasoningTokens]) => ({
    ...zeroUsage,
    promptTokens: 100 + plain + cachedTokens + cacheWriteTokens,
    completionTokens: 1 + said + reasoningTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens,
  }));

const answersOf = (upstream: Format): fc.Arbitrary<Answer> =>
  fc
    .record({
      thinking: fc.array(thoughts[upstream], { maxLength: 1 }),
      text: fc.option(spoken, { nil: '' }),
      made: calls,
      isCut: fc.boolean(),
      usage: usages,
    })
    .map(({ thinking, text, made, isCut, usage }) => ({
      parts: [...thinking, ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...made],
      finishReason: isCut ? 'length' : made.length > 0 ? 'tool_calls' : 'stop',
      nativeFinishReason: null,
      stopSequence: null,
      usage,
    }));

const opening = { role: 'user', content: 'Hi' };

/** The least that a client of this format can send, with what else it sends. */
function bodyOf(format: Format, turns: readonly unknown[]): Json {
  if (format === 'responses') return { model: 'acme/one', input: [opening, ...turns] };
  return { model: 'acme/one', messages: [opening, ...turns], ...(format === 'messages' ? { max_tokens: 9_000 } : {}) };
}

const contextOf = (format: Format) => ({
  id: 'gen-1',
  modelId: 'acme/one',
  createdSeconds: 17,
  request: DIALECTS[format].parse(bodyOf(format, [])),
});

/** A model that accepts everything its format can express, so that nothing is left out because of the model. */
const CANDIDATE = {
  upstreamModel: 'up-1',
  provider: { baseUrl: 'https://x.test/v1' },
  model: {
    ...{ supportedParameters: null, completionTokensMax: null },
    traits: { family: 'openai', keepsOpenAiOnlyFields: true },
  },
} as unknown as Candidate;

function carry(request: ConversationRequest, upstream: Format): Conversation {
  const { body } = CODECS[upstream].encode(request, CANDIDATE);
  return DIALECTS[upstream].parse(JSON.parse(String(body)) as Json).toConversation();
}

/** What must not be lost, independent of any format. */
function essenceOf(parts: readonly AnswerPart[]) {
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    thinking: parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join(''),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [[part.id, part.name, JSON.parse(part.argumentsText) as unknown]] : [],
    ),
  };
}

function proofsOf(parts: readonly AnswerPart[]): readonly (string | undefined)[] {
  return parts.flatMap((part) =>
    part.type === 'reasoning' ? [part.signature ?? part.redactedData ?? part.encryptedContent] : [],
  );
}

/** Not every format has a field for every figure; figures that both have must agree. */
function figuresOf(usage: Usage | null, formats: readonly Format[]) {
  if (usage === null) return null;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    ...(formats.includes('responses') ? {} : { cacheWriteTokens }),
    ...(formats.includes('messages') ? {} : { reasoningTokens }),
  };
}

/** The answer as a client of this format puts it into its next request, with results for all calls. */
function echo(format: Format, answer: Json): readonly unknown[] {
  switch (format) {
    case 'chat': {
      const [{ message }] = answer.choices as [{ message: Json & { tool_calls?: { id: string }[] } }];
      const made = message.tool_calls ?? [];
      return [message, ...made.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Done' }))];
    }
    case 'messages': {
      const content = answer.content as { type: string; id?: string }[];
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Done' }));
      return [{ role: 'assistant', content }, ...(results.length === 0 ? [] : [{ role: 'user', content: results }])];
    }
    case 'responses': {
      const output = answer.output as { type: string; call_id?: string }[];
      const made = output.filter(({ type }) => type === 'function_call');
      return [...output, ...made.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'Done' }))];
    }
  }
}

describe.each(PAIRS)('a %s client before a %s upstream', (client, upstream) => {
  test('MSGS-06 TOOL-06 an answer reaches the client whole and comes back to its upstream whole', () => {
    fc.assert(
      fc.property(answersOf(upstream), (original) => {
        const bill = { usage: original.usage ?? zeroUsage, costUsd: 0.5 };
        const upstreamBody = DIALECTS[upstream].renderAnswer(original, contextOf(upstream), bill);
        const decoded = CODECS[upstream].decodeJson(Buffer.from(upstreamBody));
        if (decoded.kind !== 'answer') throw new Error(decoded.failure.detail);
        const answer = CODECS[upstream].toAnswer(decoded.source.json);
        const clientBody = DIALECTS[client].renderAnswer(answer, contextOf(client), bill);
        const seen = CODECS[client].decodeJson(Buffer.from(clientBody));
        if (seen.kind !== 'answer') throw new Error(seen.failure.detail);
        expect(essenceOf(CODECS[client].toAnswer(seen.source.json).parts)).toEqual(essenceOf(original.parts));
        expect(seen.finishReason).toBe(decoded.finishReason);
        const formats = [client, upstream];
        expect(figuresOf(seen.usage, formats)).toEqual(figuresOf(decoded.usage, formats));
        const turns = [...echo(client, JSON.parse(clientBody) as Json), { role: 'user', content: 'Go on.' }];
        const request = DIALECTS[client].parse(bodyOf(client, turns));
        const returned = carry(request, upstream).messages.flatMap((message) =>
          message.role === 'assistant' ? message.parts : [],
        );
        const { thinking, ...said } = essenceOf(original.parts);
        expect(essenceOf(returned)).toMatchObject(said);
        // Thinking cannot be sent back over chat; elsewhere it is sent back with its signature.
        if (upstream === 'chat') return;
        expect(essenceOf(returned).thinking).toBe(thinking);
        expect(proofsOf(returned)).toEqual(proofsOf(original.parts));
      }),
      { numRuns: 100 },
    );
  });

  test('STRM-02 TOOL-08 a stream says the same on both sides, however it is cut', () => {
    const cuts = fc.array(fc.nat(4_000), { maxLength: 4 });
    fc.assert(
      fc.property(answersOf(upstream), cuts, (original, offsets) => {
        const bytes = writeStream(upstream, original);
        const pipe = new TranslatingPipe(
          CODECS[upstream].createStreamDecoder(),
          DIALECTS[client].createRenderer(contextOf(client)),
        );
        const places = [...offsets.map((offset) => Math.min(offset, bytes.length)).sort((a, b) => a - b), bytes.length];
        let text = '';
        for (const [index, place] of places.entries()) text += pipe.push(bytes.subarray(places[index - 1] ?? 0, place));
        text += pipe.end() + pipe.finale(pipe.usage ?? zeroUsage, 0.5);
        const { parts, usage } = readStream(client, Buffer.from(text, 'latin1'));
        expect(essenceOf(parts)).toEqual(essenceOf(original.parts));
        // Chat carries every signature unchanged; the other formats seal those of another vendor.
        if (client === 'chat') expect(proofsOf(parts)).toEqual(proofsOf(original.parts));
        else if (upstream !== 'chat') expect(proofsOf(parts).every((proof) => proof !== undefined)).toBe(true);
        const formats = [client, upstream];
        expect(figuresOf(pipe.usage, formats)).toEqual(figuresOf(original.usage, formats));
        expect(figuresOf(usage, formats)).toEqual(figuresOf(original.usage, formats));
      }),
      { numRuns: 100 },
    );
  });
});

const pieces = (text: string): string[] => text.match(/[\s\S]{1,3}/gu) ?? [];

function streamBlock(part: AssistantPart, index: number): StreamPart[] {
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start' },
        ...pieces(part.text).map((text) => ({ type: 'text-delta' as const, text })),
        { type: 'text-end' },
      ];
    case 'reasoning': {
      const { type: _type, text: thought, itemId, ...proof } = part;
      return [
        { type: 'reasoning-start', itemId },
        ...pieces(thought).map((text) => ({ type: 'reasoning-delta' as const, text })),
        { type: 'reasoning-end', ...proof },
      ];
    }
    case 'tool-call':
      return [
        { type: 'tool-input-start', index, id: part.id, name: part.name },
        ...pieces(part.argumentsText).map((text) => ({ type: 'tool-input-delta' as const, index, text })),
        { type: 'tool-input-end', index },
      ];
  }
}

/** The bytes of an upstream of this format: its dialect writes what its protocol reads. */
function writeStream(format: Format, answer: Answer): Buffer {
  const renderer = DIALECTS[format].createRenderer(contextOf(format));
  const firstCall = answer.parts.findIndex(({ type }) => type === 'tool-call');
  const parts = answer.parts.filter((part) => part.type !== 'block');
  const stream = parts.flatMap((part, index) => streamBlock(part, index - firstCall));
  const finish = { reason: answer.finishReason, native: null, stopSequence: null };
  const frames = stream.map((part) => renderer.render(part)).join('');
  return Buffer.from(frames + renderer.finale(finish, answer.usage ?? zeroUsage, 0.5));
}

function readStream(format: Format, bytes: Buffer): { parts: readonly AssistantPart[]; usage: Usage | null } {
  const decoder = CODECS[format].createStreamDecoder();
  type Open = { type: AssistantPart['type']; text: string; id: string; name: string; index: number; proof?: string };
  const parts: Open[] = [];
  let usage: Usage | null = null;
  for (const part of [...decoder.push(bytes), ...decoder.end()]) {
    const base = { text: '', id: '', name: '', index: -1 };
    if (part.type === 'text-start') parts.push({ ...base, type: 'text' });
    else if (part.type === 'reasoning-start') parts.push({ ...base, type: 'reasoning' });
    else if (part.type === 'tool-input-start') parts.push({ ...base, ...part, type: 'tool-call' });
    else if (part.type === 'usage') usage = part.usage;
    else if (part.type === 'error') throw new Error(part.fault.detail);
    const target = 'index' in part ? parts.find(({ index }) => index === part.index) : parts.at(-1);
    if ('text' in part && target !== undefined) target.text += part.text;
    const proof = part.type === 'reasoning-end' ? proofsOf([{ ...part, type: 'reasoning', text: '' }])[0] : undefined;
    if (proof !== undefined && target !== undefined) target.proof = proof;
  }
  const told = parts.map(
    ({ type, text, id, name, proof }): AssistantPart =>
      type === 'tool-call' ? { type, id, name, argumentsText: text } : { type, text, signature: proof },
  );
  return { parts: told, usage };
}

const image = base64.map((data) => ({
  type: 'image' as const,
  source: { kind: 'base64' as const, mediaType: 'image/png', data },
}));
const file = base64.map((data) => ({
  type: 'file' as const,
  source: { kind: 'base64' as const, mediaType: 'application/pdf', data },
  filename: 'a.pdf',
}));
const textPart = spoken.map((text) => ({ type: 'text' as const, text }));
const system = fc.array(textPart, { minLength: 1, maxLength: 2 }).map((parts): Message => ({ role: 'system', parts }));
const user = fc
  .array(fc.oneof(textPart, image, file), { minLength: 1, maxLength: 3 })
  .map((parts): Message => ({ role: 'user', parts }));
const speech = textPart.map((part): Message => ({ role: 'assistant', parts: [part] }));
const round = fc
  .tuple(
    fc.array(textPart, { maxLength: 1 }),
    fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    spoken,
  )
  .map(([texts, made, result]): Message[] => [
    { role: 'assistant', parts: [...texts, ...made] },
    {
      role: 'tool',
      parts: made.map(({ id }) => ({
        type: 'tool-result',
        callId: id,
        content: [{ type: 'text', text: result }],
        isError: false,
      })),
    },
  ]);
const conversations: fc.Arbitrary<Conversation> = fc
  .tuple(
    fc.array(system, { maxLength: 2 }),
    user,
    fc.array(
      fc.oneof(
        user.map((one) => [one]),
        speech.map((one) => [one]),
        round,
      ),
      { maxLength: 5 },
    ),
    fc.uniqueArray(fc.record({ name: word, description: spoken, parameters: fc.constant({ type: 'object' }) }), {
      selector: ({ name }) => name,
      maxLength: 2,
    }),
  )
  // An id names one call in a whole conversation.
  .filter(([, , rest]) => {
    const ids = rest
      .flat()
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])));
    return new Set(ids).size === ids.length;
  })
  .map(([first, second, rest, tools]) => ({
    messages: [...first, second, ...rest.flat()],
    tools,
    sampling: { temperature: 0.5 },
    outputTokensMax: 2_000,
  }));

/** Texts without spaces that joining may add, by author; everything else in its order. */
function substanceOf({ messages, tools, sampling, outputTokensMax }: Conversation) {
  const said = (role: Message['role']): string =>
    messages
      .filter((message) => message.role === role)
      .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
      .join('')
      .replace(/\s/g, '');
  const parts = messages.flatMap((message) => message.parts as readonly (typeof message.parts)[number][]);
  return {
    texts: [said('system'), said('user'), said('assistant')],
    media: parts.flatMap((part) =>
      (part.type === 'image' || part.type === 'file') && part.source.kind === 'base64' ? [part.source.data] : [],
    ),
    calls: essenceOf(parts.filter((part) => part.type === 'tool-call')).calls,
    results: parts.flatMap((part) =>
      part.type === 'tool-result'
        ? [[part.callId, part.content.map((one) => (one.type === 'text' ? one.text.trim() : one.type))]]
        : [],
    ),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, type: parameters.type })),
    temperature: sampling.temperature,
    outputTokensMax,
  };
}

test.each(PAIRS)('CHAT-22 MSGS-06 a conversation from %s to %s and back has lost nothing', (client, upstream) => {
  fc.assert(
    fc.property(conversations, (conversation) => {
      const asked = { format: 'none', isStream: false, plugins: [], body: {}, toConversation: () => conversation };
      const written = CODECS[client].encode(asked as unknown as ConversationRequest, CANDIDATE);
      const request = DIALECTS[client].parse(JSON.parse(String(written.body)) as Json);
      const there = CODECS[upstream].encode(request, CANDIDATE);
      const back = carry(DIALECTS[upstream].parse(JSON.parse(String(there.body)) as Json), client);
      expect(substanceOf(back)).toEqual(substanceOf(conversation));
    }),
    { numRuns: 100 },
  );
});
