// Answers of those who speak Responses, with the events that some of them leave out.

import type { Json } from '../harness.ts';
import { type Expected, type NativeAnswer, said } from './answer-shape.ts';

const USAGE = { input_tokens: 10, output_tokens: 4, total_tokens: 14 };

const responses =
  (name: string) =>
  (output: readonly Json[], events: readonly Json[], expected: Expected): NativeAnswer => {
    const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null };
    const whole = { ...head, status: 'completed', output, usage: USAGE };
    const begun = { ...head, status: 'in_progress', output: [], usage: null };
    return {
      ...{ name, protocol: 'responses', expected, whole },
      frames: [
        { type: 'response.created', response: begun },
        ...events,
        { type: 'response.completed', response: whole },
      ].map((event, sequence_number) => ({ ...event, sequence_number })),
    };
  };

const page = (url: string, text: string, span: string): Json => {
  const start_index = text.indexOf(span);
  return { type: 'url_citation', url, title: 'P', start_index, end_index: start_index + span.length };
};
const words = (text: string, annotations: readonly Json[] = []): Json => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations, logprobs: [] }],
});
const CALL = {
  ...{ id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c1', name: 'tide' },
  arguments: '{"port":"Brest"}',
};
const THOUGHT = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };

/** As they are told from the first to the last event. */
function told(item: Json, output_index: number, ...deltas: readonly Json[]): readonly Json[] {
  const place = { output_index, item_id: item.id, content_index: 0 };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
    ...deltas.map((delta) => ({ ...place, ...delta })),
    { type: 'response.content_part.done', ...place, part: (item.content as Json[])[0] },
    { type: 'response.output_item.done', output_index, item },
  ];
}
const delta = (text: string): Json => ({ type: 'response.output_text.delta', delta: text });
const done = (item: Json, output_index?: number): Json => ({ type: 'response.output_item.done', output_index, item });

const HIGH = 'High 🌊 tide.';
const NEAR = page('https://r.example/1', HIGH, 'tide');
const SOURCED = said(HIGH, { sources: ['https://r.example/1'], spans: ['tide'] });

export const OF_RESPONSES: readonly NativeAnswer[] = [
  responses('sources-as-they-are-found')(
    [words(HIGH, [NEAR])],
    told(words(HIGH, [NEAR]), 0, delta('High 🌊 '), delta('tide.'), {
      type: 'response.output_text.annotation.added',
      annotation_index: 0,
      annotation: NEAR,
    }),
    SOURCED,
  ),
  responses('sources-with-the-whole-text')([words(HIGH, [NEAR])], told(words(HIGH, [NEAR]), 0, delta(HIGH)), SOURCED),
  ...[
    responses('items-told-only-when-whole')(
      [THOUGHT, words('Let me look.'), CALL],
      [done(THOUGHT, 0), done(words('Let me look.'), 1), done(CALL, 2)],
      said('Let me look.', { reasoning: 'Hm.', calls: [['tide', { port: 'Brest' }]], finish: 'tool_calls' }),
    ),
    responses('words-and-arguments-told-once')(
      [words('Let me look.'), CALL],
      [
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Let me look.' },
        { type: 'response.output_item.added', output_index: 1, item: { ...CALL, arguments: '' } },
        { type: 'response.function_call_arguments.done', output_index: 1, arguments: CALL.arguments },
        done({ ...CALL, arguments: '{}' }, 1),
      ],
      said('Let me look.', { calls: [['tide', { port: 'Brest' }]], finish: 'tool_calls' }),
    ),
    responses('items-without-a-number')(
      [words('Let me look.'), CALL],
      [done(words('Let me look.')), done(CALL)],
      said('Let me look.', { calls: [['tide', { port: 'Brest' }]], finish: 'tool_calls' }),
    ),
  ].map((answer) => ({ ...answer, unreadBy: 'responses' }) as const),
  responses('all-in-the-last-event')(
    [THOUGHT, words(HIGH, [NEAR])],
    [],
    said(HIGH, { reasoning: 'Hm.', sources: ['https://r.example/1'], spans: ['tide'] }),
  ),
];
