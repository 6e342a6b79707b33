// An error beside an answer: whole answers and streams agree on whether the answer counts, and so on whether it is
// charged, in every protocol; and an error that says nothing is none.

import { describe, expect, test } from 'vitest';
import { binaryEvent } from '../../test/binary-event.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { StreamDecoder } from '../canonical/stream-part.ts';
import type { DecodedJson } from './conversation-codec.ts';
import type { Codec } from './protocol.ts';
import { decodeMessage } from './protocols/anthropic/decode-response.ts';
import { createMessageStreamDecoder } from './protocols/anthropic/decode-stream.ts';
import { decodeAnswer as decodeConverse } from './protocols/bedrock/decode-response.ts';
import { createConverseStreamDecoder } from './protocols/bedrock/decode-stream.ts';
import { decodeAnswer as decodeCohere } from './protocols/cohere/decode-response.ts';
import { createCohereStreamDecoder } from './protocols/cohere/decode-stream.ts';
import { decodeAnswer as decodeGemini } from './protocols/gemini/decode-response.ts';
import { createGeminiStreamDecoder } from './protocols/gemini/decode-stream.ts';
import { completionsCodec } from './protocols/openai/completions-codec.ts';
import { decodeChatResponse } from './protocols/openai/decode-response.ts';
import { createChatStreamDecoder, createCompletionStreamDecoder } from './protocols/openai/decode-stream.ts';
import { embeddingsCodec } from './protocols/openai/embeddings-codec.ts';
import { imagesCodec } from './protocols/openai/images-codec.ts';
import { moderationCodec } from './protocols/openai/moderation-codec.ts';
import { rerankCodec } from './protocols/openai/rerank-codec.ts';
import { transcriptionCodec } from './protocols/openai/transcription-codec.ts';
import { videoCodec } from './protocols/openai/video-codec.ts';
import { decodeResponse } from './protocols/openai-responses/decode-response.ts';
import { createResponseStreamDecoder } from './protocols/openai-responses/decode-stream.ts';

/** What an answer says, the upstream's word for its end, and the error beside that. */
type Said = Readonly<{ text: string; end: string | null; error: unknown }>;

type Protocol = Readonly<{
  /** Its word for an ordinary end. */
  end: string;
  /** It has a word for an end with an error, after which what was said is charged. */
  hasErrorEnd?: true;
  decode(body: Buffer): DecodedJson | { kind: string };
  open(): StreamDecoder;
  whole(said: Said): JsonObject;
  /** The error stands in the frame that would end the answer. */
  frames(said: Said): readonly (JsonObject | Buffer)[];
}>;

const completions = completionsCodec({ isStream: false } as Parameters<typeof completionsCodec>[0]);

const protocols: Readonly<Record<string, Protocol>> = {
  'chat completions': {
    end: 'stop',
    hasErrorEnd: true,
    decode: decodeChatResponse,
    open: createChatStreamDecoder,
    whole: ({ text, end, error }) => ({ choices: [{ message: { content: text }, finish_reason: end }], error }),
    frames: ({ text, end, error }) => [
      { choices: [{ index: 0, delta: { content: text }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: end }], error },
    ],
  },
  completions: {
    end: 'length',
    hasErrorEnd: true,
    decode: (body) => completions.decode?.({ headers: {}, body }, {} as never, {} as never) ?? { kind: 'none' },
    open: createCompletionStreamDecoder,
    whole: ({ text, end, error }) => ({ choices: [{ text, finish_reason: end }], error }),
    frames: ({ text, end, error }) => [{ choices: [{ text }] }, { choices: [{ text: '', finish_reason: end }], error }],
  },
  messages: {
    end: 'end_turn',
    decode: decodeMessage,
    open: createMessageStreamDecoder,
    whole: ({ text, end, error }) => ({ content: [{ type: 'text', text }], stop_reason: end, error }),
    frames: ({ text, end, error }) => [
      { type: 'message_start', message: { usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'message_delta', delta: { stop_reason: end }, error, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
  },
  responses: {
    end: 'completed',
    decode: decodeResponse,
    open: createResponseStreamDecoder,
    whole: ({ text, end, error }) => ({ output: messageOf(text), status: end ?? undefined, error }),
    frames: ({ text, end, error }) => [
      { type: 'response.output_text.delta', output_index: 0, delta: text },
      end === null
        ? { type: 'response.in_progress', error }
        : { type: 'response.completed', response: { output: [], status: end, error } },
    ],
  },
  gemini: {
    end: 'STOP',
    decode: decodeGemini,
    open: createGeminiStreamDecoder,
    whole: (said) => candidateOf(said),
    frames: (said) => [candidateOf({ ...said, end: null, error: null }), candidateOf({ ...said, text: '' })],
  },
  cohere: {
    end: 'COMPLETE',
    decode: decodeCohere,
    open: createCohereStreamDecoder,
    whole: ({ text, end, error }) => ({ message: { content: [{ type: 'text', text }] }, finish_reason: end, error }),
    frames: ({ text, end, error }) => [
      { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
      { type: 'message-end', delta: { finish_reason: end, error, usage: {} } },
    ],
  },
  converse: {
    end: 'end_turn',
    decode: decodeConverse,
    open: createConverseStreamDecoder,
    whole: ({ text, end, error }) => ({ output: { message: { content: [{ text }] } }, stopReason: end, error }),
    frames: ({ text, end, error }) => [
      binaryEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
      binaryEvent('messageStop', { stopReason: end, error }),
      binaryEvent('metadata', { usage: { inputTokens: 1, outputTokens: 1 } }),
    ],
  },
};

const messageOf = (text: string) => [{ type: 'message', id: 'm', content: [{ type: 'output_text', text }] }];

const candidateOf = ({ text, end, error }: Said): JsonObject => ({
  candidates: [{ content: { parts: [{ text }] }, finishReason: end }],
  error,
});

/** A list as a case by itself. */
const alone = (cases: readonly unknown[]) => cases.map((it) => [it]);

const bodyOf = (json: JsonObject): Buffer => Buffer.from(JSON.stringify(json));

const wholeOf = ({ decode, whole }: Protocol, said: Said) => decode(bodyOf(whole(said))).kind;

/** As `wholeOf` calls it. */
function streamedOf({ open, frames }: Protocol, said: Said): string {
  const bytes = frames(said).map((frame) =>
    Buffer.isBuffer(frame) ? frame : Buffer.from(`data: ${JSON.stringify(frame)}\n\n`),
  );
  const decoder = open();
  const types = [...bytes.flatMap((piece) => [...decoder.push(piece)]), ...decoder.end()].map(({ type }) => type);
  return types.includes('finish') && !types.includes('error') ? 'answer' : 'failure';
}

describe.each(Object.entries(protocols))('%s', (_, protocol) => {
  const { end } = protocol;
  const both = (said: Said) => [wholeOf(protocol, said), streamedOf(protocol, said)];

  test.each(alone([{ code: 500, message: 'sk-secret' }, { code: 429 }, { type: 'x' }, 'sk-secret', ['x'], 5, true]))(
    'BILL-01 STRM-08 an answer that has its words and its end counts, whatever error stands beside it: %j',
    (error) => {
      expect(both({ text: 'Hi', end, error })).toEqual(['answer', 'answer']);
    },
  );

  test.each(alone([{ code: 500, message: 'sk-secret' }, 'sk-secret', [{ code: 1 }]]))(
    'BILL-04 STRM-08 without a word, or without an end, it has failed: %j',
    (error) => {
      expect(both({ text: '', end, error })).toEqual(['failure', 'failure']);
      expect(both({ text: 'Hi', end: null, error })).toEqual(['failure', 'failure']);
    },
  );

  test('BILL-04 STRM-08 an error in place of the end has failed alone, and has said what it has said', () => {
    if (!protocol.hasErrorEnd) return;
    for (const error of [undefined, { code: 500 }]) {
      expect(wholeOf(protocol, { text: '', end: 'error', error })).toBe('failure');
      expect(wholeOf(protocol, { text: 'Hi', end: 'error', error })).toBe('answer');
    }
  });

  test.each(alone([null, false, '', 0, {}, [], { code: 0 }, { message: '', code: null, details: [{}] }]))(
    'STRM-08 an error that says nothing is none: %j',
    (error) => {
      expect(both({ text: 'Hi', end, error })).toEqual(['answer', 'answer']);
      expect(both({ text: '', end, error })).toEqual(both({ text: '', end, error: undefined }));
    },
  );
});

test('BILL-01 rankings, verdicts, recordings and orders of videos that are all there count, whatever error stands beside them', () => {
  const error = { code: 500, message: 'sk-secret' };
  const kindOf = (codec: Pick<Codec, 'decode'>, members: JsonObject, request: object = {}) =>
    codec.decode?.({ headers: {}, body: bodyOf({ ...members, error }) }, request as never, {} as never)?.kind;
  const ranked = (results: readonly object[]) =>
    kindOf(rerankCodec, { results }, { documents: ['a', 'b'], resultsMax: 2 });
  const place = (index: number) => ({ index, relevance_score: 0.5 });
  expect([ranked([place(1), place(0)]), ranked([place(1)]), ranked([])]).toEqual(['answer', 'failure', 'failure']);
  const judged = (results: readonly object[]) => kindOf(moderationCodec, { results }, { inputTexts: ['a'] });
  expect([judged([{ flagged: false, categories: {} }]), judged([])]).toEqual(['answer', 'failure']);
  const heard = (text: unknown) => kindOf(transcriptionCodec, { text }, { responseFormat: 'verbose_json' });
  const body = bodyOf({ text: 'Hi.', error });
  const said = transcriptionCodec.decode?.({ headers: {}, body }, { responseFormat: 'srt' } as never, {} as never);
  expect(said).toMatchObject({ answer: { json: { text: 'Hi.' } } });
  expect(JSON.stringify(said)).not.toContain('sk-secret');
  expect([heard('Good evening.'), heard(''), heard(undefined)]).toEqual(['answer', 'failure', 'failure']);
  const ordered = (status: string) => kindOf(videoCodec, { id: 'video_1', status });
  expect(['queued', 'completed', 'failed', 'lost'].map(ordered)).toEqual(['answer', 'answer', 'failure', 'failure']);
});

test('BILL-01 pictures and vectors that are all there count, whatever error stands beside them', () => {
  const error = { code: 500, message: 'sk-secret' };
  const pictures = (data: unknown) =>
    imagesCodec.decode?.({ headers: {}, body: bodyOf({ data, error }) }, { count: 2 } as never, {} as never)?.kind;
  const vectors = (data: unknown) =>
    embeddingsCodec.decode?.(
      { headers: {}, body: bodyOf({ data, error }) },
      { inputs: ['a', 'b'] } as never,
      {} as never,
    )?.kind;
  expect(pictures([{ b64_json: 'AAAA' }, { error }])).toBe('answer');
  expect([pictures([{ error }]), pictures([]), pictures(undefined)]).toEqual(['failure', 'failure', 'failure']);
  expect(vectors([{ embedding: [1] }, { embedding: [2] }])).toBe('answer');
  expect([vectors([{ embedding: [1] }]), vectors(undefined)]).toEqual(['failure', 'failure']);
});
