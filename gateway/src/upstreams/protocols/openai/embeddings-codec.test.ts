// Vectors come from a stranger: each must be a vector, and in its place.

import { describe, expect, test } from 'vitest';
import type { Candidate } from '../../../canonical/model.ts';
import { parseEmbeddingsRequest } from '../../../dialects/embeddings/parse-request.ts';
import { embeddingsCodec } from './embeddings-codec.ts';

const usage = { prompt_tokens: 3, total_tokens: 3 };
const FOUR_BYTES = 'AACAPw==';
const candidate = { upstreamModel: 'embed' } as Candidate;

function decode(reply: unknown, input: unknown = 'one') {
  const request = parseEmbeddingsRequest({ model: 'acme/embed', input });
  return embeddingsCodec.decode?.({ headers: {}, body: Buffer.from(JSON.stringify(reply)) }, request, candidate);
}

test('EMB-01 vectors are put into the order of the inputs', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: FOUR_BYTES },
  ];
  expect(decode({ data, usage }, ['a', 'b'])).toMatchObject({
    kind: 'answer',
    answer: { vectors: [FOUR_BYTES, [2]] },
    usage: { promptTokens: 3, completionTokens: 0 },
  });
});

test('EMB-01 without an index the order is the order', () => {
  const data = [{ embedding: [1] }, { embedding: [2] }];
  expect(decode({ data, usage }, ['a', 'b'])).toMatchObject({ answer: { vectors: [[1], [2]] } });
});

describe('F17 what is no vector is no answer', () => {
  test.each([
    ['too few', []],
    ['too many', [{ embedding: [1] }, { embedding: [1] }]],
    ['no list', {}],
    ['no object', [7]],
    ['an empty vector', [{ embedding: [] }]],
    ['words', [{ embedding: ['a'] }]],
    ['a hole', [{ embedding: [1, null] }]],
    ['base64 of three bytes', [{ embedding: 'AAAA' }]],
    ['no base64', [{ embedding: '!!!!!!!!!!!!!!!!' }]],
    ['base64 cut short', [{ embedding: 'AACAPw=' }]],
    ['an empty text', [{ embedding: '' }]],
    ['a wild index', [{ index: 7, embedding: [1] }]],
    ['a negative index', [{ index: -1, embedding: [1] }]],
    ['an index in quotes', [{ index: '0', embedding: [1] }]],
  ])('%s', (_, data) => {
    expect(decode({ data, usage })).toMatchObject({ kind: 'failure', failure: { kind: 'malformed' } });
  });

  test('two vectors for one input', () => {
    const data = [
      { index: 0, embedding: [1] },
      { index: 0, embedding: [2] },
    ];
    expect(decode({ data, usage }, ['a', 'b'])).toMatchObject({ failure: { kind: 'malformed' } });
  });
});

describe('USG-1 usage', () => {
  test.each([
    [undefined, null],
    [null, null],
    [7, null],
    [{ prompt_tokens: -1 }, null],
    [{ prompt_tokens: 1.5 }, null],
    [{ prompt_tokens: '3' }, null],
    [{ prompt_tokens: 3, total_tokens: -1 }, null],
    [{ prompt_tokens: 2 ** 41 }, null],
    [{ prompt_tokens: 0 }, { promptTokens: 0 }],
    [{ total_tokens: 4 }, { promptTokens: 4 }],
    [{ prompt_tokens: 0, total_tokens: 4 }, { promptTokens: 4 }],
  ])('%j', (stated, expected) => {
    const decoded = decode({ data: [{ embedding: [1] }], usage: stated });
    if (expected === null) expect(decoded).toMatchObject({ kind: 'answer', usage: null });
    else expect(decoded).toMatchObject({ kind: 'answer', usage: expected });
  });
});

test('ROUTE-09 encoding leaves the body as it was and drops what is ours', () => {
  const body = { model: 'acme/embed', input: 'a', provider: { order: ['x'] }, stream: true, user: 'u', odd: 1 };
  const before = JSON.stringify(body);
  const request = parseEmbeddingsRequest(body);
  const call = embeddingsCodec.encode(request, { upstreamModel: 'up-1' } as Candidate);
  expect(call.path).toBe('/embeddings');
  expect(JSON.parse(String(call.body))).toEqual({ model: 'up-1', input: 'a', user: 'u', odd: 1 });
  expect(JSON.stringify(body)).toBe(before);
});

test('EMB-07 a refusal of the request is this provider’s alone; a policy is everyone’s', () => {
  const refuse = (status: number, error: object) =>
    embeddingsCodec.decodeError(status, {}, Buffer.from(JSON.stringify({ error })));
  expect(refuse(400, { message: 'dimensions are not supported' })).toMatchObject({ kind: 'unsupported' });
  expect(refuse(400, { code: 'content_policy_violation', message: 'no' })).toMatchObject({ kind: 'rejected' });
  expect(refuse(503, { message: 'busy' })).toMatchObject({ kind: 'unavailable' });
});
