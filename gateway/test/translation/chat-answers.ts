// Answers of those who copy OpenAI's format, with what is their own in it, and of Azure.

import type { Json } from '../harness.ts';
import { type NativeAnswer, said } from './answer-shape.ts';

export const USAGE = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
export const chunk = (choice: Json, more: Json = {}): Json => ({
  ...{ id: 'x1', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  ...more,
});
export const openai =
  (name: string) =>
  (
    message: Json,
    frames: readonly Json[],
    expected: NativeAnswer['expected'],
    { word = 'stop', ...more }: Json & { word?: string } = {},
  ): NativeAnswer => ({
    ...{ name, protocol: 'openai', frames, expected },
    whole: {
      ...{ id: 'x1', object: 'chat.completion', created: 1, model: 'm', usage: USAGE },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: word }],
      ...more,
    },
  });
export const text = (content: unknown): Json => chunk({ delta: { content } });
export const ends = (finish_reason: string, more: Json = { usage: USAGE }): Json => chunk({ finish_reason }, more);

const PAGES = ['https://s.example/1', 'https://s.example/2'];
const RESULTS = PAGES.map((url) => ({ url, title: 'S', date: '2026-01-01', last_updated: '2026-01-02', snippet: 'x' }));

export const OF_COPIES: readonly NativeAnswer[] = [
  openai('thinking-in-a-list')(
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Yes.' },
      ],
    },
    [
      text([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }]),
      text([{ type: 'text', text: 'Yes.' }]),
      ends('stop'),
    ],
    said('Yes.', { reasoning: 'Hm.' }),
  ),
  openai('reasoning-content')(
    { reasoning_content: 'Hm.', content: 'Yes.' },
    [chunk({ delta: { reasoning_content: 'Hm.', content: null } }), text('Yes.'), ends('stop')],
    said('Yes.', { reasoning: 'Hm.' }),
  ),
  openai('sensitive')(
    { content: 'Half' },
    [text('Half'), ends('sensitive')],
    said('Half', { finish: 'content_filter' }),
    {
      word: 'sensitive',
    },
  ),
  openai('eos')({ content: 'Yes.' }, [text('Yes.'), ends('eos')], said('Yes.'), { word: 'eos' }),
  openai('no-reason-in-a-word')(
    { content: 'Yes.' },
    [
      chunk({ delta: { role: 'assistant', content: 'Y' }, finish_reason: 'None' }),
      chunk({ delta: { content: 'e' }, finish_reason: 'null' }),
      chunk({ delta: { content: 's.' }, finish_reason: '' }),
      ends('stop'),
    ],
    said('Yes.'),
  ),
  openai('counted-beside')(
    { content: 'Yes.' },
    [text('Yes.'), ends('stop', { x_acme: { id: 'r', usage: USAGE } })],
    said('Yes.'),
  ),
  openai('counted-in-its-choice')(
    { content: 'Yes.' },
    [text('Yes.'), chunk({ finish_reason: 'stop', usage: USAGE })],
    said('Yes.'),
  ),
  openai('thought-beside-the-count')(
    { content: 'Yes.' },
    [text('Yes.'), ends('stop', { usage: { ...USAGE, completion_tokens: 1, total_tokens: 14 } })],
    said('Yes.'),
    { usage: { ...USAGE, completion_tokens: 1, total_tokens: 14 } },
  ),
  openai('results-without-citations')(
    { content: 'Yes [1].' },
    [
      chunk({ delta: { content: 'Yes [1].' } }, { search_results: [{ url: 'https://s.example/1', title: 'S' }] }),
      ends('stop', { usage: USAGE, search_results: [{ url: 'https://s.example/1', title: 'S' }] }),
    ],
    said('Yes [1].', { sources: ['https://s.example/1'] }),
    { search_results: [{ url: 'https://s.example/1', title: 'S' }] },
  ),
  openai('citations-beside-results')(
    { content: 'Yes [1][2].' },
    [
      chunk({ delta: { role: 'assistant', content: 'Yes ' } }, { citations: PAGES, search_results: RESULTS }),
      chunk({ delta: { content: '[1][2].' } }, { citations: PAGES, search_results: RESULTS }),
      ends('stop', { usage: USAGE, citations: PAGES, search_results: RESULTS }),
    ],
    said('Yes [1][2].', { sources: PAGES }),
    { citations: PAGES, search_results: RESULTS },
  ),
  openai('citations-alone')(
    { content: 'Yes [1].' },
    [chunk({ delta: { content: 'Yes [1].' } }, { citations: PAGES }), ends('stop', { usage: USAGE, citations: PAGES })],
    said('Yes [1].', { sources: PAGES }),
    { citations: PAGES },
  ),
  openai('report-of-failure')({}, [{ base_resp: { status_code: 1013, status_msg: 'x' } }], 'failure', {
    choices: null,
    usage: null,
    base_resp: { status_code: 1013, status_msg: 'x' },
  }),
  openai('error-amid-the-stream')(
    {},
    [text('Half'), chunk({ finish_reason: 'error' }, { error: { code: 502, message: 'x' } })],
    'failure',
    { choices: undefined, error: { code: 502, message: 'x' } },
  ),
];

const SAFE = { hate: { filtered: false, severity: 'safe' } };
const FILTERED = { hate: { filtered: true, severity: 'high' } };
const PROMPT = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }] };

export const OF_AZURE: readonly NativeAnswer[] = [
  {
    ...openai('findings')({ content: 'Yes.' }, [], said('Yes.'), {
      ...PROMPT,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Yes.' },
          finish_reason: 'stop',
          content_filter_results: SAFE,
        },
      ],
    }),
    protocol: 'azure',
    frames: [
      { choices: [], created: 0, id: '', model: '', object: '', ...PROMPT },
      chunk({ delta: { role: 'assistant', content: '' }, content_filter_results: {} }),
      chunk({ delta: { content: 'Yes.' }, content_filter_results: SAFE }),
      chunk({ finish_reason: 'stop', content_filter_results: {} }),
      chunk({}, { choices: [], usage: USAGE }),
    ],
  },
  {
    ...openai('no-message')({}, [], said('', { finish: 'content_filter' }), {
      ...PROMPT,
      choices: [{ index: 0, finish_reason: 'content_filter', content_filter_results: FILTERED }],
    }),
    protocol: 'azure',
    frames: [
      { choices: [], created: 0, id: '', model: '', object: '', ...PROMPT },
      chunk({ finish_reason: 'content_filter', content_filter_results: FILTERED }),
      chunk({}, { choices: [], usage: USAGE }),
    ],
  },
];
