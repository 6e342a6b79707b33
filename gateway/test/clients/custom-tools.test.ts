// Tools that take plain text, in chat completions: OpenAI's own upstream of chat completions gets them as they are, one
// of Responses gets its own kind of them, and every other gets functions. The client sees no difference.

import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Clients, copiedModelOf, type Kind, modelOf, startClients } from './every-upstream.ts';

const INPUT = '*** Begin Patch\n+ "é" \\n 👩‍👧\n*** End Patch';
const OLDER = '{"input":"not what it seems"}';
const AS_ARGUMENT = JSON.stringify({ input: INPUT });
const DESCRIPTION = 'Edits files.';
const GRAMMAR = { syntax: 'lark' as const, definition: 'start: /.+/' };
const IN_WORDS = `${DESCRIPTION}\n\nThe input must follow this lark grammar:\n${GRAMMAR.definition}`;

const OFFERED = {
  type: 'custom' as const,
  custom: { name: 'patch', description: DESCRIPTION, format: { type: 'grammar' as const, grammar: GRAMMAR } },
};
const CHOICE = { type: 'custom' as const, custom: { name: 'patch' } };
const CALLED = { id: 'call_9', type: 'custom' as const, custom: { name: 'patch', input: OLDER } };
const RESULT = { role: 'tool' as const, tool_call_id: 'call_9', content: 'Done.' };
const QUESTION: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'Mend it.' },
  { role: 'assistant', content: null, tool_calls: [CALLED] },
  RESULT,
];

let clients: Clients;

beforeAll(async () => {
  clients = await startClients({ open: '' });
});

afterAll(() => clients.close());

const USAGE = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
const RESPONSES_USAGE = { input_tokens: 9, output_tokens: 9, total_tokens: 18 };

const item = (input: string, status: string) => ({
  id: 'ctc_1',
  type: 'custom_tool_call',
  call_id: 'call_0',
  name: 'patch',
  input,
  status,
});
const response = (status: string, output: readonly Json[]) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
});

const chatAnswer = (call: Json): Json => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: USAGE },
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', ...call }] },
    },
  ],
});

const wholeAnswers: Readonly<Record<string, Json>> = {
  '/chat/completions': chatAnswer({ type: 'custom', custom: { name: 'patch', input: INPUT } }),
  '/responses': { ...response('completed', [item(INPUT, 'completed')]), usage: RESPONSES_USAGE },
  '/messages': {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: null },
    content: [{ type: 'tool_use', id: 'call_0', name: 'patch', input: { input: INPUT } }],
    usage: { input_tokens: 9, output_tokens: 9 },
  },
  ':generateContent': {
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { id: 'call_0', name: 'patch', args: { input: INPUT } } }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9 },
  },
};

const pieces = (text: string): string[] => text.match(/[\s\S]{1,3}/gu) ?? [];
const frame = (event: Json): string =>
  `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;

/** A call by its first delta, and its others. */
function chatStream(opening: Json, deltas: readonly Json[]): string {
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    frame({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
      choices: [{ index: 0, delta, finish_reason }],
    });
  const call = (members: Json) => chunk({ tool_calls: [{ index: 0, ...members }] });
  const usage = frame({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: USAGE });
  const called = [{ id: 'call_0', ...opening }, ...deltas].map(call).join('');
  return `${called}${chunk({}, 'tool_calls')}${usage}data: [DONE]\n\n`;
}

function responsesStream(): string {
  const place = { item_id: 'ctc_1', output_index: 0 };
  const events: Json[] = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: item('', 'in_progress') },
    ...pieces(INPUT).map((delta) => ({ type: 'response.custom_tool_call_input.delta', ...place, delta })),
    { type: 'response.custom_tool_call_input.done', ...place, input: INPUT },
    { type: 'response.output_item.done', output_index: 0, item: item(INPUT, 'completed') },
    { type: 'response.completed', response: wholeAnswers['/responses'] },
  ];
  return events.map((event, sequence_number) => frame({ ...event, sequence_number })).join('');
}

function messagesStream(): string {
  const { content, stop_reason, ...message } = wholeAnswers['/messages'] as Json;
  const use = { ...(content as Json[])[0], input: {} };
  const events: Json[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: use },
    ...pieces(AS_ARGUMENT).map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  return events.map(frame).join('');
}

const streams: Readonly<Record<string, () => string>> = {
  '/chat/completions': () =>
    chatStream(
      { type: 'custom', custom: { name: 'patch', input: '' } },
      pieces(INPUT).map((input) => ({ custom: { input } })),
    ),
  '/responses': responsesStream,
  '/messages': messagesStream,
};

/** From a vendor who has only functions. */
const copied = {
  whole: chatAnswer({ type: 'function', function: { name: 'patch', arguments: AS_ARGUMENT } }),
  stream: () =>
    chatStream(
      { type: 'function', function: { name: 'patch', arguments: '' } },
      pieces(AS_ARGUMENT).map((text) => ({ function: { arguments: text } })),
    ),
};

function answerNext(kind: Kind | 'copied', isStream: boolean): void {
  clients.harness.simulator.script((request, answer) => {
    const path = Object.keys(wholeAnswers).find((ending) => request.path.endsWith(ending)) ?? '';
    const [whole, stream] = kind === 'copied' ? [copied.whole, copied.stream] : [wholeAnswers[path], streams[path]];
    answer.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    answer.end(isStream ? stream?.() : JSON.stringify(whole));
    return undefined;
  });
}

const ask = (kind: Kind | 'copied') => ({
  model: kind === 'copied' ? copiedModelOf('open') : modelOf(kind, 'open'),
  messages: QUESTION,
  tools: [OFFERED],
  tool_choice: CHOICE,
});

const asFunction = { description: IN_WORDS, parameters: { required: ['input'] } };
const { parameters, ...described } = asFunction;

/** What each kind of upstream is sent. */
const sent: Readonly<Partial<Record<Kind | 'copied', Json>>> = {
  chat: { messages: QUESTION, tools: [OFFERED], tool_choice: CHOICE },
  copied: {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [{ type: 'function', function: { name: 'patch', arguments: JSON.stringify({ input: OLDER }) } }],
      },
      RESULT,
    ],
    tools: [{ type: 'function', function: { name: 'patch', ...asFunction } }],
    tool_choice: { type: 'function', function: { name: 'patch' } },
  },
  responses: {
    input: [
      { role: 'user' },
      { type: 'custom_tool_call', call_id: 'call_9', name: 'patch', input: OLDER },
      { type: 'custom_tool_call_output', call_id: 'call_9', output: 'Done.' },
    ],
    tools: [{ type: 'custom', name: 'patch', description: DESCRIPTION, format: { type: 'grammar', ...GRAMMAR } }],
    tool_choice: { type: 'custom', name: 'patch' },
  },
  messages: {
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'patch', input: { input: OLDER } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_9' }] },
    ],
    tools: [{ name: 'patch', ...described, input_schema: parameters }],
    tool_choice: { type: 'tool', name: 'patch' },
  },
  gemini: {
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'patch', args: { input: OLDER } } }] },
      { role: 'user' },
    ],
    tools: [{ functionDeclarations: [{ name: 'patch', ...described }] }],
  },
};

const CALL = { type: 'custom', custom: { name: 'patch', input: INPUT } };

describe.each(['chat', 'copied', 'responses', 'messages', 'gemini'] as const)('an upstream of the %s kind', (kind) => {
  test('gets the tool in its own words, and its call comes back as one of plain text', async () => {
    answerNext(kind, false);
    const { choices, usage } = await clients.openai.chat.completions.create(ask(kind));
    expect(choices).toMatchObject([{ finish_reason: 'tool_calls', message: { tool_calls: [CALL] } }]);
    expect(usage).toMatchObject({ completion_tokens: 9 });
    expect(clients.lastSent()).toMatchObject(sent[kind] ?? {});
  });
});

describe.each(['chat', 'copied', 'responses', 'messages'] as const)('a stream of the %s kind', (kind) => {
  test('has the whole input in its deltas, and ends for a tool call', async () => {
    answerNext(kind, true);
    const stream = await clients.openai.chat.completions.create({ ...ask(kind), stream: true });
    let input = '';
    let opening: unknown;
    let finish: string | null = null;
    for await (const { choices } of stream) {
      const [choice] = choices;
      const call = choice?.delta.tool_calls?.[0] as Json | undefined;
      if (call?.id !== undefined) opening = call;
      input += (call?.custom as Json | undefined)?.input ?? '';
      expect(call?.function).toBeUndefined();
      finish = choice?.finish_reason ?? finish;
    }
    expect([opening, input, finish]).toEqual([
      { index: 0, id: 'call_0', type: 'custom', custom: { name: 'patch', input: '' } },
      INPUT,
      'tool_calls',
    ]);
  });
});
