// What vendors really answer, in their own formats, seen by clients of all three dialects: words, thinking, calls, sources,
// the reason for ending and the counts are the same in each, whole, as a stream, and as a stream that is cut anywhere.

import { crc32 } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryOf, type OtherServers, startOtherServers } from '../faults/upstreams.ts';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import type { Expected, NativeAnswer } from './answer-shape.ts';
import { ANSWERS } from './native-answers.ts';

let harness: Harness;
let others: OtherServers;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  harness = await startHarness();
  others = await startOtherServers();
  const { url } = harness.simulator;
  const api_key = 'upstream-secret-key';
  const keys = { region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: api_key };
  const providers = {
    openai: { protocol: 'openai', base_url: url, api_key },
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
  const document: Json = { ...configDocument(url, { models }), providers };
  delete (document.models as Json)['openai/test'];
  await harness.operate('PUT', '/admin/v1/config', document);
  const { key } = await harness.account();
  openai = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: harness.url, apiKey: key, maxRetries: 0 });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  others.close();
});

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function binaryEvent(type: string, body: Json): Buffer {
  const header = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, value.length >> 8, value.length & 255]),
      Buffer.from(value),
    ]);
  const isException = type.endsWith('Exception');
  const headers = Buffer.concat([
    header(isException ? ':exception-type' : ':event-type', type),
    header(':message-type', isException ? 'exception' : 'event'),
  ]);
  const payload = Buffer.from(JSON.stringify(body));
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

/** Frames as the protocol has them; of a binary one each is named by its only member. */
function streamOf({ protocol, frames }: NativeAnswer): Buffer {
  if (protocol === 'bedrock') {
    return Buffer.concat(frames.map((frame) => binaryEvent(...(Object.entries(frame)[0] as [string, Json]))));
  }
  if (protocol === 'vertex') {
    const framed = frames.map((frame) => `event: ${String(frame.type)}\ndata: ${JSON.stringify(frame)}\n\n`);
    return Buffer.from(framed.join(''));
  }
  const end = protocol === 'openai' || protocol === 'azure' ? 'data: [DONE]\n\n' : '';
  return Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('') + end);
}

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

async function askChat(model: string, isStream: boolean): Promise<Seen> {
  const body = { model, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const tools = [{ type: 'function' as const, function: tool }];
  const completion = isStream
    ? await openai.chat.completions.stream({ ...body, tools }).finalChatCompletion()
    : await openai.chat.completions.create({ ...body, tools });
  const [choice] = completion.choices;
  const message = choice?.message as unknown as Json & { tool_calls?: OpenAI.ChatCompletionMessageFunctionToolCall[] };
  const annotations = (message.annotations ?? []) as { url_citation?: { url?: string } }[];
  return {
    text: String(message.content ?? ''),
    ...(isStream ? {} : { reasoning: String(message.reasoning ?? message.reasoning_content ?? '') }),
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => [name, JSON.parse(text)]),
    ...(isStream ? {} : { sources: annotations.flatMap(({ url_citation: page }) => page?.url ?? []) }),
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
    finish: cause === 'max_output_tokens' ? 'length' : (cause ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    tokens: [answer.usage?.input_tokens ?? -1, answer.usage?.output_tokens ?? -1],
  };
}

const DIALECTS = { chat: askChat, messages: askMessages, responses: askResponses };

describe.each(ANSWERS)('$protocol: $name', (answer) => {
  test.each(Object.entries(DIALECTS))('as a client of %s sees it', async (dialect, ask) => {
    for (const way of ['whole', 'stream', 'cut'] as const) {
      answerNext(answer, way);
      const asking = ask(`acme/${answer.name}`, way !== 'whole');
      if (answer.expected === 'failure') await expect(asking, way).rejects.toThrow();
      else expect(await asking, way).toMatchObject(shownTo(dialect, way, answer, answer.expected));
      harness.simulator.clearScripts();
    }
  });
});

/** A client of the upstream's own format gets its words as they are, and this one's helper gathers no others. */
function shownTo(dialect: string, way: Way, { protocol }: NativeAnswer, expected: Expected): Seen {
  const { text, calls, finish, tokens } = expected;
  if (dialect !== 'chat') return expected;
  if (protocol === 'openai' || protocol === 'azure') return { finish, tokens };
  return way === 'whole' ? expected : { text, calls, finish, tokens };
}
