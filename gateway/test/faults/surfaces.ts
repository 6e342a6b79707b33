// The surfaces that a call can come in by, with a request for each, and how to read the result: a status, a code, and
// how a stream ended.

import { makePng } from '@tollgate/simulator';
import { recording } from '../audio/audio-harness.ts';
import type { Json } from '../harness.ts';
import type { Outcome } from './faults.ts';
import { KINDS, type Kind } from './upstreams.ts';

export type Surface = Readonly<{
  name: string;
  path: string;
  isStream: boolean;
  kinds: readonly Kind[];
  headers?: Readonly<Record<string, string>>;
  /** Answered later: the client asks for the result. Failures that may pass are tried several times. */
  later?: 'job' | 'batch';
  /** Laid over a model of conversations. */
  entry?: Json;
  body(model: string): string | FormData;
  /**
   * The upstream is asked for a whole answer although the client gets events, or for a stream although the client gets
   * a file.
   */
  asks?: 'whole' | 'file';
  /** Priced by what is made or said, not by the upstream's counts. */
  isPricedByPiece?: true;
  /** By the simulator's commands: where this surface differs, with the reason beside it. */
  otherwise?: Readonly<Record<string, Outcome>>;
  /** The code for an answer that makes no sense. */
  senseless?: string;
  /** Commands without effect on this surface, because it counts in other units. */
  without?: RegExp;
  /** Counts of tokens would change what it is priced by. */
  isUncounted?: true;
  /** What the healthy answer costs, in nano-USD. */
  priceNanoUsd: bigint;
  /** How a stream says that it is complete, and how that it has failed. */
  finished?: RegExp;
  failed?: RegExp;
}>;

const HELLO = [{ role: 'user', content: 'Say hello.' }];
const OPENAI: readonly Kind[] = ['chat'];
/** A hundred tokens at 1 USD and twenty at 2 USD per million. */
export const CONVERSATION_NANO_USD = 140_000n;
export const INPUT_NANO_USD = 100_000n;
const PICTURE_NANO_USD = 40_000_000n;

const json = (body: Json) => (model: string) => JSON.stringify({ model, ...body });

function form(fields: Json, file: readonly [string, Buffer, string, string]) {
  return (model: string): FormData => {
    const data = new FormData();
    const [field, bytes, type, name] = file;
    data.set(field, new Blob([new Uint8Array(bytes)], { type }), name);
    for (const [key, value] of Object.entries({ model, ...fields })) data.set(key, String(value));
    return data;
  };
}

type Spoken = Readonly<{ path: string; body: Json; finished: RegExp; failed: RegExp }>;

const DIALECTS: Readonly<Record<string, Spoken>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: HELLO, max_tokens: 50 },
    finished: /"finish_reason":"stop".*data: \[DONE\]\n\n$/s,
    failed: /"error":\{.*data: \[DONE\]\n\n$/s,
  },
  cursor: {
    path: '/v1/cursor/chat/completions',
    body: { messages: HELLO, max_tokens: 50 },
    finished: /"finish_reason":"stop".*data: \[DONE\]\n\n$/s,
    failed: /"error":\{.*data: \[DONE\]\n\n$/s,
  },
  completions: {
    path: '/v1/completions',
    body: { prompt: 'Say hello.', max_tokens: 50 },
    finished: /"finish_reason":"stop".*data: \[DONE\]\n\n$/s,
    failed: /"error":\{.*data: \[DONE\]\n\n$/s,
  },
  responses: {
    path: '/v1/responses',
    body: { input: 'Say hello.', max_output_tokens: 50 },
    finished: /event: response\.completed\n/,
    failed: /event: (?:response\.failed|error)\n/,
  },
  messages: {
    path: '/v1/messages',
    body: { messages: HELLO, max_tokens: 50 },
    finished: /event: message_stop\n/,
    failed: /event: error\n/,
  },
};

const conversations: readonly Surface[] = Object.entries(DIALECTS).flatMap(([name, { path, body, ...ends }]) =>
  [false, true].map((isStream) => ({
    name: `${name} ${isStream ? 's' : 'n'}`,
    path,
    isStream,
    kinds: KINDS,
    body: json(isStream ? { ...body, stream: true } : body),
    priceNanoUsd: CONVERSATION_NANO_USD,
    ...ends,
  })),
);

const painting = { input_modalities: ['text', 'image'], output_modalities: ['image'], pricing: { image: '0.04' } };

/** A provider that takes no such input may have a sibling that does. */
const ASKED_ELSEWHERE: Readonly<Record<string, Outcome>> = {
  'status-400': { kind: 'unsupported', status: 400, code: 'unknown_4xx' },
  'status-422': { kind: 'unsupported', status: 400, code: 'unknown_4xx' },
};

const others: readonly Surface[] = [
  {
    name: 'embeddings',
    otherwise: ASKED_ELSEWHERE,
    path: '/v1/embeddings',
    isStream: false,
    kinds: OPENAI,
    entry: { output_modalities: ['embeddings'], pricing: { prompt: '1' } },
    body: json({ input: 'Hello there!' }),
    priceNanoUsd: INPUT_NANO_USD,
  },
  {
    name: 'images n',
    isPricedByPiece: true,
    senseless: 'pipeline_error',
    path: '/v1/images/generations',
    isStream: false,
    kinds: OPENAI,
    entry: painting,
    body: json({ prompt: 'A red square' }),
    priceNanoUsd: PICTURE_NANO_USD,
  },
  {
    name: 'images s',
    asks: 'whole',
    isPricedByPiece: true,
    senseless: 'pipeline_error',
    path: '/v1/images/generations',
    isStream: true,
    kinds: OPENAI,
    entry: painting,
    body: json({ prompt: 'A red square', stream: true }),
    priceNanoUsd: PICTURE_NANO_USD,
    finished: /event: done\n/,
    failed: /event: error\n/,
  },
  {
    name: 'edits',
    isPricedByPiece: true,
    senseless: 'pipeline_error',
    path: '/v1/images/edits',
    isStream: false,
    kinds: OPENAI,
    entry: painting,
    body: form({ prompt: 'Make it blue' }, ['image', makePng(7, '8x8', 0), 'image/png', 'a.png']),
    priceNanoUsd: PICTURE_NANO_USD,
  },
  {
    name: 'transcription',
    // A length may be a fraction, and one that nothing explains is charged as far as was held for it.
    otherwise: {
      'usage-fraction': { kind: 'served', pays: 'some' },
      'usage-absurd': { kind: 'served', pays: 'some' },
    },
    path: '/v1/audio/transcriptions',
    isStream: false,
    kinds: OPENAI,
    entry: {
      ...{ input_modalities: ['audio'], output_modalities: ['transcription'] },
      pricing: { audio_second: '0.0001' },
    },
    isUncounted: true,
    body: form({}, ['file', recording(), 'audio/wav', 'talk.wav']),
    priceNanoUsd: 100_000n,
  },
  {
    name: 'speech',
    // Bytes are passed on unchanged.
    otherwise: { 'cut-json': { kind: 'served', pays: 'all' } },
    asks: 'file',
    isPricedByPiece: true,
    path: '/v1/audio/speech',
    isStream: false,
    kinds: OPENAI,
    entry: { input_modalities: ['text'], output_modalities: ['speech'], pricing: { character: '0.000015' } },
    body: json({ input: 'Hello there', voice: 'alloy' }),
    priceNanoUsd: 165_000n,
  },
];

/** Operations that several protocols have, at a price that no count changes. */
const operations: readonly Omit<Surface, 'isStream'>[] = [
  {
    name: 'vectors',
    path: '/v1/embeddings',
    kinds: ['azure', 'gemini', 'vertex', 'cohere'],
    entry: { output_modalities: ['embeddings'], pricing: { prompt: '0', request: '0.0001' } },
    body: json({ input: 'Hello there!' }),
    priceNanoUsd: 100_000n,
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    kinds: ['chat', 'cohere'],
    entry: { output_modalities: ['rerank'], pricing: { search: '0.0001' } },
    body: json({ query: 'tides', documents: ['The tide is high.', 'The moon is full.'] }),
    priceNanoUsd: 100_000n,
  },
  {
    name: 'moderations',
    path: '/v1/moderations',
    kinds: OPENAI,
    otherwise: ASKED_ELSEWHERE,
    entry: { output_modalities: ['moderation'], pricing: { request: '0.0001' } },
    body: json({ input: 'Say hello.' }),
    priceNanoUsd: 100_000n,
  },
];

/** A conversation through another surface than the plain one, with the same outcome. */
const ways: readonly Surface[] = conversations
  .filter(({ name }) => name.startsWith('chat '))
  .flatMap((surface): readonly Surface[] => {
    const { isStream } = surface;
    const kept: readonly Surface[] = [
      { ...surface, name: isStream ? 'cached s' : 'cached n', headers: { 'X-Tollgate-Cache': 'ttl=300' } },
      { ...surface, name: isStream ? 'repeated s' : 'repeated n', headers: { 'Idempotency-Key': 'once' } },
    ];
    const later = { ...surface, name: 'job', headers: { Prefer: 'respond-async' }, later: 'job' as const };
    return isStream ? kept : [...kept, later, { ...surface, name: 'batch', later: 'batch' }];
  })
  .map((surface) => ({ ...surface, kinds: OPENAI }));

const COUNTED_OTHERWISE = /^(?:usage|finish|tokens)/;

export const SURFACES: readonly Surface[] = [
  ...conversations,
  ...ways,
  ...others,
  ...operations.map((surface) => ({ ...surface, isStream: false, without: COUNTED_OTHERWISE })),
];

export type Seen = Readonly<{
  status: number;
  code: unknown;
  ending: 'whole' | 'finished' | 'failed' | 'cut' | 'none';
}>;

/** The client's own account of an answer. */
export function readAnswer(surface: Surface, status: number, text: string, isCut: boolean): Seen {
  if (isCut) return { status, code: undefined, ending: 'cut' };
  if (status !== 200) return { status, code: codeIn(text), ending: 'whole' };
  if (!surface.isStream) return { status, code: undefined, ending: 'whole' };
  if (surface.failed?.test(text)) return { status, code: undefined, ending: 'failed' };
  return { status, code: undefined, ending: surface.finished?.test(text) ? 'finished' : 'cut' };
}

function codeIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown } }).error?.code;
  } catch {
    return `no JSON: ${text.slice(0, 60)}`;
  }
}
