// What copies of OpenAI's format do differently, one peculiarity in each answer: calls, thinking, words for the end,
// counts, and how the events are written.

import type { Json } from '../harness.ts';
import { type NativeAnswer, said } from './answer-shape.ts';
import { chunk, ends, openai, text, USAGE } from './chat-answers.ts';

const PORT = { port: 'Brest' };
const WRITTEN = JSON.stringify(PORT);
const CALLED = said('', { calls: [['tide', PORT]], finish: 'tool_calls' });
const TWICE = said('', {
  calls: [
    ['tide', PORT],
    ['tide', { port: 'Calais' }],
  ],
  finish: 'tool_calls',
});
const call = (more: Json): Json => ({ type: 'function', ...more });
const calls = (...list: readonly Json[]): Json => chunk({ delta: { tool_calls: list } });
const written = (name: string, args: unknown, more: Json = {}): Json =>
  call({ ...more, function: { name, arguments: args } });
const ONE = { tool_calls: [written('tide', WRITTEN, { id: 'c1' })] };
const TWO = {
  tool_calls: [written('tide', WRITTEN, { id: 'c1' }), written('tide', '{"port":"Calais"}', { id: 'c2' })],
};
const YES = { content: 'Yes.' };

const OF_CALLS: readonly NativeAnswer[] = [
  openai('arguments-as-an-object')(
    { content: null, tool_calls: [written('tide', PORT, { id: 'c1' })] },
    [calls(written('tide', PORT, { id: 'c1', index: 0 })), ends('tool_calls')],
    CALLED,
    { word: 'tool_calls' },
  ),
  openai('call-without-an-index')(
    ONE,
    [calls(written('tide', '', { id: 'c1' })), calls(call({ function: { arguments: WRITTEN } })), ends('tool_use')],
    CALLED,
    { word: 'tool_use' },
  ),
  openai('index-from-one')(ONE, [calls(written('tide', WRITTEN, { id: 'c1', index: 1 })), ends('tool_calls')], CALLED, {
    word: 'tool_calls',
  }),
  openai('two-calls-in-one-frame')(
    TWO,
    [
      calls(
        written('tide', WRITTEN, { id: 'c1', index: 0 }),
        written('tide', '{"port":"Calais"}', { id: 'c2', index: 1 }),
      ),
      ends('tool_calls'),
    ],
    TWICE,
    { word: 'tool_calls' },
  ),
  openai('two-calls-of-one-index')(
    TWO,
    [
      calls(written('tide', WRITTEN, { id: 'c1', index: 0 })),
      calls(written('tide', '{"port":"Calais"}', { id: 'c2', index: 0 })),
      ends('stop'),
    ],
    TWICE,
  ),
  openai('index-of-the-tail-is-another')(
    TWO,
    [
      calls(written('tide', WRITTEN, { id: 'c1', index: 0 })),
      calls(written('tide', '', { id: 'c2', index: 0 })),
      calls(call({ index: 1, function: { arguments: '{"port":' } })),
      calls(call({ index: 1, function: { arguments: '"Calais"}' } })),
      ends('tool_calls'),
    ],
    TWICE,
    { word: 'tool_calls' },
  ),
  openai('id-known-under-another-index')(
    ONE,
    [
      calls(written('tide', '{"port":', { id: 'c1', index: 0 })),
      calls(call({ index: 1, id: 'c1', function: { arguments: '"Brest"}' } })),
      ends('tool_calls'),
    ],
    CALLED,
    { word: 'tool_calls' },
  ),
  openai('name-behind-the-arguments')(
    ONE,
    [
      calls(call({ index: 0, id: 'c1', function: { arguments: WRITTEN } })),
      calls(call({ index: 0, function: { name: 'tide', arguments: '' } })),
      ends('tool_calls'),
    ],
    CALLED,
    { word: 'tool_calls' },
  ),
  openai('call-with-empty-members')(
    { content: '', ...ONE },
    [
      calls(written('tide', '', { id: 'c1', index: 0 })),
      calls(call({ index: 0, id: '', function: { name: '', arguments: WRITTEN } })),
      calls(call({ index: 0, id: null, function: { name: null, arguments: null } })),
      ends('tool_calls'),
    ],
    CALLED,
    { word: 'tool_calls' },
  ),
  openai('one-call-in-the-old-form')(
    { content: null, function_call: { name: 'tide', arguments: WRITTEN } },
    [
      chunk({ delta: { function_call: { name: 'tide', arguments: '' } } }),
      chunk({ delta: { function_call: { arguments: WRITTEN } } }),
      ends('function_call'),
    ],
    CALLED,
    { word: 'function_call' },
  ),
];

const THOUGHT = said('Yes.', { reasoning: 'Hm.' });
const SIGNED = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
const SUMMARY = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.', signature: 'c2ln' }] };

const OF_THINKING: readonly NativeAnswer[] = [
  openai('reasoning-under-two-names')(
    { ...YES, reasoning: 'Hm.', reasoning_content: 'Hm.' },
    [chunk({ delta: { reasoning: 'Hm.', reasoning_content: 'Hm.' } }), text('Yes.'), ends('stop')],
    THOUGHT,
  ),
  openai('reasoning-text')(
    { ...YES, reasoning_text: 'Hm.' },
    [chunk({ delta: { reasoning_text: 'Hm.' } }), text('Yes.'), ends('stop')],
    THOUGHT,
  ),
  openai('thinking-blocks')(
    { ...YES, reasoning_content: 'Hm.', thinking_blocks: [SIGNED] },
    [
      chunk({ delta: { reasoning_content: 'Hm.', thinking_blocks: [{ type: 'thinking', thinking: 'Hm.' }] } }),
      chunk({ delta: { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] } }),
      text('Yes.'),
      ends('stop'),
    ],
    THOUGHT,
  ),
  openai('summary-among-the-content')(
    { content: [SUMMARY, { type: 'text', text: 'Yes.' }] },
    [text([SUMMARY]), text([{ type: 'text', text: 'Yes.' }]), ends('stop')],
    THOUGHT,
  ),
];

const OF_ENDS: readonly NativeAnswer[] = [
  ...(['end_turn', 'eos_token', 'stop_sequence', 'COMPLETE'] as const).map((word) =>
    openai(`ends-in-${word.toLowerCase()}`)(YES, [text('Yes.'), ends(word)], said('Yes.'), { word }),
  ),
  ...(['max_tokens', 'MAX_TOKENS', 'max_output'] as const).map((word) =>
    openai(`cut-by-${word.toLowerCase()}-${word.length}-${word[0]}`)(
      YES,
      [text('Yes.'), ends(word)],
      said('Yes.', { finish: 'length' }),
      { word },
    ),
  ),
];

const NAMED_OTHERWISE = { input_tokens: 10, output_tokens: 4 };
const PAGES = ['https://s.example/1'];

const OF_COUNTS: readonly NativeAnswer[] = [
  openai('counts-of-other-formats')(YES, [text('Yes.'), ends('stop', { usage: NAMED_OTHERWISE })], said('Yes.'), {
    usage: NAMED_OTHERWISE,
  }),
  openai('counted-with-every-frame')(
    YES,
    [
      chunk({ delta: { content: 'Ye' } }, { usage: { ...USAGE, completion_tokens: 1, total_tokens: 11 } }),
      chunk({ delta: { content: 's.' } }, { usage: null }),
      ends('stop', { usage: { ...USAGE, completion_tokens: 2, total_tokens: 12 } }),
      { ...chunk({}), choices: [], usage: USAGE },
    ],
    said('Yes.'),
  ),
  openai('sources-beside-the-count')(
    YES,
    [text('Yes.'), ends('stop', {}), { ...chunk({}), choices: [], usage: USAGE, citations: PAGES }],
    said('Yes.', { sources: PAGES }),
    { citations: PAGES },
  ),
  openai('choice-counted-from-one')(
    YES,
    [text('Yes.'), ends('stop')].map((frame) => ({
      ...frame,
      choices: (frame.choices as Json[]).map((choice) => ({ ...choice, index: 1 })),
    })),
    said('Yes.'),
  ),
];

const OF_WIRES: readonly NativeAnswer[] = Object.entries<NonNullable<NativeAnswer['wire']>>({
  'no-space-before-data': (events) => events.replaceAll('data: ', 'data:'),
  'carriage-returns': (events) => events.replaceAll('\n', '\r\n'),
  'comments-and-names': (events) => `: connected\n\n${events.replaceAll('data: ', 'event: chunk\nid: 7\ndata: ')}`,
  'byte-order-mark': (events) => `\ufeff${events}`,
  'no-end-mark': (events) => events.replace('data: [DONE]\n\n', ''),
  'no-blank-line-at-the-end': (events) => events.trimEnd(),
  'empty-events': (events) => events.replaceAll('\n\n', '\n\ndata:\n\n'),
}).map(([name, wire]) => ({
  ...openai(name)(YES, [chunk({ delta: { role: 'assistant' } }), text('Yes.'), ends('stop')], said('Yes.')),
  wire,
}));

const FAILED = { choices: undefined, usage: undefined };

/** An answer that is none, under a good status. */
const OF_FAILURES: readonly NativeAnswer[] = (
  [
    { error: 'overloaded' },
    { error: { message: 'x', type: 'server_error', code: null } },
    { object: 'error', message: 'x', code: 50_000 },
    { detail: 'x' },
    { success: false, errors: [{ code: 7000, message: 'x' }] },
    { code: 'InternalError', message: 'x', request_id: 'r' },
  ] as const
).map((body, index) => openai(`failed-with-a-good-status-${index}`)({}, [body], 'failure', { ...FAILED, ...body }));

const UNREAD: ReadonlySet<string> = new Set([
  'arguments-as-an-object',
  'index-from-one',
  'two-calls-of-one-index',
  'index-of-the-tail-is-another',
  'id-known-under-another-index',
  'choice-counted-from-one',
]);

export const OF_HABITS: readonly NativeAnswer[] = [
  ...OF_CALLS,
  ...OF_THINKING,
  ...OF_ENDS,
  ...OF_COUNTS,
  ...OF_WIRES,
  ...OF_FAILURES,
].map((answer) => (UNREAD.has(answer.name) ? { ...answer, unreadBy: 'chat' } : answer));
