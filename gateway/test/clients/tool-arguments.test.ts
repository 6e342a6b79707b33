// The arguments that a model wrote reach the client byte for byte, on every way through the gateway: odd spaces,
// escapes, and numbers beyond doubles. Two calls at once keep their own arguments, also when their pieces come mixed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Clients, type Kind, modelOf, QUESTION, startClients, TEXT_KINDS } from './every-upstream.ts';

const FIRST = '{ "b":1.0,\t"a" : "\\u00e9\\ud83d\\ude00 é 👩‍👧", "id":12345678901234567890, "b":[ ] }';
const SECOND = '{"path":"C:\\\\temp\\/x","nested":{"z":-0,"y":1E+2,"x":null}}';

let clients: Clients;

beforeAll(async () => {
  clients = await startClients({ open: '' });
});

afterAll(() => clients.close());

type Event = Json & { type?: string };

const frame = (event: Event): string =>
  `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;

/** Pieces of three characters, so that escapes and characters of several bytes are cut. */
const pieces = (text: string): string[] => text.match(/[\s\S]{1,3}/gu) ?? [];

function mixed(first: readonly Event[], second: readonly Event[]): Event[] {
  const rows = Math.max(first.length, second.length);
  return Array.from({ length: rows }, (_, row) => [first[row], second[row]])
    .flat()
    .filter((event) => event !== undefined);
}

function chatStream(): string {
  const chunk = (delta: Json, finish_reason: string | null = null): Event => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const piece = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
  const opening = (index: number, name: string) =>
    chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] });
  const events = [
    chunk({ role: 'assistant', content: null }),
    opening(0, 'first'),
    opening(1, 'second'),
    ...mixed(
      pieces(FIRST).map((text) => piece(0, text)),
      pieces(SECOND).map((text) => piece(1, text)),
    ),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
  ];
  return `${events.map(frame).join('')}data: [DONE]\n\n`;
}

function messagesStream(): string {
  const usage = { input_tokens: 9, output_tokens: 9 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
  };
  const block = (index: number, name: string, text: string): Event[] => [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `call_${index}`, name, input: {} },
    },
    ...pieces(text).map((partial_json) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index },
  ];
  return [
    { type: 'message_start', message },
    ...block(0, 'first', FIRST),
    ...block(1, 'second', SECOND),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
    .map(frame)
    .join('');
}

function responsesStream(): string {
  const item = (index: number, name: string, text: string, status: string) => ({
    id: `fc_${index}`,
    type: 'function_call',
    call_id: `call_${index}`,
    name,
    arguments: text,
    status,
  });
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
  const block = (output_index: number, name: string, text: string): Event[] => [
    ...pieces(text).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: `fc_${output_index}`,
      output_index,
      delta,
    })),
    { type: 'response.function_call_arguments.done', item_id: `fc_${output_index}`, output_index, arguments: text },
    { type: 'response.output_item.done', output_index, item: item(output_index, name, text, 'completed') },
  ];
  const output = [item(0, 'first', FIRST, 'completed'), item(1, 'second', SECOND, 'completed')];
  const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };
  const events: Event[] = [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: item(0, 'first', '', 'in_progress') },
    { type: 'response.output_item.added', output_index: 1, item: item(1, 'second', '', 'in_progress') },
    ...mixed(block(0, 'first', FIRST), block(1, 'second', SECOND)),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ];
  return events.map((event, sequence_number) => frame({ ...event, sequence_number })).join('');
}

const STREAMS: Readonly<Record<string, () => string>> = {
  '/chat/completions': chatStream,
  '/messages': messagesStream,
  '/responses': responsesStream,
};

function answerNextWithCalls(): void {
  clients.harness.simulator.script((request, response) => {
    const path = Object.keys(STREAMS).find((ending) => request.path.endsWith(ending)) ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(STREAMS[path]?.());
    return undefined;
  });
}

/** Name and arguments of each call, by the id under which the client would answer it. */
type Calls = Record<string, readonly [string, string]>;
const expected: Calls = { call_0: ['first', FIRST], call_1: ['second', SECOND] };

async function chatCalls(kind: Kind): Promise<Calls> {
  const stream = clients.openai.chat.completions.stream({
    model: modelOf(kind, 'open'),
    messages: [{ role: 'user', content: QUESTION }],
  });
  const { choices } = await stream.finalChatCompletion();
  const calls = choices[0]?.message.tool_calls?.filter((call) => call.type === 'function') ?? [];
  return Object.fromEntries(calls.map(({ id, function: { name, arguments: text } }) => [id, [name, text]]));
}

async function responsesCalls(kind: Kind): Promise<Calls> {
  const deltas = new Map<string, string>();
  const stream = clients.openai.responses.stream({ model: modelOf(kind, 'open'), input: QUESTION });
  stream.on('response.function_call_arguments.delta', ({ item_id, delta }) => {
    deltas.set(item_id, (deltas.get(item_id) ?? '') + delta);
  });
  const { output } = await stream.finalResponse();
  const calls = output.filter((item) => item.type === 'function_call');
  for (const { id = '', arguments: text } of calls) expect(deltas.get(id)).toBe(text);
  return Object.fromEntries(calls.map(({ call_id, name, arguments: text }) => [call_id, [name, text]]));
}

async function messagesCalls(kind: Kind): Promise<Calls> {
  const blocks = new Map<number, { id: string; name: string; text: string }>();
  const stream = await clients.anthropic.messages.create({
    model: modelOf(kind, 'open'),
    max_tokens: 100,
    messages: [{ role: 'user', content: QUESTION }],
    stream: true,
  });
  for await (const event of stream) {
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      blocks.set(event.index, { id: event.content_block.id, name: event.content_block.name, text: '' });
    }
    const block = 'index' in event ? blocks.get(event.index) : undefined;
    if (block === undefined || event.type !== 'content_block_delta') continue;
    if (event.delta.type === 'input_json_delta') block.text += event.delta.partial_json;
  }
  return Object.fromEntries([...blocks.values()].map(({ id, name, text }) => [id, [name, text]]));
}

describe.each(TEXT_KINDS)('from an upstream of the %s kind', (kind) => {
  test.each([
    ['chat', chatCalls],
    ['Responses', responsesCalls],
    ['Messages', messagesCalls],
  ] as const)('TOOL-06 TOOL-08 to a client of %s', async (_dialect, read) => {
    answerNextWithCalls();
    expect(await read(kind)).toEqual(expected);
  });
});

const LARGE = '{"id":12345678901234567890,"ids":[-9007199254740993]}';

const wholeAnswers: Readonly<Record<string, string>> = {
  '/messages': `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"call_0","name":"first","input":${LARGE}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":9}}`,
  ':generateContent': `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"first","args":${LARGE}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":9}}`,
  '/chat/completions': `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"first","arguments":${JSON.stringify(LARGE)}}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`,
};

describe.each(['chat', 'messages', 'gemini'] as const)('whole answers of an upstream of the %s kind', (kind) => {
  const model = modelOf(kind, 'open');

  // In one format arguments are an object and in the others a text; the digits are the same.
  test.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: QUESTION }] }, JSON.stringify(LARGE)],
    ['/v1/responses', { input: QUESTION }, JSON.stringify(LARGE)],
    ['/v1/messages', { messages: [{ role: 'user', content: QUESTION }], max_tokens: 100 }, LARGE],
  ])('TOOL-06 integers beyond doubles reach a client of %s', async (path, body, expectedText) => {
    clients.harness.simulator.script((request, response) => {
      const ending = Object.keys(wholeAnswers).find((one) => request.path.endsWith(one)) ?? '';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(wholeAnswers[ending]);
      return undefined;
    });
    const { key } = clients;
    const { text } = await clients.harness.request('POST', path, { key, body: { model, ...body } });
    expect(text).toContain(`:${expectedText}`);
  });
});
