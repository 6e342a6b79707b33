// Real answers of vendors, in their own formats, seen by clients of all three dialects: text, thinking, calls, sources,
// the reason for ending and the counts are the same in each, whole, as a stream, and as a stream that is cut anywhere.

import Anthropic from '@anthropic-ai/sdk';
import { makePng } from '@tollgate/simulator';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { binaryEvent } from '../binary-event.ts';
import { entryOf, type OtherServers, startOtherServers } from '../faults/upstreams.ts';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import type { Expected, NativeAnswer } from './answer-shape.ts';
import { ANSWERS } from './native-answers.ts';

let harness: Harness;
let others: OtherServers;
let openai: OpenAI;
let anthropic: Anthropic;
let apiKey: string;

beforeAll(async () => {
  harness = await startHarness();
  others = await startOtherServers();
  const { url } = harness.simulator;
  const api_key = 'upstream-secret-key';
  const keys = { region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: api_key };
  const providers = {
    openai: { protocol: 'openai', base_url: url, api_key },
    responses: { protocol: 'openai', base_url: url, api_key, responses: true },
    gemini: { protocol: 'gemini', base_url: url, api_key },
    bedrock: { protocol: 'bedrock', base_url: url, ...keys },
    cohere: { protocol: 'cohere', base_url: url, api_key },
    azure: { protocol: 'azure', base_url: url, api_key, api_version: '2024-10-21' },
    vertex: entryOf('vertex-claude', url, others.tokenUrl),
  };
  const models = Object.fromEntries(
    ANSWERS.map(({ name, protocol }, index) => [
      `acme/${name}`,
      {
        routes: [
          { provider: protocol, upstream_model: `${protocol === 'vertex' ? 'anthropic/' : ''}answer-${index}-` },
        ],
      },
    ]),
  );
  const painter = {
    input_modalities: ['text', 'image'],
    output_modalities: ['text', 'image'],
    pricing: { prompt: '1', completion: '2', image: '0.04' },
    routes: [{ provider: 'gemini', upstream_model: 'gemini-3-pro-image' }],
  };
  const document: Json = {
    ...configDocument(url, { models: { ...models, 'acme/painter': { entry: painter } } }),
    providers,
  };
  delete (document.models as Json)['openai/test'];
  await harness.operate('PUT', '/admin/v1/config', document);
  const { key } = await harness.account();
  apiKey = key;
  openai = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: harness.url, apiKey: key, maxRetries: 0 });
});

afterEach(() => harness.simulator.clearScripts());

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  others.close();
});

/** Frames as the protocol has them; of a binary one each is named by its only member. */
function streamOf({ protocol, frames, wire = (events) => events }: NativeAnswer): Buffer {
  if (protocol === 'bedrock') {
    return Buffer.concat(frames.map((frame) => binaryEvent(...(Object.entries(frame)[0] as [string, Json]))));
  }
  if (protocol === 'vertex') {
    const framed = frames.map((frame) => `event: ${String(frame.type)}\ndata: ${JSON.stringify(frame)}\n\n`);
    return Buffer.from(wire(framed.join('')));
  }
  const end = protocol === 'openai' || protocol === 'azure' ? 'data: [DONE]\n\n' : '';
  return Buffer.from(wire(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('') + end));
}

const lastSent = () => (harness.simulator.requests.at(-1)?.json ?? {}) as Json;

/** What fails is asked again. */
const UNTIL_CLEARED = { times: Number.POSITIVE_INFINITY };

type Way = 'whole' | 'stream' | 'cut';

function answerNext(answer: NativeAnswer, way: Way): void {
  harness.simulator.script(async (_request, response) => {
    const isBinary = answer.protocol === 'bedrock';
    const type = isBinary ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
    response.writeHead(200, { 'content-type': way === 'whole' ? 'application/json' : type });
    const bytes = way === 'whole' ? Buffer.from(JSON.stringify(answer.whole)) : streamOf(answer);
    const length = way === 'cut' ? 7 : bytes.length;
    for (let at = 0; at < bytes.length; at += length) {
      response.write(bytes.subarray(at, at + length));
      await new Promise(setImmediate);
    }
    response.end();
    return undefined;
  }, UNTIL_CLEARED);
}

const tool = { name: 'tide', parameters: { type: 'object', properties: {} } };
type Seen = { -readonly [Name in keyof Expected]?: Expected[Name] };

type Page = Readonly<{ url: string; start_index: number; end_index: number }>;

const spansIn = (text: string, pages: readonly Page[]): readonly string[] =>
  pages.map(({ start_index: start, end_index: end }) => text.slice(start, end));

async function askChat(model: string, isStream: boolean): Promise<Seen> {
  const body = { model, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const tools = [{ type: 'function' as const, function: tool }];
  const completion = isStream
    ? await openai.chat.completions.stream({ ...body, tools }).finalChatCompletion()
    : await openai.chat.completions.create({ ...body, tools });
  const [choice] = completion.choices;
  const message = choice?.message as unknown as Json & { tool_calls?: OpenAI.ChatCompletionMessageFunctionToolCall[] };
  const annotations = (message.annotations ?? []) as { url_citation?: Page }[];
  const pages = annotations.flatMap(({ url_citation: page }) => page ?? []);
  const text = String(message.content ?? '');
  return {
    text,
    ...(isStream ? {} : { reasoning: String(message.reasoning ?? message.reasoning_content ?? '') }),
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => [name, JSON.parse(text)]),
    ...(isStream ? {} : { sources: pages.map(({ url }) => url), spans: spansIn(text, pages) }),
    finish: choice?.finish_reason ?? '',
    tokens: [completion.usage?.prompt_tokens ?? -1, completion.usage?.completion_tokens ?? -1],
  };
}

const STOPS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

async function askMessages(model: string, isStream: boolean): Promise<Seen> {
  const tools = [{ name: tool.name, input_schema: { type: 'object' as const } }];
  const body = { model, max_tokens: 500, messages: [{ role: 'user' as const, content: 'Hi' }], tools };
  const message = isStream
    ? await anthropic.messages.stream(body).finalMessage()
    : await anthropic.messages.create(body);
  const blocks = message.content;
  return {
    text: blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join(''),
    reasoning: blocks.flatMap((block) => (block.type === 'thinking' ? block.thinking : [])).join(''),
    calls: blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
    sources: blocks.flatMap((block) =>
      block.type === 'text' ? (block.citations ?? []).flatMap((it) => ('url' in it ? (it.url ?? []) : [])) : [],
    ),
    finish: STOPS[message.stop_reason ?? ''] ?? String(message.stop_reason),
    tokens: [message.usage.input_tokens, message.usage.output_tokens],
  };
}

async function askResponses(model: string, isStream: boolean): Promise<Seen> {
  const tools = [{ type: 'function' as const, ...tool, strict: false }];
  const body = { model, input: 'Hi', store: false, tools };
  const answer = isStream ? await openai.responses.stream(body).finalResponse() : await openai.responses.create(body);
  const contents = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const texts = contents.flatMap((content) => (content.type === 'output_text' ? [content] : []));
  const calls = answer.output.flatMap((item) =>
    item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
  );
  const cause = answer.incomplete_details?.reason;
  return {
    text: texts.map(({ text }) => text).join(''),
    reasoning: answer.output
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []))
      .map(({ text }) => text)
      .join(''),
    calls,
    sources: texts.flatMap(({ annotations }) => annotations.flatMap((it) => ('url' in it ? it.url : []))),
    spans: texts.flatMap(({ text, annotations }) =>
      spansIn(
        text,
        annotations.flatMap((it) => ('url' in it ? it : [])),
      ),
    ),
    finish: cause === 'max_output_tokens' ? 'length' : (cause ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    tokens: [answer.usage?.input_tokens ?? -1, answer.usage?.output_tokens ?? -1],
  };
}

const DIALECTS = { chat: askChat, messages: askMessages, responses: askResponses };

const WAYS = ['whole', 'stream', 'cut'] as const;

test.each(ANSWERS)('$protocol: $name, as clients of all dialects see it and pay for it', async (answer) => {
  const spentBefore = await harness.spent(apiKey);
  const dialects = Object.entries(DIALECTS).filter(([dialect]) => dialect !== answer.unreadBy);
  for (const way of WAYS) {
    answerNext(answer, way);
    for (const [dialect, ask] of dialects) {
      const asking = ask(`acme/${answer.name}`, way !== 'whole');
      if (answer.expected === 'failure') await expect(asking, `${dialect} ${way}`).rejects.toThrow();
      else expect(await asking, `${dialect} ${way}`).toMatchObject(shownTo(dialect, way, answer, answer.expected));
    }
    harness.simulator.clearScripts();
  }
  const [prompt, completion] = answer.expected === 'failure' ? [0, 0] : answer.expected.tokens;
  const spent = (await harness.spent(apiKey)) - spentBefore;
  expect(spent).toBeCloseTo((WAYS.length * dialects.length * (prompt * 1 + completion * 2)) / 1e6, 12);
});

/** A client of the upstream's own format gets its fields unchanged, and its helper collects no others. */
function shownTo(dialect: string, way: Way, { protocol }: NativeAnswer, expected: Expected): Seen {
  const { text, calls, finish, tokens, spans: _spans, ...rest } = expected;
  if (dialect === 'messages') return { text, calls, finish, tokens, ...rest };
  if (dialect !== 'chat') return expected;
  if (protocol === 'openai' || protocol === 'azure') return { finish, tokens };
  return way === 'whole' ? expected : { text, calls, finish, tokens };
}

// A model that makes pictures refuses its own when they come back without its signatures. Each dialect has its own
// place for a picture and none for its signature.

const PICTURE = { inlineData: { mimeType: 'image/png', data: makePng(1).toString('base64') } };
const SIGNED_PICTURE = { ...PICTURE, thoughtSignature: 'cGljdHVyZQ==' };
const WORDS_FIRST: readonly Json[] = [{ text: 'Here.', thoughtSignature: 'd29yZHM=' }, SIGNED_PICTURE];
const PICTURE_FIRST: readonly Json[] = [SIGNED_PICTURE, { text: 'There.' }];
const PAINTER = 'acme/painter';

function paintNext(parts: readonly Json[], isStream: boolean): void {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 1_300, totalTokenCount: 1_310 };
  const pieces = isStream ? parts.map((part) => [part]) : [parts];
  const frames = pieces.map((content, index) => ({
    candidates: [
      { content: { role: 'model', parts: content }, ...(index === pieces.length - 1 ? { finishReason: 'STOP' } : {}) },
    ],
    usageMetadata,
  }));
  answerNext(
    { name: '', protocol: 'gemini', whole: frames[0] ?? {}, frames, expected: 'failure' },
    isStream ? 'cut' : 'whole',
  );
}

/** As a client that knows the fields puts the pieces of a stream together. */
function joinDeltas(frames: readonly Json[]): Json {
  const message: Json & { content: string } = { role: 'assistant', content: '' };
  for (const frame of frames) {
    const { content, reasoning_details: details, images } = ((frame.choices as Json[])[0]?.delta ?? {}) as Json;
    message.content += String(content ?? '');
    if (details !== undefined)
      message.reasoning_details = [...((message.reasoning_details as []) ?? []), ...(details as [])];
    if (images !== undefined) message.images = images;
  }
  return message;
}

const HISTORIES: Readonly<Record<string, (isStream: boolean) => Promise<readonly [string, Json]>>> = {
  async chat(isStream) {
    const body: Json = { model: PAINTER, messages: [{ role: 'user', content: 'Paint.' }] };
    const answer = isStream ? await harness.stream(apiKey, body) : await harness.chat(apiKey, body);
    const whole = answer.body as { choices?: { message: Json }[] };
    const message = 'frames' in answer ? joinDeltas(answer.frames as Json[]) : whole.choices?.[0]?.message;
    const messages = [...(body.messages as Json[]), message, { role: 'user', content: 'Bluer.' }];
    return ['/v1/chat/completions', { ...body, messages }];
  },
  async messages(isStream) {
    const asked = { role: 'user' as const, content: 'Paint.' };
    const body = { model: PAINTER, max_tokens: 2_000, messages: [asked] };
    const { content } = isStream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body);
    const messages = [asked, { role: 'assistant', content }, { role: 'user', content: 'Bluer.' }];
    return ['/v1/messages', { ...body, messages }];
  },
  async responses(isStream) {
    const body = { model: PAINTER, store: false, input: 'Paint.' };
    const { output } = isStream
      ? await openai.responses.stream(body).finalResponse()
      : await openai.responses.create(body);
    const input = [{ role: 'user', content: 'Paint.' }, ...output, { role: 'user', content: 'Bluer.' }];
    return ['/v1/responses', { ...body, input }];
  },
};

describe.each([
  ['words before it', WORDS_FIRST],
  ['words after it', PICTURE_FIRST],
])('IMG-01 a picture with %s goes back as it came, with every signature', (_, parts) => {
  test.each(Object.keys(HISTORIES).flatMap((dialect) => [[dialect, false] as const, [dialect, true] as const]))(
    'through %s, streamed: %s',
    async (dialect, isStream) => {
      paintNext(parts, isStream);
      const spentBefore = await harness.spent(apiKey);
      const [path, body] = (await HISTORIES[dialect]?.(isStream)) ?? ['', {}];
      expect((await harness.spent(apiKey)) - spentBefore).toBeCloseTo(10e-6 + 1_300 * 2e-6 + 0.04, 9);
      harness.simulator.clearScripts();
      paintNext(WORDS_FIRST, false);
      expect((await harness.request('POST', path, { key: apiKey, body })).status).toBe(200);
      harness.simulator.clearScripts();
      const contents = lastSent().contents as { parts: Json[] }[];
      expect(contents[1]).toEqual({ role: 'model', parts });
    },
  );
});

test("IMG-01 a picture whose signatures were lost is said to be another model's", async () => {
  paintNext(WORDS_FIRST, false);
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE.inlineData.data}` } };
  const messages = [
    { role: 'user', content: 'Paint.' },
    { role: 'assistant', content: [{ type: 'text', text: 'Here.' }, image] },
    { role: 'user', content: 'Bluer.' },
  ];
  expect((await harness.chat(apiKey, { model: PAINTER, messages })).status).toBe(200);
  harness.simulator.clearScripts();
  const contents = lastSent().contents as { parts: Json[] }[];
  const thoughtSignature = 'skip_thought_signature_validator';
  expect(contents[1]?.parts).toEqual([{ ...PICTURE, thoughtSignature }, { text: 'Here.' }]);
});

test('how likely tokens were is asked for and told, in the words of chat and of Responses', async () => {
  const told = (token: string, logProbability: number) => ({ token, tokenId: 7, logProbability });
  const step = (token: string) => ({
    chosenCandidates: [told(token, -0.5)],
    topCandidates: [{ candidates: [told(token, -0.5), told('Ó', -2)] }],
  });
  const answer: NativeAnswer = {
    ...(ANSWERS.find(({ name }) => name === 'grounded') as NativeAnswer),
    whole: {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Hi!' }] },
          finishReason: 'STOP',
          logprobsResult: {
            chosenCandidates: ['Hi', '!'].flatMap((token) => step(token).chosenCandidates),
            topCandidates: ['Hi', '!'].flatMap((token) => step(token).topCandidates),
          },
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    },
    frames: ['Hi', '!'].map((text) => ({
      candidates: [
        { content: { parts: [{ text }] }, logprobsResult: step(text), ...(text === '!' && { finishReason: 'STOP' }) },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    })),
  };
  const rival = { token: 'Ó', logprob: -2, bytes: [195, 147] };
  const tokens = [
    { token: 'Hi', logprob: -0.5, bytes: [72, 105] },
    { token: '!', logprob: -0.5, bytes: [33] },
  ].map((token) => ({ ...token, top_logprobs: [token, rival] }));
  const model = 'acme/grounded';
  const chat = { model, logprobs: true, top_logprobs: 2, messages: [{ role: 'user' as const, content: 'Hi' }] };
  for (const way of ['whole', 'stream'] as const) {
    answerNext(answer, way);
    const completion =
      way === 'whole'
        ? await openai.chat.completions.create(chat)
        : await openai.chat.completions.stream(chat).finalChatCompletion();
    expect(completion.choices[0]?.logprobs?.content, way).toEqual(tokens);
    expect(lastSent().generationConfig).toMatchObject({ responseLogprobs: true, logprobs: 2 });
    const ask = { model, input: 'Hi', store: false, top_logprobs: 2 };
    const response =
      way === 'whole' ? await openai.responses.create(ask) : await openai.responses.stream(ask).finalResponse();
    expect(response.output[0], way).toMatchObject({ content: [{ text: 'Hi!', logprobs: tokens }] });
    harness.simulator.clearScripts();
  }
});
