// Answers of Claude at other providers: its own format behind another address and another key.

import type { Json } from '../harness.ts';
import { type Expected, type NativeAnswer, said } from './answer-shape.ts';

/** Claude's own format at another's address. */
const claude =
  (name: string) =>
  (
    content: readonly Json[],
    frames: readonly Json[],
    expected: Expected,
    { stop = 'end_turn', first = {}, last = {} }: Readonly<{ stop?: string; first?: Json; last?: Json }> = {},
  ): NativeAnswer => {
    const head = { id: 'msg_vrtx_1', type: 'message', role: 'assistant', model: 'claude' };
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 4 };
    const open = {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1, ...first },
    };
    return {
      ...{ name, protocol: 'vertex', expected },
      whole: { ...head, content, stop_reason: stop, stop_sequence: null, usage },
      frames: [
        { type: 'message_start', message: open },
        { type: 'ping' },
        ...frames,
        {
          type: 'message_delta',
          delta: { stop_reason: stop, stop_sequence: null },
          usage: { output_tokens: 4, ...last },
        },
        { type: 'message_stop' },
      ],
    };
  };
const block = (index: number, content_block: Json, ...deltas: readonly Json[]): readonly Json[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const found = {
  ...{ type: 'web_search_result_location', url: 'https://s.example/1', title: 'S' },
  ...{ cited_text: 'It is.', encrypted_index: 'x' },
};

const YES = [{ type: 'text', text: 'Yes.' }];
const SAYS_YES = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Yes.' });

export const OF_VERTEX: readonly NativeAnswer[] = [
  claude('claude-thinks-then-calls')(
    [
      { type: 'thinking', thinking: 'Which port?', signature: 'c2ln' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_vrtx_1', name: 'tide', input: { port: 'Brest' } },
    ],
    [
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Which port?' },
        { type: 'signature_delta', signature: 'c2ln' },
      ),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
      ...block(
        2,
        { type: 'tool_use', id: 'toolu_vrtx_1', name: 'tide', input: {} },
        { type: 'input_json_delta', partial_json: '{"port":' },
        { type: 'input_json_delta', partial_json: '"Brest"}' },
      ),
    ],
    said('I look.', { reasoning: 'Which port?', calls: [['tide', { port: 'Brest' }]], finish: 'tool_calls' }),
    { stop: 'tool_use' },
  ),
  claude('claude-with-sources')(
    [{ type: 'text', text: 'It is high.', citations: [found] }],
    block(
      0,
      { type: 'text', text: '', citations: [] },
      { type: 'text_delta', text: 'It is high.' },
      { type: 'citations_delta', citation: found },
    ),
    said('It is high.', { sources: ['https://s.example/1'] }),
  ),
  claude('claude-refuses')(
    [{ type: 'text', text: 'No' }],
    block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'No' }),
    said('No', { finish: 'content_filter' }),
    { stop: 'refusal' },
  ),
  claude('claude-counted-at-the-end')(YES, SAYS_YES, said('Yes.'), {
    first: { input_tokens: 0, output_tokens: 0 },
    last: { input_tokens: 10 },
  }),
  claude('claude-counted-anew-at-the-end')(YES, SAYS_YES, said('Yes.'), {
    first: { input_tokens: 25, output_tokens: 0 },
    last: { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  }),
  claude('claude-counted-at-the-start')(YES, SAYS_YES, said('Yes.'), { last: { input_tokens: 0 } }),
  {
    ...claude('claude-without-a-start-of-its-block')(YES, SAYS_YES.slice(1), said('Yes.')),
    unreadBy: 'messages',
  },
  {
    ...claude('claude-without-an-end-mark')(YES, SAYS_YES, said('Yes.')),
    wire: (events) => events.replace(/event: message_stop\n.*\n\n$/, ''),
  },
];
