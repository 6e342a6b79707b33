// The answers of this API, whole and in pieces of any size: text, thinking, calls with their signatures, the reasons
// for ending, and counts that are used only when they are valid.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeAnswer, readAnswer } from './decode-response.ts';
import { createGeminiStreamDecoder } from './decode-stream.ts';

const STREAM = readFileSync(new URL('./__fixtures__/stream-thinking-calls.sse', import.meta.url));

function partsOf(bytes: Buffer, pieceLength: number): StreamPart[] {
  const decoder = createGeminiStreamDecoder();
  const parts: StreamPart[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength)
    parts.push(...decoder.push(bytes.subarray(at, at + pieceLength)));
  return [...parts, ...decoder.end()];
}

const frames = (...list: readonly JsonObject[]): Buffer =>
  Buffer.from(list.map((json) => `data: ${JSON.stringify(json)}\r\n\r\n`).join(''));

const signature = 'tollgate.gemini.c2lnbmVk+/==';

test.each([1, 7, 64, 100_000])('CHAT-38 TOOL-08 a stream in pieces of %i bytes', (length) => {
  expect(partsOf(STREAM, length)).toEqual([
    { type: 'reasoning-start' },
    { type: 'reasoning-delta', text: 'Which town is meant?' },
    { type: 'reasoning-end' },
    { type: 'text-start' },
    { type: 'text-delta', text: 'Let me ' },
    { type: 'text-delta', text: 'lööök.' },
    { type: 'text-end' },
    // The signature of the call, in place of thinking that was not shown.
    { type: 'reasoning-start' },
    { type: 'reasoning-end', signature },
    { type: 'tool-input-start', index: 0, id: 'call_Ab-3_x_0', name: 'tide' },
    { type: 'tool-input-delta', index: 0, text: '{"port":"Brest","id":12345678901234567890}' },
    { type: 'tool-input-end', index: 0 },
    { type: 'tool-input-start', index: 1, id: 'call_Ab-3_x_1', name: 'tide' },
    { type: 'tool-input-delta', index: 1, text: '{}' },
    { type: 'tool-input-end', index: 1 },
    { type: 'finish', reason: 'tool_calls', native: 'STOP', stopSequence: null },
    {
      type: 'usage',
      usage: {
        promptTokens: 41,
        completionTokens: 49,
        cachedTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 19,
        promptAudioTokens: 0,
        completionImageTokens: 0,
      },
    },
    { type: 'done' },
  ]);
});

test('STRM-07 a stream that breaks off has not finished, and is not done', () => {
  const types = partsOf(STREAM.subarray(0, STREAM.lastIndexOf('data: ')), 50).map(({ type }) => type);
  expect(types).not.toContain('finish');
  expect(types).not.toContain('usage');
  expect(types).not.toContain('done');
});

test('CHAT-38 sources that the words lean on come with them, whole and streamed', () => {
  const web = { uri: 'https://s.test/a', title: 'A' };
  const groundingMetadata = { groundingChunks: [{ web }, { retrievedContext: {} }, 7], webSearchQueries: ['a', 'b'] };
  const json = {
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP', groundingMetadata }],
    usageMetadata: { promptTokenCount: 3 },
    modelVersion: 'gemini-3-pro',
  };
  const citation = { url: web.uri, title: 'A', citedText: null, documentIndex: null, range: null };
  const parts = partsOf(frames(json), 20);
  expect(parts.slice(0, 3)).toEqual([
    { type: 'text-start' },
    { type: 'text-delta', text: 'Hi' },
    { type: 'citation', citation },
  ]);
  expect(readAnswer(json)).toMatchObject({
    parts: [{ text: 'Hi', citations: [citation] }],
    usage: { units: { webSearches: 2 } },
  });
});

test('CHAT-38 the sources of a very long text have no place in it, which would take too long to find', () => {
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: 'https://s.test/a', title: 'A' } }],
    groundingSupports: [{ segment: { endIndex: 1, text: 'x' }, groundingChunkIndices: [0] }],
  };
  const rangeOf = (length: number) => {
    const content = { parts: [{ text: 'x'.repeat(length) }] };
    const [part] = readAnswer({ candidates: [{ content, finishReason: 'STOP', groundingMetadata }] }).parts;
    return part?.type === 'text' ? part.citations?.map(({ range }) => range) : undefined;
  };
  expect(rangeOf(1_000)).toEqual([{ start: 0, end: 1 }]);
  expect(rangeOf(1_000_000)).toEqual([null]);
});

test('CHAT-38 a source belongs to the pieces of text that name it, counted in bytes, and a document needs no address', () => {
  const text = 'Ébb. Flöod.';
  const groundingMetadata = {
    groundingChunks: [
      { web: { uri: 'https://s.test/a', title: 'A' } },
      { retrievedContext: { title: 'tides.txt', text: 'The tide.', fileSearchStore: 'fileSearchStores/x' } },
      { web: { uri: 'https://s.test/c', title: 'C' } },
    ],
    groundingSupports: [
      { segment: { endIndex: 5, text: 'Ébb.' }, groundingChunkIndices: [0, 1] },
      { segment: { startIndex: 6, endIndex: 13, text: 'Flöod.' }, groundingChunkIndices: [0] },
      { segment: { startIndex: 6, endIndex: 9, text: 'something else' }, groundingChunkIndices: [2] },
      { segment: { startIndex: 6, endIndex: 900, text: 'x' }, groundingChunkIndices: [2] },
      { segment: 7, groundingChunkIndices: 'x' },
    ],
  };
  const a = { url: 'https://s.test/a', title: 'A', citedText: null, documentIndex: null };
  const citations = [
    { ...a, range: { start: 0, end: 4 } },
    { ...a, range: { start: 5, end: 11 } },
    { url: null, title: 'tides.txt', citedText: 'The tide.', documentIndex: 1, range: { start: 0, end: 4 } },
    { ...a, url: 'https://s.test/c', title: 'C', range: null },
  ];
  const end = { finishReason: 'STOP', groundingMetadata };
  const whole = { candidates: [{ content: { parts: [{ text }] }, ...end }] };
  expect(readAnswer(whole).parts).toEqual([{ type: 'text', text, citations }]);
  // What an earlier piece contained is not repeated.
  const pieces = [
    { candidates: [{ content: { parts: [{ text }] }, groundingMetadata }] },
    { candidates: [{ content: { parts: [{ text: '' }] }, ...end }] },
  ];
  const told = partsOf(frames(...pieces), 9).flatMap((part) => (part.type === 'citation' ? [part.citation] : []));
  expect(told).toEqual(citations);
});

test('CHAT-38 sources that grow with the frames, or come after the finish, are told once, by the last word', () => {
  const text = '🌊 Ebb.';
  const groundingChunks = [{ web: { uri: 'https://s.test/a', title: 'A' } }];
  const groundingSupports = [{ segment: { startIndex: 5, endIndex: 9, text: 'Ebb.' }, groundingChunkIndices: [0] }];
  const pieces = [
    { candidates: [{ content: { parts: [{ text }] }, groundingMetadata: { groundingChunks } }] },
    { candidates: [{ finishReason: 'STOP', groundingMetadata: { groundingChunks, groundingSupports } }] },
    // Citations without their text: the first one cuts a character, so only the source is given.
    {
      candidates: [
        {
          citationMetadata: {
            citationSources: [
              { uri: 'https://s.test/b', startIndex: 2, endIndex: 9 },
              { uri: 'https://s.test/c', endIndex: 8 },
            ],
          },
        },
      ],
    },
  ];
  const told = partsOf(frames(...pieces), 9).flatMap((part) => (part.type === 'citation' ? [part.citation] : []));
  const source = { title: null, citedText: null, documentIndex: null };
  expect(told).toEqual([
    { ...source, url: 'https://s.test/a', title: 'A', range: { start: 3, end: 7 } },
    { ...source, url: 'https://s.test/b', range: null },
    { ...source, url: 'https://s.test/c', range: { start: 0, end: 6 } },
  ]);
});

test('CHAT-22 a finish in every frame ends nothing, and calls that come after it are what it is about', () => {
  const frameOf = (part: JsonObject) => ({ candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] });
  const call = { functionCall: { name: 'tide', args: {} } };
  const streamed = partsOf(frames(frameOf({ text: 'Let me ' }), frameOf({ text: 'look.' }), frameOf(call)), 13);
  expect(streamed.filter(({ type }) => type === 'text-start')).toHaveLength(1);
  expect(streamed.filter(({ type }) => type === 'finish')).toMatchObject([
    { reason: 'stop' },
    { reason: 'stop', isUnsure: true },
    { reason: 'tool_calls', isUnsure: true },
  ]);
  expect(streamed.at(-1)).toEqual({ type: 'done' });
});

test('CHAT-38 the proof of thinking that was shown may come with the end of the text', () => {
  const parts = [
    { text: 'Hm.', thought: true },
    { text: 'Yes' },
    { text: '.' },
    { text: '', thoughtSignature: 'c2lnbmVk+/==' },
  ];
  const pieces = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
  const streamed = partsOf(frames(...pieces, { candidates: [{ finishReason: 'STOP' }] }), 11);
  expect(streamed.slice(3)).toEqual([
    { type: 'text-start' },
    { type: 'text-delta', text: 'Yes' },
    { type: 'text-delta', text: '.' },
    { type: 'finish', reason: 'stop', native: 'STOP', stopSequence: null },
    { type: 'text-end' },
    { type: 'reasoning-start' },
    { type: 'reasoning-end', signature },
    { type: 'done' },
  ]);
  const whole = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  expect(readAnswer(whole).parts).toMatchObject([{ text: 'Hm.' }, { text: 'Yes.' }, { type: 'reasoning', signature }]);
  const unseen = { candidates: [{ content: { parts: parts.slice(1) }, finishReason: 'STOP' }] };
  expect(readAnswer(unseen).parts).toMatchObject([{ type: 'text', text: 'Yes.' }]);
});

test.each([
  ['an error', { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }, 'upstream-error'],
  ['no answer at all', { hello: 'world' }, 'malformed'],
  ['a call without a name', { candidates: [{ content: { parts: [{ functionCall: { args: {} } }] } }] }, 'malformed'],
  ['parts that are none', { candidates: [{ content: { parts: [7] } }] }, 'malformed'],
])('STRM-07 a frame with %s ends the stream', (_, frame, kind) => {
  const parts = partsOf(frames(frame, { candidates: [{ content: { parts: [{ text: 'late' }] } }] }), 1_000);
  expect(parts).toHaveLength(1);
  expect(parts[0]).toMatchObject({ type: 'error', fault: { kind } });
});

describe('why it ended', () => {
  const reasonOf = (candidate: JsonObject, more: JsonObject = {}): string | null => {
    const decoded = decodeAnswer(Buffer.from(JSON.stringify({ candidates: [candidate], ...more })));
    return decoded.kind === 'answer' ? decoded.finishReason : decoded.failure.kind;
  };
  const said = { content: { parts: [{ text: 'x' }] } };

  test.each([
    ['STOP', 'stop'],
    [1, 'stop'],
    ['MAX_TOKENS', 'length'],
    [2, 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['A_WORD_OF_NEXT_YEAR', 'stop'],
  ])('CHAT-34 %s is %s', (word, reason) => {
    expect(reasonOf({ ...said, finishReason: word })).toBe(reason);
    // Blocked candidates have no content. One that failed without a word is no answer.
    expect(reasonOf({ finishReason: word })).toBe(reason === 'error' ? 'unavailable' : reason);
  });

  test('CHAT-34 a prompt that was blocked is an answer without words', () => {
    const body = {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 },
    };
    const decoded = decodeAnswer(Buffer.from(JSON.stringify(body)));
    expect(decoded).toMatchObject({ kind: 'answer', finishReason: 'content_filter', usage: { promptTokens: 8 } });
    expect(readAnswer(body)).toMatchObject({ parts: [], nativeFinishReason: 'SAFETY' });
    expect(partsOf(frames(body), 9)).toContainEqual(
      expect.objectContaining({ type: 'finish', reason: 'content_filter' }),
    );
  });
});

test.each([
  ['text', 'hello'],
  ['an empty object', '{}'],
  ['an error', '{"error":{"code":500,"message":"m"}}'],
  ['a candidate without content or reason', '{"candidates":[{}]}'],
])('ERR-10 %s is no answer', (_, body) => {
  expect(decodeAnswer(Buffer.from(body)).kind).toBe('failure');
});

describe('counts', () => {
  test('BILL-09 what the total has beyond its parts is output, too', () => {
    const usageOf = (record: JsonObject) => readUsage(record)?.completionTokens;
    expect(usageOf({ promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 40 })).toBe(30);
    expect(usageOf({ promptTokenCount: 10, totalTokenCount: 40 })).toBe(30);
    expect(usageOf({ promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 3 })).toBe(5);
    expect(usageOf({ totalTokenCount: 40 })).toBe(0);
    const picture = [{ modality: 'IMAGE', tokenCount: 30 }];
    const counts = { promptTokenCount: 10, thoughtsTokenCount: 5, candidatesTokensDetails: picture };
    expect(readUsage({ ...counts, totalTokenCount: 45 })?.completionImageTokens).toBe(30);
    expect(readUsage({ ...counts, totalTokenCount: 35 })?.completionImageTokens).toBe(20);
    expect(readUsage(counts)?.completionImageTokens).toBe(0);
  });

  test('BILL-09 thinking is output and what tools read is input', () => {
    const usage = readUsage({
      promptTokenCount: 100,
      toolUsePromptTokenCount: 40,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 300,
      cachedContentTokenCount: 64,
      totalTokenCount: 460,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 70 },
        { modality: 'AUDIO', tokenCount: 30 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 20 }],
    });
    expect(usage).toMatchObject({
      promptTokens: 140,
      completionTokens: 320,
      cachedTokens: 64,
      reasoningTokens: 300,
      promptAudioTokens: 30,
      completionImageTokens: 20,
    });
  });

  test.each([-1, 0.5, '7', 2 ** 53, Number.NaN, {}, true])(
    'BILL-11 a count of %s makes the record worthless',
    (count) => {
      for (const name of [
        'promptTokenCount',
        'candidatesTokenCount',
        'thoughtsTokenCount',
        'cachedContentTokenCount',
      ]) {
        expect(readUsage({ promptTokenCount: 5, candidatesTokenCount: 5, [name]: count })).toBeNull();
      }
    },
  );

  test('BILL-11 a part is never more than its whole', () => {
    expect(readUsage({ promptTokenCount: 5, cachedContentTokenCount: 900 })).toMatchObject({ cachedTokens: 5 });
  });
});

describe('refusals', () => {
  const refuse = (status: number, message: string, more: JsonObject = {}) =>
    decodeError(status, {}, Buffer.from(JSON.stringify({ error: { code: status, message, ...more } })));

  test.each([
    [429, 'Quota exceeded', 'rate_limited'],
    [401, 'Request had invalid authentication credentials.', 'auth_failed'],
    [403, 'Permission denied', 'auth_failed'],
    [403, 'You do not have permission to access the File abc or it may not exist.', 'rejected'],
    [403, 'The caller does not have permission', 'unsupported'],
    [400, 'API key not valid. Please pass a valid API key.', 'auth_failed'],
    [404, 'models/x is not found', 'model_missing'],
    [500, 'internal', 'unavailable'],
    [503, 'The model is overloaded.', 'unavailable'],
    [302, 'moved', 'malformed'],
  ])('ERR-56 ERR-57 ERR-58 %i "%s" is %s', (status, message, kind) => {
    expect(refuse(status, message).kind).toBe(kind);
  });

  test.each([
    ['The input token count (9) exceeds the maximum number of tokens allowed (8).', 'context_too_long'],
    ['The prompt was blocked by safety filters.', 'content_moderation'],
    ['max_output_tokens must be less than 65537', 'max_tokens_invalid'],
    ['Invalid value at generation_config.temperature', 'unknown_4xx'],
  ])('ERR-39 ERR-41 400 "%s" is %s, in our words', (message, code) => {
    const failure = refuse(400, message);
    expect(failure).toMatchObject({ kind: 'rejected', code });
    expect(failure.kind === 'rejected' && failure.publicMessage).not.toContain(message);
  });

  test('ERR-56 a refusal for missing permission is about the key where the request names nothing by its address', () => {
    const body = Buffer.from(JSON.stringify({ error: { code: 403, message: 'The caller does not have permission' } }));
    const source = { kind: 'url', url: 'https://video.example/private' };
    const asking = (part: JsonObject) =>
      ({ operation: 'chat', toConversation: () => ({ messages: [{ role: 'user', parts: [part] }] }) }) as never;
    expect(decodeError(403, {}, body, asking({ type: 'text', text: 'hi' }))).toMatchObject({
      kind: 'auth_failed',
      isOfModel: true,
    });
    expect(decodeError(403, {}, body, asking({ type: 'video', source })).kind).toBe('unsupported');
    const result = { type: 'tool-result', callId: 'c', isError: false, content: [{ type: 'image', source }] };
    expect(decodeError(403, {}, body, asking(result)).kind).toBe('unsupported');
  });

  test('ERR-56 ROUTE-12 a refusal that quotes the caller says nothing about the key', () => {
    const message = `Invalid value at 'safety_settings[0].category' (HarmCategory), "API key not valid"`;
    expect(refuse(400, message, { status: 'INVALID_ARGUMENT' }).kind).toBe('rejected');
    const details = [{ reason: 'API_KEY_INVALID' }];
    expect(refuse(400, 'No.', { details }).kind).toBe('auth_failed');
  });

  test('ERR-57 how long to wait is in the details', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '48.9s' }];
    expect(refuse(429, 'Quota exceeded', { details })).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 48 });
  });

  test('ERR-58 a refused stream answers with a list of one', () => {
    const body = Buffer.from('[{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]');
    expect(decodeError(403, {}, body)).toMatchObject({ kind: 'auth_failed', detail: '403 PERMISSION_DENIED' });
    expect(decodeError(502, {}, Buffer.from('<html>'))).toMatchObject({ kind: 'unavailable' });
  });
});
