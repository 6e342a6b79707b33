// Places of an answer in which a text could pass an organization's rules unread: members that the gateway does not know,
// further choices, log probabilities, escapes in arguments, and a phrase that is divided over blocks. Whole and streamed,
// in every dialect that has them.

import type { ServerResponse } from 'node:http';
import { makePng } from '@tollgate/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import { illustratingModel } from '../images/image-harness.ts';
import { type FilteredOrg, type GuardBed, startGuardBed } from './guard-bed.ts';

const REDACT = { name: 'Codename', type: 'keyword', pattern: 'blue heron', action: 'redact', appliesTo: 'output' };
const BLOCK = { ...REDACT, action: 'block' };
/** It never matches, and needs all of a stream. */
const HOLDING = { ...REDACT, type: 'regex', pattern: `${'[a-z]{3}[0-9]{30}'.repeat(8)}` };

let bed: GuardBed;
let redacting: FilteredOrg;
let blocking: FilteredOrg;
let holding: FilteredOrg;

beforeAll(async () => {
  const model = (provider: string) => ({ routes: [{ provider, upstream_model: 'm' }] });
  bed = await startGuardBed({
    moreProviders: {
      messages: { protocol: 'anthropic' },
      responses: { protocol: 'openai', responses: true },
      texts: { protocol: 'openai', completions: true },
    },
    models: {
      'acme/messages': model('messages'),
      'acme/responses': model('responses'),
      'acme/texts': model('texts'),
      'acme/painter': illustratingModel(),
    },
  });
  [redacting, blocking, holding] = await Promise.all([
    bed.filtered(REDACT),
    bed.filtered(BLOCK),
    bed.filtered(REDACT, HOLDING),
  ]);
});
afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.harness.close();
});

/** Of one object, or of the frames of a stream. */
function answers(answer: Json | readonly Json[]): void {
  bed.harness.simulator.script((_request, response: ServerResponse) => {
    const isStream = Array.isArray(answer);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    const frameOf = (event: Json) => `${event.type === undefined ? '' : `event: ${event.type}\n`}data: `;
    response.end(
      isStream
        ? `${answer.map((event) => `${frameOf(event)}${JSON.stringify(event)}\n\n`).join('')}`
        : JSON.stringify(answer),
    );
    return undefined;
  });
}

const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const completion = (message: Json, more: Json = {}): Json => ({
  ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm', usage },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.', ...message }, finish_reason: 'stop' }],
  ...more,
});
const chunks = (...deltas: readonly Json[]): readonly Json[] => {
  const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return [
    ...deltas.map((delta) => ({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ];
};

const messages = [{ role: 'user', content: 'Hello.' }];
const PATHS: Readonly<Record<string, string>> = {
  'openai/test': '/v1/chat/completions',
  'acme/responses': '/v1/responses',
  'acme/messages': '/v1/messages',
  'acme/texts': '/v1/completions',
};

function ask({ key }: FilteredOrg, more: Json = {}, path?: string): Promise<Answer> {
  const model = String(more.model ?? 'openai/test');
  const to = path ?? String(PATHS[model]);
  const asked =
    to === '/v1/responses' ? { input: 'Hello.' } : to === '/v1/completions' ? { prompt: 'Hello.' } : { messages };
  const limit = to === '/v1/messages' ? { max_tokens: 500 } : {};
  return bed.harness.request('POST', to, { key, body: { ...asked, ...limit, ...more, model } });
}

const call = (name: string, text: string, more: Json = {}): Json => ({
  ...{ index: 0, id: 'call_1', type: 'function', ...more },
  function: { name, arguments: text },
});
const token = (text: string, ...others: readonly string[]): Json => ({
  ...{ token: text, logprob: -0.1, bytes: null },
  top_logprobs: others.map((other) => ({ token: other, logprob: -1, bytes: null })),
});
const choice = (content: string, index: number): Json => ({
  ...{ index, message: { role: 'assistant', content }, finish_reason: 'stop' },
});
const response = (...output: readonly Json[]): Json => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output },
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
});
const said = (text: string, more: Json = {}): Json => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [], ...more }],
});
const message = (...content: readonly Json[]): Json => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn' },
  ...{ stop_sequence: null, usage: { input_tokens: 10, output_tokens: 4 } },
});

const ROWS: readonly (readonly [string, Json, Json?])[] = [
  ['what is spoken', completion({ audio: { id: 'a', data: 'UklGRg==', transcript: 'The blue heron.' } })],
  ['a second choice', completion({}, { choices: [choice('Fine.', 0), choice('The blue heron.', 1)] })],
  ['thinking under two names', completion({ reasoning: 'Hm.', reasoning_content: 'The blue heron.' })],
  [
    'the old call beside an empty list of calls',
    completion({ tool_calls: [], function_call: { name: 'f', arguments: '{"a":"blue heron"}' } }),
  ],
  [
    'a title of a source',
    completion(
      {},
      { search_results: [{ url: 'https://a.test', title: 'Fine.', snippet: `${'a '.repeat(2_000)}blue heron` }] },
    ),
  ],
  ["a member of a vendor's", completion({ remark: { deep: ['The blue heron.'] } })],
  ['what stands beside the choices', completion({}, { related_questions: ['What is the blue heron?'] })],
  [
    'a long quotation',
    completion({
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://a.test', content: `${'a '.repeat(2_000)}blue heron` } },
      ],
    }),
  ],
  [
    'a picture of Responses',
    response(said('Fine.'), {
      ...{ id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'aGVyb24=' },
      revised_prompt: 'A blue heron.',
    }),
    { model: 'acme/responses' },
  ],
  [
    'a member of a text of Responses',
    response(said('Fine.', { remark: 'The blue heron.' })),
    { model: 'acme/responses' },
  ],
  ['a member of a block', message({ type: 'text', text: 'Fine.', remark: 'blue heron' }), { model: 'acme/messages' }],
];

const WHOLE = ROWS.map(([title, answer, asked = {}]) => [title, answer, asked] as const);

describe.each(WHOLE)('FILT-05 a whole answer with %s', (_title, answer, asked) => {
  test('is shown without it', async () => {
    answers(answer);
    const shown = await ask(redacting, asked);
    expect(shown.status, shown.text).toBe(200);
    expect(shown.text).not.toContain('heron');
  });

  test('is withheld', async () => {
    answers(answer);
    expect((await ask(blocking, asked)).status).toBe(403);
  });

  test('passes as it came where there is nothing to find', async () => {
    const fine = JSON.parse(JSON.stringify(answer).replaceAll('blue heron', 'grey owl')) as Json;
    answers(fine);
    const { body, text } = await ask(redacting, asked);
    const kept = ['choices', 'related_questions', 'search_results', 'output', 'content'].filter(
      (name) => fine[name] !== undefined,
    );
    for (const name of kept) expect(body[name], text).toEqual(fine[name]);
  });
});

const tokens = [token('Fine'), token('.', 'blue heron'), token(' The blue'), token(' heron')];
const oldTokens = {
  tokens: ['Fine.', ' blue', ' heron'],
  token_logprobs: [-1, -1, -1],
  top_logprobs: [],
  text_offset: [],
};

test.each([
  [
    'chat',
    completion({}, { choices: [{ ...choice('Fine.', 0), logprobs: { content: tokens, refusal: null } }] }),
    { logprobs: true, top_logprobs: 2 },
  ],
  [
    'Responses',
    response(said('Fine.', { logprobs: tokens })),
    { model: 'acme/responses', include: ['message.output_text.logprobs'] },
  ],
  [
    'completions',
    {
      ...{ id: 'x', object: 'text_completion', created: 1, model: 'm', usage },
      choices: [{ index: 0, text: 'Fine.', finish_reason: 'stop', logprobs: oldTokens }],
    },
    { model: 'acme/texts', logprobs: 1 },
  ],
])('FILT-05 %s: log probabilities show neither what was cut off nor what might have been said', async (...row) => {
  const [, answer, asked] = row as readonly [string, Json, Json];
  answers(answer);
  const { status, text } = await ask(redacting, asked);
  expect([status, text.includes('Fine.'), text.includes('heron')], text).toEqual([200, true, false]);
});

const pieces = (text: string): string[] => text.match(/[\s\S]{1,5}/g) ?? [];
const tools = [{ type: 'function', function: { name: 'tell', parameters: { type: 'object' } } }];
const ESCAPED = String.raw`{"a":"the \u0062lue\u0020her\u006fn","b":[1, "é\n\u00e9"]}`;
const BROKEN = String.raw`{"a":"the blue\nheron","b":"\"\\u0062\""}`;

function argumentsOf(answer: Answer, isStream: boolean): string {
  const frames = isStream
    ? [...answer.text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json)
    : [answer.body];
  return frames
    .flatMap(({ choices }) => (choices ?? []) as { delta?: Json; message?: Json }[])
    .flatMap(({ delta, message: whole }) => ((delta ?? whole)?.tool_calls ?? []) as Json[])
    .map(({ function: callee }) => (callee as Json | undefined)?.arguments ?? '')
    .join('');
}

describe.each([false, true])('FILT-05 the arguments of a call, streamed: %s', (stream) => {
  const calls = (text: string): void => {
    const parts = pieces(text).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
    const started = { tool_calls: [call('tell', '')] };
    answers(stream ? chunks(started, ...parts) : completion({ content: null, tool_calls: [call('tell', text)] }));
  };

  test.each([
    ['escaped letters', ESCAPED, { a: 'the [REDACTED]', b: [1, 'é\né'] }],
    ['escaped breaks', BROKEN, { a: 'the [REDACTED]', b: '"\\u0062"' }],
  ])('%s hide nothing, and the rest means what it did', async (_title, text, expected) => {
    for (const org of [redacting, holding]) {
      calls(text);
      const shown = await ask(org, { stream, tools });
      expect(JSON.parse(argumentsOf(shown, stream)), shown.text).toEqual(expected);
    }
    calls(text);
    expect((await ask(blocking, { stream, tools })).text).toContain('content_filter');
  });

  test('words that were asked to be JSON are read in the same way', async () => {
    const response_format = { type: 'json_object' };
    const content = String.raw`{"a":"the \u0062lue\nhero\u006e", "b":"\n\"\t"}`;
    const asked = { stream, response_format };
    const says = (text: string): void =>
      answers(stream ? chunks(...pieces(text).map((piece) => ({ content: piece }))) : completion({ content: text }));
    for (const org of [redacting, holding]) {
      says(content);
      const shown = await ask(org, asked);
      expect(JSON.parse(textsIn(shown.text)), shown.text).toEqual({ a: 'the [REDACTED]', b: '\n"\t' });
      // Words that are none stay what they are.
      says('Not\nJSON: \\o/ "a\nb"');
      expect(textsIn((await ask(org, asked)).text)).toBe('Not\nJSON: \\o/ "a\nb"');
    }
    says(content);
    expect((await ask(blocking, asked)).text).toContain('content_filter');
  });

  test('what the call of a custom tool says as a function is read as the text it is', async () => {
    const custom = [{ type: 'custom', custom: { name: 'patch' } }];
    const wrapped = JSON.stringify({ input: '+ the blue\nheron "é"\n' });
    const parts = pieces(wrapped).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
    for (const org of [redacting, holding]) {
      answers(
        stream
          ? chunks({ tool_calls: [call('patch', '')] }, ...parts)
          : completion({ content: null, tool_calls: [call('patch', wrapped)] }),
      );
      const shown = await ask(org, { stream, tools: custom });
      const inputs = [...shown.text.matchAll(/"input":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text ?? ''));
      expect(inputs.join(''), shown.text).toBe('+ the [REDACTED] "é"\n');
    }
  });
});

test.each([false, true])('FILT-05 the name of a tool that nobody offered is read, streamed: %s', async (stream) => {
  const named = (name: string): void => {
    const calls = { content: null, tool_calls: [call(name, '{}')] };
    answers(stream ? chunks(calls) : completion(calls));
  };
  for (const org of [redacting, holding]) {
    named('blue heron');
    const shown = await ask(org, { stream, tools });
    expect(shown.text).toContain('"name":"[REDACTED]"');
    expect(shown.text).not.toContain('heron');
    // Of what the request offers, the client must recognize the name.
    named('blue_heron');
    const offered = [{ type: 'function', function: { name: 'blue_heron', parameters: { type: 'object' } } }];
    expect((await ask(org, { stream, tools: offered })).text).toContain('"name":"blue_heron"');
  }
  named('blue heron');
  expect((await ask(blocking, { stream, tools })).text).toContain('content_filter');
});

test('FILT-05 the namespace of a tool that nobody offered is read', async () => {
  const item = { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c', arguments: '{}' };
  const named = response({ ...item, name: 'tell', namespace: 'blue heron' });
  for (const stream of [false, true]) {
    answers(stream ? [{ type: 'response.completed', response: named }] : named);
    const shown = await ask(redacting, { model: 'acme/responses', stream });
    expect([shown.text.includes('"name":"tell"'), shown.text.includes('heron')], shown.text).toEqual([true, false]);
  }
});

test('FILT-05 pictures stay where the words beside them are redacted', async () => {
  const url = `data:image/png;base64,${makePng(1).toString('base64')}`;
  answers(completion({ content: 'The blue heron.', images: [{ type: 'image_url', image_url: { url } }] }));
  const asked = { model: 'acme/painter', modalities: ['image', 'text'] };
  const { body, text } = await ask(redacting, asked, '/v1/chat/completions');
  const [{ message: shown }] = body.choices as [{ message: Json }];
  expect(shown, text).toMatchObject({ content: 'The [REDACTED].', images: [{ type: 'image_url' }] });
});

test('FILT-05 addresses are not read', async () => {
  const citations = ['https://birds.test/blue-heron'];
  answers(completion({}, { citations }));
  expect((await ask(blocking)).body.citations).toEqual(citations);
});

const textsIn = (text: string): string =>
  [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, content]) => JSON.parse(content ?? '') as string)
    .join('');

describe('FILT-05 a phrase that is divided', () => {
  const blocks = [
    { type: 'text', text: 'It is the blue ' },
    { type: 'tool_use', id: 'toolu_1', name: 'tell', input: {} },
    { type: 'text', text: 'heron, as I said.' },
  ];
  const events = [
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const asked = { model: 'acme/messages', tools };

  test.each([false, true])('over blocks is found where they are shown as one text, streamed: %s', async (stream) => {
    for (const org of [redacting, holding]) {
      answers(stream ? events : message(...blocks));
      const shown = await ask(org, { ...asked, stream }, '/v1/chat/completions');
      expect(textsIn(shown.text), shown.text).not.toContain('heron');
      expect(textsIn(shown.text)).toContain(', as I said.');
    }
    answers(stream ? events : message(...blocks));
    expect((await ask(blocking, { ...asked, stream }, '/v1/chat/completions')).text).toContain('content_filter');
  });

  test('over what was said before a call and after it is found', async () => {
    answers(chunks({ content: 'It is the blue ' }, { tool_calls: [call('tell', '{}')] }, { content: 'heron.' }));
    const shown = await ask(redacting, { stream: true, tools });
    expect(textsIn(shown.text)).toBe('It is the blue [REDACTED].');
  });
});
