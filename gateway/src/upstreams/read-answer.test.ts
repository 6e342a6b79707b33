// Why an answer is not one is told to the log in our own words, whichever protocol it came by.

import { expect, test } from 'vitest';
import type { DecodedJson } from './conversation-codec.ts';
import { decodeMessage } from './protocols/anthropic/decode-response.ts';
import { decodeAnswer as decodeConverse } from './protocols/bedrock/decode-response.ts';
import { decodeAnswer as decodeCohere } from './protocols/cohere/decode-response.ts';
import { decodeAnswer as decodeGemini } from './protocols/gemini/decode-response.ts';
import { decodeChatResponse } from './protocols/openai/decode-response.ts';
import { decodeResponse } from './protocols/openai-responses/decode-response.ts';

const cases: readonly (readonly [string, (body: Buffer) => DecodedJson, string])[] = [
  ['chat completions', decodeChatResponse, 'no choices'],
  ['responses', decodeResponse, 'no usable output'],
  ['messages', decodeMessage, 'a message without content'],
  ['converse', decodeConverse, 'an answer without content'],
  ['cohere', decodeCohere, 'an answer without a message'],
  ['gemini', decodeGemini, 'neither candidates nor a reason why there are none'],
];

test.each(cases)('%s: an answer that is none', (_, decode, detail) => {
  expect(decode(Buffer.from('{"hello":"world"}'))).toEqual({ kind: 'failure', failure: { kind: 'malformed', detail } });
});

const statedErrors: readonly (readonly [string, (body: Buffer) => DecodedJson, object])[] = [
  ['chat completions', decodeChatResponse, { code: 400 }],
  ['responses', decodeResponse, { code: 'invalid_image_url' }],
  ['messages', decodeMessage, { type: 'invalid_request_error' }],
  ['gemini', decodeGemini, { code: 400 }],
];

test.each(statedErrors)(
  'ROUTE-12 %s: an error under 200 that blames the request is no failure of the provider',
  (_, decode, error) => {
    const body = Buffer.from(JSON.stringify({ error: { ...error, message: 'CANARY' } }));
    expect(decode(body)).toMatchObject({ kind: 'failure', failure: { kind: 'unsupported', code: 'unknown_4xx' } });
    expect(JSON.stringify(decode(body))).not.toContain('CANARY');
  },
);
