// What reviewers let through arrives whole: also what only the upstream's own format has, such as what its own tools
// were given and returned. The texts in it are reviewed like others.

import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import type { AnswerText, OutputReview } from '../canonical/answer.ts';
import type { JsonObject } from '../canonical/json.ts';
import { zeroUsage } from '../canonical/usage.ts';
import { createMessageStreamDecoder } from '../upstreams/protocols/anthropic/decode-stream.ts';
import { toAnswer } from '../upstreams/protocols/anthropic/to-answer.ts';
import { createResponseStreamDecoder } from '../upstreams/protocols/openai-responses/decode-stream.ts';
import { toAnswer as toResponse } from '../upstreams/protocols/openai-responses/to-answer.ts';
import { chatDialect } from './chat/chat-dialect.ts';
import { mapAnswerPart } from './map-answer.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import { responsesDialect } from './responses/responses-dialect.ts';
import type { StreamPipe } from './stream-pipe.ts';

const redact = (text: string): string => text.replaceAll('heron', '[REDACTED]');
const partsOf = (texts: readonly AnswerText[]) => texts.flatMap(({ parts }) => parts);
const whole = (texts: readonly AnswerText[]) => ({ texts: partsOf(texts).map(redact), refusal: null });

/** Keeps all of a text back to its end, and takes too long for some. */
const windows = (slowFor: string | null) => () => {
  const kept: string[] = [];
  return {
    refusal: null,
    push(text: string): string {
      kept.push(text);
      return '';
    },
    end: () => redact(kept.splice(0).join('')),
    get isSlow() {
      return slowFor !== null && kept.join('').includes(slowFor);
    },
    rest: () => ({ sent: '', kept: kept.join('') }),
  };
};

const reviews: readonly (readonly [string, OutputReview])[] = [
  ['in a window', { whole, openWindow: windows(null) }],
  ['in a window until that takes too long', { whole, openWindow: windows('A heron') }],
  ['as a whole', { whole, openWindow: null }],
];

const messages = [{ role: 'user', content: 'Hi' }];
const request = messagesDialect.parse({ model: 'a/b', max_tokens: 9, messages });
const context = { id: 'gen-1', modelId: 'a/b', createdSeconds: 5, request };
const proofs = { encrypted_content: 'sealed', signature: 'signed', tool_changes: [] };
const summary = (content: string | null) => ({ type: 'compaction', content, ...proofs });

function streamOf(content: string | null): Buffer {
  const { encrypted_content, ...begun } = { ...summary(null), ...proofs };
  const events: JsonObject[] = [
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content, encrypted_content } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'compaction', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

async function eventsOf(pipe: StreamPipe, bytes: Buffer): Promise<readonly JsonObject[]> {
  const first = String(pipe.push(bytes)) + String(pipe.end());
  expect((await pipe.complete?.()) ?? null).toBeNull();
  const events: JsonObject[] = [];
  createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) }).feed(first + pipe.finale(zeroUsage, 0));
  return events;
}

/** The blocks as Anthropic's SDK puts them together. */
function blocksOf(events: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    const place = Number(index);
    const { type: kind, ...members } = (delta ?? {}) as JsonObject;
    if (type === 'content_block_start') blocks[place] = block as JsonObject;
    else if (kind === 'compaction_delta') blocks[place] = { ...blocks[place], ...members };
    else if (kind === 'text_delta') blocks[place] = { type: 'text', text: members.text };
    else if (kind === 'input_json_delta')
      blocks[place] = { ...blocks[place], input: JSON.parse(`${members.partial_json}`) };
    else if (kind === 'citations_delta') {
      const before = (blocks[place]?.citations ?? []) as JsonObject[];
      blocks[place] = { ...blocks[place], citations: [...before, members.citation] };
    }
  }
  return blocks;
}

describe.each(reviews)('a stream that is reviewed %s', (_title, review) => {
  test.each([
    ['a summary', 'They spoke of birds.', summary('They spoke of birds.')],
    ['a summary that is redacted', 'A heron.', { type: 'compaction', content: 'A [REDACTED].' }],
    ['a summary that failed', null, summary(null)],
  ])('keeps %s', async (_name, content, expected) => {
    const source = {
      format: 'messages',
      readUsage: () => null,
      createStreamDecoder: createMessageStreamDecoder,
    } as const;
    const pipe = messagesDialect.openPipe?.(source, { ...context, review });
    const events = await eventsOf(pipe as StreamPipe, streamOf(content));
    expect(blocksOf(events)).toEqual([expected, { type: 'text', text: 'Hello' }]);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'compaction' } });
  });
});

test.each([
  ['as it came', (text: string) => text, summary('A heron.')],
  ['without its proofs where its text was changed', redact, { type: 'compaction', content: 'A [REDACTED].' }],
])('a whole answer that is written anew has a summary %s', (_title, change, expected) => {
  expect(writtenAnew({ content: [summary('A heron.')], stop_reason: 'compaction' }, change)).toMatchObject({
    content: [expected],
    stop_reason: 'compaction',
  });
});

function writtenAnew(message: JsonObject, change: (text: string) => string): JsonObject {
  const answer = toAnswer(message);
  const parts = answer.parts.map((part) => mapAnswerPart(part, change));
  const bill = { usage: zeroUsage, costUsd: 0 };
  return JSON.parse(messagesDialect.renderAnswer({ ...answer, parts }, context, bill));
}

const use = (type: string, name: string, input: JsonObject, more: JsonObject = {}) => ({
  ...{ type, id: 'srvtoolu_1', name, input },
  ...more,
});
const result = (type: string, content: unknown) => ({ type, tool_use_id: 'srvtoolu_1', content });
const found = (title: string) => ({
  ...{
    type: 'web_search_result',
    title,
    url: 'https://birds.test/heron',
    page_age: '1 day',
    encrypted_content: 'heron',
  },
});
const page = { type: 'text', media_type: 'text/plain', data: 'Of a heron.' };
const noted = Buffer.from('Of a heron.').toString('base64');
const unnoted = Buffer.from('Of a [REDACTED].').toString('base64');
const cited = (cited_text: string) => ({
  ...{ type: 'web_search_result_location', url: 'https://birds.test/heron', title: 'Birds', cited_text },
  encrypted_index: 'heron',
});
const quoted = (cited_text: string, document_title: string) => ({
  ...{ type: 'char_location', document_index: 0, document_title, cited_text, file_id: null },
  ...{ start_char_index: 3, end_char_index: 8 },
});

/** Each with what is left of it where the word must not be said. */
const blocks: readonly (readonly [JsonObject, JsonObject])[] = [
  [
    use('server_tool_use', 'web_search', { query: 'heron' }),
    use('server_tool_use', 'web_search', { query: '[REDACTED]' }),
  ],
  [
    result('web_search_tool_result', [found('A heron'), found('An owl')]),
    result('web_search_tool_result', [found('A [REDACTED]'), found('An owl')]),
  ],
  [
    result('web_search_tool_result', { type: 'web_search_tool_result_error', error_code: 'unavailable' }),
    result('web_search_tool_result', { type: 'web_search_tool_result_error', error_code: 'unavailable' }),
  ],
  [
    result('web_fetch_tool_result', { type: 'web_fetch_result', content: { type: 'document', source: page } }),
    result('web_fetch_tool_result', {
      type: 'web_fetch_result',
      content: { type: 'document', source: { ...page, data: 'Of a [REDACTED].' } },
    }),
  ],
  [
    result('web_fetch_tool_result', {
      content: { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: noted } },
    }),
    result('web_fetch_tool_result', {
      content: { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: unnoted } },
    }),
  ],
  ...['code_execution', 'bash_code_execution'].map((kind): readonly [JsonObject, JsonObject] => [
    result(`${kind}_tool_result`, {
      type: `${kind}_result`,
      stdout: 'heron\n',
      stderr: 'heron',
      return_code: 0,
      content: [],
    }),
    result(`${kind}_tool_result`, {
      ...{ type: `${kind}_result`, stdout: '[REDACTED]\n', stderr: '[REDACTED]', return_code: 0, content: [] },
    }),
  ]),
  [
    result('text_editor_code_execution_tool_result', { lines: ['a heron'], file_type: 'text' }),
    result('text_editor_code_execution_tool_result', { lines: ['a [REDACTED]'], file_type: 'text' }),
  ],
  [
    use('mcp_tool_use', 'echo', { n: [1.5, { say: 'heron' }] }, { server_name: 'birds' }),
    use('mcp_tool_use', 'echo', { n: [1.5, { say: '[REDACTED]' }] }, { server_name: 'birds' }),
  ],
  [
    { ...result('mcp_tool_result', [{ type: 'text', text: 'A heron.' }]), is_error: false },
    { ...result('mcp_tool_result', [{ type: 'text', text: 'A [REDACTED].' }]), is_error: false },
  ],
  [
    { type: 'text', text: 'A heron.', citations: [cited('a heron'), quoted('heron', 'Of herons')] },
    { type: 'text', text: 'A [REDACTED].', citations: [cited('a [REDACTED]'), quoted('[REDACTED]', 'Of [REDACTED]s')] },
  ],
  [
    { type: 'of tomorrow', words: 'heron' },
    { type: 'of tomorrow', words: '[REDACTED]' },
  ],
];

/** As Anthropic sends blocks: inputs and citations in pieces, results at once. */
function eventsOfBlock(block: JsonObject, index: number): JsonObject[] {
  const { input, citations, text, ...rest } = block;
  const delta = (members: JsonObject) => ({ type: 'content_block_delta', index, delta: members });
  const written = JSON.stringify(input ?? null);
  return [
    {
      type: 'content_block_start',
      index,
      content_block: {
        ...rest,
        ...(input === undefined ? {} : { input: {} }),
        ...(text === undefined ? {} : { text: '' }),
      },
    },
    ...(input === undefined
      ? []
      : [written.slice(0, 9), written.slice(9)].map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        )),
    ...((citations ?? []) as JsonObject[]).map((citation) => delta({ type: 'citations_delta', citation })),
    ...(text === undefined ? [] : [delta({ type: 'text_delta', text })]),
    { type: 'content_block_stop', index },
  ];
}

function messageStream(content: readonly JsonObject[], stop_reason: string): Buffer {
  const events: JsonObject[] = [
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } },
    ...content.flatMap(eventsOfBlock),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  return framed(events);
}

const framed = (events: readonly JsonObject[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));

const anthropic = {
  format: 'messages',
  readUsage: () => null,
  createStreamDecoder: createMessageStreamDecoder,
} as const;
const QUICK = { isSlow: false, rest: () => ({ sent: '', kept: '' }) };
const calm: OutputReview['whole'] = (texts) => ({ texts: partsOf(texts), refusal: null });
const openCalmWindow = () => ({ refusal: null, push: (text: string) => text, end: () => '', ...QUICK });
const letsPass: readonly (readonly [string, OutputReview])[] = [
  ['in a window', { whole: calm, openWindow: openCalmWindow }],
  ['as a whole', { whole: calm, openWindow: null }],
];

describe('blocks of the upstream, and a turn that it has paused', () => {
  const sent = blocks.map(([block]) => block);

  test.each(letsPass)('arrive as they came in a stream that is reviewed %s', async (_title, review) => {
    const pipe = messagesDialect.openPipe?.(anthropic, { ...context, review });
    const events = await eventsOf(pipe as StreamPipe, messageStream(sent, 'pause_turn'));
    expect(blocksOf(events)).toEqual(sent);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'pause_turn' } });
  });

  test.each(reviews)('are redacted in a stream that is reviewed %s', async (_title, review) => {
    const pipe = messagesDialect.openPipe?.(anthropic, { ...context, review });
    const events = await eventsOf(pipe as StreamPipe, messageStream(sent, 'pause_turn'));
    expect(blocksOf(events)).toEqual(blocks.map(([, left]) => left));
  });

  test('arrive as they came in a whole answer that is written anew, or redacted', () => {
    const message = { content: sent, stop_reason: 'pause_turn' };
    expect(writtenAnew(message, (text) => text)).toMatchObject(message);
    expect(writtenAnew(message, redact).content).toEqual(blocks.map(([, left]) => left));
  });

  test.each(blocks.map(([block]) => [String(block.type), block] as const))(
    'end a stream where %s has what must not be said',
    (_type, block) => {
      const openWindow = () => {
        const window = { refusal: null as string | null, push: (text: string) => text, end: () => '', ...QUICK };
        window.push = (text) => {
          if (text.includes('heron')) window.refusal = 'Not a heron.';
          return window.refusal === null ? text : '';
        };
        return window;
      };
      const pipe = messagesDialect.openPipe?.(anthropic, { ...context, review: { whole, openWindow } }) as StreamPipe;
      const shown = String(pipe.push(messageStream([block], 'end_turn')));
      const isSaid = JSON.stringify(block).includes('unavailable') === false;
      expect(pipe.fault?.detail ?? null).toBe(isSaid ? 'Not a heron.' : null);
      if (isSaid) expect(shown).not.toContain('heron');
    },
  );

  test('are neither shown to clients of another format nor reviewed for them', async () => {
    const seen: string[] = [];
    const note = (texts: readonly AnswerText[]) => {
      seen.push(...partsOf(texts));
      return { texts: partsOf(texts), refusal: null };
    };
    const body = { model: 'a/b', messages };
    const review = { whole: note, openWindow: null };
    const told = { ...context, request: chatDialect.parse(body), review };
    const pipe = chatDialect.openPipe?.(anthropic, told) as StreamPipe;
    pipe.push(messageStream([...sent.slice(0, 10), { type: 'text', text: 'An owl.' }], 'pause_turn'));
    pipe.end();
    await pipe.complete?.();
    expect(seen).toEqual(['An owl.']);
  });

  test('count as much as without a review', () => {
    const bytes = messageStream(sent, 'pause_turn');
    const counts = [...letsPass.map(([, review]) => review), null].map((review) => {
      const pipe = messagesDialect.openPipe?.(anthropic, { ...context, review }) as StreamPipe;
      pipe.push(bytes);
      return pipe.contentBytes;
    });
    // Bytes are escaped, and citations have frames, where the stream is passed on.
    expect(counts[0]).toBe(counts[1]);
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[0]).toBeLessThanOrEqual(counts[2] ?? 0);
  });
});

describe('a function of a namespace', () => {
  const call = (namespace: JsonObject) => ({
    ...{
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'c',
      name: 'sleep',
      arguments: '{"why":"heron"}',
    },
    ...namespace,
  });
  const item = call({ namespace: 'clock' });
  const custom = {
    id: 'ctc_1',
    type: 'custom_tool_call',
    call_id: 'd',
    name: 'say',
    namespace: 'mouth',
    input: 'heron',
  };
  const response = { status: 'completed', output: [item, custom, { ...call({}), call_id: 'e' }] };
  const asked = { ...context, request: responsesDialect.parse({ model: 'a/b', input: 'Hi' }) };
  const expected = [
    { type: 'function_call', call_id: 'c', name: 'sleep', namespace: 'clock', arguments: '{"why":"[REDACTED]"}' },
    { type: 'custom_tool_call', call_id: 'd', name: 'say', namespace: 'mouth', input: '[REDACTED]' },
    { type: 'function_call', call_id: 'e', name: 'sleep', arguments: '{"why":"[REDACTED]"}' },
  ];

  test('keeps it in a whole answer that is written anew', () => {
    const answer = toResponse(response);
    const parts = answer.parts.map((part) => mapAnswerPart(part, redact));
    const bill = { usage: zeroUsage, costUsd: 0 };
    const { output } = JSON.parse(responsesDialect.renderAnswer({ ...answer, parts }, asked, bill));
    expect(output).toMatchObject(expected);
    expect(output[2]).not.toHaveProperty('namespace');
  });

  test.each(reviews)('keeps it in a stream that is reviewed %s', async (_title, review) => {
    const events = response.output.flatMap((done, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...done, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item: done },
    ]);
    const bytes = framed([...events, { type: 'response.completed', response }]);
    const source = {
      format: 'responses',
      readUsage: () => null,
      createStreamDecoder: createResponseStreamDecoder,
    } as const;
    const pipe = responsesDialect.openPipe?.(source, { ...asked, review });
    const shown = await eventsOf(pipe as StreamPipe, bytes);
    const items = shown.filter(({ type }) => type === 'response.output_item.done').map(({ item: done }) => done);
    expect(items).toMatchObject(expected);
    expect(shown.filter(({ type }) => type === 'response.output_item.added')[0]?.item).toMatchObject({
      namespace: 'clock',
    });
  });
});
