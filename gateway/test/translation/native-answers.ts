// Answers in vendors' own formats, in the shapes that were seen on the wire, with invented content: each whole and in
// frames, and what a client must get from it.

import type { Json } from '../harness.ts';
import { type Expected, type NativeAnswer, said } from './answer-shape.ts';
import { OF_AZURE, OF_COPIES } from './chat-answers.ts';
import { OF_VERTEX } from './claude-answers.ts';
import { OF_HABITS } from './habit-answers.ts';
import { OF_RESPONSES } from './responses-answers.ts';

const gemini = (
  name: string,
  pieces: readonly Json[],
  expected: NativeAnswer['expected'],
  more: Json = {},
): NativeAnswer => {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 };
  const parts = pieces.flatMap((piece) => ((piece.content as Json | undefined)?.parts as Json[] | undefined) ?? []);
  const last = pieces.at(-1) ?? {};
  const rest = { usageMetadata, modelVersion: 'gemini-3-pro', responseId: 'r1', ...more };
  return {
    name,
    protocol: 'gemini',
    whole: { candidates: [{ ...last, content: { role: 'model', parts } }], ...rest },
    frames: pieces.map((candidate, index) => ({
      candidates: [{ index: 0, ...candidate }],
      ...(index === pieces.length - 1 ? rest : { responseId: 'r1' }),
    })),
    expected,
  };
};
const parts = (...list: readonly Json[]): Json => ({ content: { role: 'model', parts: list } });
const web = (...uris: readonly string[]): Json => ({
  groundingMetadata: { groundingChunks: uris.map((uri) => ({ web: { uri, title: 'A page' } })) },
});

const OF_GEMINI: readonly NativeAnswer[] = [
  gemini(
    'thinks-then-calls',
    [
      parts({ text: 'Which port?', thought: true }),
      parts({ text: '' }),
      {
        ...parts({ functionCall: { name: 'tide', args: { port: 'Brest' } }, thoughtSignature: 'c2ln' }),
        finishReason: 'STOP',
      },
    ],
    said('', { reasoning: 'Which port?', calls: [['tide', { port: 'Brest' }]], finish: 'tool_calls' }),
  ),
  gemini(
    'grounded',
    [parts({ text: 'High ' }), { ...parts({ text: 'tide.' }), ...web('https://a.example/1'), finishReason: 'STOP' }],
    said('High tide.', { sources: ['https://a.example/1'] }),
  ),
  gemini(
    'grounded-in-places',
    [
      parts({ text: 'Hm.', thought: true }),
      parts({ text: 'Hígh ' }),
      {
        ...parts({ text: 'tide.', thoughtSignature: 'c2ln' }),
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example/1' } }, { web: { uri: 'https://a.example/2' } }],
          groundingSupports: [
            { segment: { endIndex: 5, text: 'Hígh' }, groundingChunkIndices: [0] },
            { segment: { startIndex: 6, endIndex: 11, text: 'tide.' }, groundingChunkIndices: [0, 1] },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    said('Hígh tide.', {
      reasoning: 'Hm.',
      sources: ['https://a.example/1', 'https://a.example/1', 'https://a.example/2'],
      spans: ['Hígh', 'tide.', 'tide.'],
    }),
  ),
  gemini(
    'grounded-beyond-the-usual-plane',
    [
      parts({ text: '🌊🌊 Hígh ' }),
      { ...parts({ text: 'tide 🚢.' }), finishReason: 'STOP' },
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example/1' } }],
          groundingSupports: [
            { segment: { startIndex: 15, endIndex: 25, text: 'tide 🚢.' }, groundingChunkIndices: [0] },
          ],
        },
      },
    ],
    said('🌊🌊 Hígh tide 🚢.', { sources: ['https://a.example/1'], spans: ['tide 🚢.'] }),
  ),
  gemini(
    'recited',
    [
      parts({ text: 'Ébb and ' }),
      {
        ...parts({ text: 'flow.' }),
        citationMetadata: {
          citationSources: [
            { uri: 'https://a.example/1', startIndex: 9, endIndex: 13 },
            { uri: 'https://a.example/1', startIndex: 9, endIndex: 13 },
            { uri: 'https://a.example/2' },
            {},
          ],
        },
        finishReason: 'STOP',
      },
    ],
    said('Ébb and flow.', {
      sources: ['https://a.example/1', 'https://a.example/2'],
      spans: ['flow', 'Ébb and flow.'],
    }),
  ),
  gemini(
    'found-document',
    [
      {
        ...parts({ text: 'Low.' }),
        groundingMetadata: { groundingChunks: [{ retrievedContext: { uri: 'https://d.example/7', title: 'D' } }] },
        finishReason: 'STOP',
      },
    ],
    said('Low.', { sources: ['https://d.example/7'] }),
  ),
  gemini(
    'code-that-was-run',
    [
      parts({ executableCode: { language: 'PYTHON', code: 'print(2)' } }),
      parts({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } }),
      { ...parts({ text: 'Two.' }), finishReason: 'STOP' },
    ],
    said('Two.'),
  ),
  ...['RECITATION', 'LANGUAGE', 'PROHIBITED_CONTENT', 'SPII', 'BLOCKLIST', 'SAFETY', 'IMAGE_SAFETY'].map(
    (finishReason) =>
      gemini(
        `ends-in-${finishReason.toLowerCase()}`,
        [parts({ text: 'Half' }), { finishReason }],
        said('Half', { finish: 'content_filter' }),
      ),
  ),
  gemini(
    'ends-at-its-limit',
    [{ ...parts({ text: 'Half' }), finishReason: 'MAX_TOKENS' }],
    said('Half', { finish: 'length' }),
  ),
  gemini('error-in-an-answer', [], 'failure', {
    candidates: undefined,
    usageMetadata: undefined,
    error: { code: 503 },
  }),
];

const converse =
  (name: string) =>
  (
    content: readonly Json[],
    events: readonly Json[],
    expected: NativeAnswer['expected'],
    stopReason = 'end_turn',
  ): NativeAnswer => {
    const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 };
    return {
      name,
      protocol: 'bedrock',
      whole: { output: { message: { role: 'assistant', content } }, stopReason, usage, metrics: { latencyMs: 5 } },
      frames: [
        { messageStart: { role: 'assistant', p: 'abc' } },
        ...events,
        { messageStop: { stopReason } },
        { metadata: { usage } },
      ],
      expected,
    };
  };
const block = (contentBlockIndex: number, ...deltas: readonly Json[]): readonly Json[] => [
  ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
  { contentBlockStop: { contentBlockIndex } },
];
const page = { title: 'A page', location: { web: { url: 'https://w.example/1', domain: 'w.example' } } };
const other = { location: { web: { url: 'https://w.example/2', domain: 'w.example' } } };

const OF_BEDROCK: readonly NativeAnswer[] = [
  converse('signed-thinking')(
    [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } }, { text: 'Yes.' }],
    [
      ...block(0, { reasoningContent: { text: 'Hm.' } }, { reasoningContent: { signature: 'c2ln' } }),
      ...block(1, { text: 'Yes.' }),
    ],
    said('Yes.', { reasoning: 'Hm.' }),
  ),
  converse('events-and-blocks-of-tomorrow')(
    [{ weather: { sky: 'clear' } }, { text: 'Yes.' }],
    [
      { weatherReport: { sky: 'clear' } },
      ...block(0, { weather: { sky: 'clear' } }),
      ...block(1, { text: 'Yes.' }),
      { weatherReport: {} },
    ],
    said('Yes.'),
  ),
  converse('call-without-arguments')(
    [{ toolUse: { toolUseId: 't1', name: 'tide', input: {} } }],
    [
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't1', name: 'tide' } } } },
      ...block(0, { toolUse: { input: '' } }),
    ],
    said('', { calls: [['tide', {}]], finish: 'tool_calls' }),
    'tool_use',
  ),
  converse('cited-page')(
    [{ citationsContent: { content: [{ text: 'High.' }], citations: [page] } }],
    block(0, { text: 'High.' }, { citation: page }),
    said('High.', { sources: ['https://w.example/1'] }),
  ),
  converse('cited-before-its-words')(
    [{ citationsContent: { content: [{ text: 'Low.' }], citations: [page] } }],
    block(0, { citation: page }, { text: 'Lo' }, { text: 'w.' }),
    said('Low.', { sources: ['https://w.example/1'] }),
  ),
  converse('cited-behind-its-words')(
    [
      { toolUse: { toolUseId: 't1', name: 'nova_grounding', input: { query: 'x' }, type: 'server_tool_use' } },
      { toolResult: { toolUseId: 't1', content: [{ text: '[HIDDEN]' }], type: 'nova_grounding_result' } },
      { text: 'High' },
      { citationsContent: { citations: [page] } },
      { citationsContent: { citations: [other] } },
      { text: '.' },
    ],
    [
      {
        contentBlockStart: {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: 't1', name: 'nova_grounding', type: 'server_tool_use' } },
        },
      },
      ...block(0, { toolUse: { input: '{"query":"x"}' } }),
      { contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: 't1', status: 'success' } } } },
      ...block(1, { toolResult: [{ text: '[HIDDEN]' }] }),
      ...block(2, { text: 'High' }),
      ...block(3, { citation: page }),
      ...block(4, { citation: other }),
      ...block(5, { text: '.' }),
    ],
    said('High.', { sources: ['https://w.example/1', 'https://w.example/2'], spans: ['High', 'High'] }),
  ),
  converse('guarded')(
    [{ text: 'No.' }],
    block(0, { text: 'No.' }),
    said('No.', { finish: 'content_filter' }),
    'guardrail_intervened',
  ),
  {
    ...converse('throttled')([], [], 'failure'),
    whole: { message: 'x' },
    frames: [{ throttlingException: { message: 'x' } }],
  },
];

const cohere =
  (name: string) =>
  (message: Json, events: readonly Json[], expected: Expected, word = 'COMPLETE'): NativeAnswer => {
    const usage = {
      billed_units: { input_tokens: 10, output_tokens: 4 },
      tokens: { input_tokens: 99, output_tokens: 4 },
    };
    const end = { type: 'message-end', delta: { finish_reason: word, usage } };
    return {
      ...{ name, protocol: 'cohere', expected },
      whole: { id: 'c1', message: { role: 'assistant', ...message }, finish_reason: word, usage },
      frames: [{ type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } }, ...events, end],
    };
  };
const piece = (type: string, message: Json, index = 0): Json => ({ type, index, delta: { message } });

const FOUND = { type: 'tool', id: 'k1:0', tool_output: { url: 'https://c.example/1', title: 'C', text: 'Yes.' } };

const OF_COHERE: readonly NativeAnswer[] = [
  cohere('plan-and-call')(
    {
      tool_plan: 'I will ask.',
      tool_calls: [{ id: 'k1', type: 'function', function: { name: 'tide', arguments: '' } }],
    },
    [
      piece('tool-plan-delta', { tool_plan: 'I will ' }),
      piece('tool-plan-delta', { tool_plan: 'ask.' }),
      piece('tool-call-start', {
        tool_calls: { id: 'k1', type: 'function', function: { name: 'tide', arguments: '' } },
      }),
      { type: 'tool-call-end', index: 0 },
    ],
    said('', { reasoning: 'I will ask.', calls: [['tide', {}]], finish: 'tool_calls' }),
    'TOOL_CALL',
  ),
  cohere('cited-beyond-the-usual-plane')(
    {
      content: [{ type: 'text', text: '🌊 Yes.' }],
      citations: [{ start: 2, end: 5, text: 'Yes', sources: [FOUND] }],
    },
    [
      piece('content-start', { content: { type: 'text', text: '' } }),
      piece('content-delta', { content: { text: '🌊 Yes.' } }),
      piece('citation-start', { citations: { start: 2, end: 5, text: 'Yes', sources: [FOUND] } }),
      { type: 'content-end', index: 0 },
    ],
    said('🌊 Yes.', { sources: ['https://c.example/1'], spans: ['Yes'] }),
  ),
  cohere('thinking-and-citation-events')(
    {
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ],
      citations: [{ start: 0, end: 3, text: 'Yes', sources: [FOUND] }],
    },
    [
      piece('content-start', { content: { type: 'thinking', thinking: '' } }),
      piece('content-delta', { content: { thinking: 'Hm.' } }),
      { type: 'content-end', index: 0 },
      piece('content-start', { content: { type: 'text', text: '' } }, 1),
      piece('content-delta', { content: { text: 'Yes.' } }, 1),
      piece('citation-start', { citations: { start: 0, end: 3, text: 'Yes', sources: [FOUND] } }, 1),
      { type: 'citation-end', index: 0 },
      { type: 'content-end', index: 1 },
    ],
    said('Yes.', { reasoning: 'Hm.', sources: ['https://c.example/1'] }),
  ),
];

export const ANSWERS: readonly NativeAnswer[] = [
  ...OF_GEMINI,
  ...OF_BEDROCK,
  ...OF_COHERE,
  ...OF_COPIES,
  ...OF_HABITS,
  ...OF_AZURE,
  ...OF_RESPONSES,
  ...OF_VERTEX,
];
