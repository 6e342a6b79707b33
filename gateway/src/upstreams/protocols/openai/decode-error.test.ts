// An upstream's refusal is classified by its meaning; its own text is not passed on.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failureToApiError, isProviderFailure } from '../../failure.ts';
import { decodeError } from './decode-error.ts';

const errors = JSON.parse(readFileSync(new URL('./__fixtures__/errors.json', import.meta.url), 'utf8'));
const decode = (status: number, body: unknown, headers = {}) =>
  decodeError(status, headers, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

test('ERR-57 F10 F11 429 is a rate limit, with the wait when it is given', () => {
  expect(decode(429, errors.rateLimit, { 'retry-after': '12' })).toMatchObject({
    kind: 'rate_limited',
    retryAfterSeconds: 12,
  });
  expect(decode(429, '')).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: null });
});

test('ERR-57 ROUTE-12 a request larger than a minute allows is a rate limit that stops no other request', () => {
  const message = 'Request too large for x on tokens per min (TPM): Limit 30000, Requested 43111.';
  const failure = decode(429, { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } });
  expect([failure.kind, isProviderFailure(failure)]).toEqual(['rate_limited', false]);
  expect(isProviderFailure(decode(429, errors.rateLimit))).toBe(true);
});

test('ERR-56 F15 401, 402 and 403 are about the account of the gateway', () => {
  for (const status of [401, 402, 403]) expect(decode(status, errors.invalidKey).kind).toBe('auth_failed');
});

test('ERR-56 ROUTE-12 an answer for which the account there has too little left says nothing of shorter ones', () => {
  const wanting = (affordable: number) => {
    const message = `This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford ${affordable}. To increase, add credits.`;
    return decode(402, { error: { message, code: 402 } });
  };
  expect(wanting(4_275)).toMatchObject({ kind: 'unsupported', code: 'max_tokens_invalid' });
  expect(isProviderFailure(wanting(4_275))).toBe(false);
  expect(wanting(12).kind).toBe('auth_failed');
});

test('ERR-58 F12 F13 F14 every 5xx means that the provider is unavailable', () => {
  for (const status of [500, 502, 503, 504, 529, 599]) {
    expect(decode(status, '<html>Bad gateway</html>', { 'retry-after': '3' })).toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 3,
    });
  }
  for (const status of [408, 409, 425]) expect(decode(status, '').kind).toBe('unavailable');
});

test('F16 an unknown model is for the next provider to try', () => {
  expect(decode(404, errors.modelNotFound).kind).toBe('model_missing');
  expect(decode(404, 'not found').kind).toBe('model_missing');
  expect(decode(400, errors.modelNotFound).kind).toBe('model_missing');
});

test('F8 a redirect is not an answer', () => {
  for (const status of [301, 302, 307]) expect(decode(status, '').kind).toBe('malformed');
});

describe('F16 requests that the upstream refuses', () => {
  const rejection = (status: number, body: unknown) => {
    const failure = decode(status, body);
    if (failure.kind !== 'rejected') throw new Error(`expected a rejection, got ${failure.kind}`);
    return failure;
  };

  test('ERR-33 a prompt that is too long, by code or in words', () => {
    expect(rejection(400, errors.contextLength).code).toBe('context_too_long');
    expect(rejection(400, errors.contextLengthInWords).code).toBe('context_too_long');
  });

  test('ERR-39 a refusal on safety grounds, under any 4xx', () => {
    expect(rejection(400, errors.contentPolicy).code).toBe('content_moderation');
    expect(rejection(403, errors.contentPolicy).code).toBe('content_moderation');
    expect(failureToApiError(decode(400, errors.contentPolicy)).status).toBe(403);
  });

  test('ERR-32 a token limit that the model does not take', () => {
    expect(rejection(400, errors.maxTokens).code).toBe('max_tokens_invalid');
  });

  test('ERR-41 any other 4xx, whatever its body', () => {
    for (const status of [400, 405, 418, 422, 451, 499]) {
      for (const body of [
        '',
        'teapot',
        '[]',
        'null',
        '{"error":"no"}',
        '{"error":{"message":5}}',
        errors.invalidParameter,
      ]) {
        expect(rejection(status, body).code).toBe('unknown_4xx');
      }
    }
    expect(rejection(413, '').code).toBe('http_413');
  });

  test('ERR-41 the name of the field at fault is told when it is a plain name', () => {
    expect(rejection(400, errors.invalidParameter).publicMessage).toContain('tools[0].function.parameters');
    expect(rejection(400, errors.hostileParameter).publicMessage).toBe('The provider did not accept the request.');
  });
});

test("ERR-09 no word of the upstream's reaches the caller, and no key reaches the log", () => {
  for (const status of [400, 401, 403, 404, 418, 422, 429, 500, 503]) {
    for (const body of Object.values(errors)) {
      const failure = decode(status, body);
      const shown = JSON.stringify(failureToApiError(failure).envelope());
      expect(shown).not.toMatch(/SECRET|org-acme|req_77|internal|platform\.example|script/);
      expect(failure.detail).not.toContain('SECRET');
      expect(failure.detail.length).toBeLessThanOrEqual(500);
    }
  }
});

test('a body of megabytes is read in part only', () => {
  const failure = decode(500, `{"error":{"message":"${'x'.repeat(4_000_000)}"}}`);
  expect(failure.kind).toBe('unavailable');
  expect(failure.detail).toBe('500');
});

test('ERR-56 a bad key or an empty account of the gateway is its own failure, whatever the status', () => {
  const badKey = { code: 'invalid-argument', error: 'Incorrect API key provided. Get one at https://console.example.' };
  expect(decode(400, badKey).kind).toBe('auth_failed');
  const quota = { error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: null } };
  expect(decode(429, quota).kind).toBe('auth_failed');
  expect(failureToApiError(decode(429, quota)).code).toBe('upstream_auth_failed');
});

test.each([
  ["Invalid value: 'incorrect api key'. Supported values are: 'low', 'medium', and 'high'."],
  ["Invalid schema for function 'f': In context=('properties', 'insufficient balance'), 'type' is required."],
  ['Unrecognized request argument supplied: your credit balance is too low'],
  ['invalid api key: Extra inputs are not permitted'],
])('ERR-56 ROUTE-12 a refusal that quotes the caller says nothing about the key: %s', (message) => {
  expect(decode(400, { error: { message, type: 'invalid_request_error' } }).kind).toBe('rejected');
});

test('ERR-56 ERR-57 a refusal in a list is read, and a quota that fills up again is a rate limit', () => {
  const badKey = { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' };
  expect(decode(400, [{ error: badKey }]).kind).toBe('auth_failed');
  const message = 'You exceeded your current quota, please check your plan and billing details. Please retry in 9s.';
  expect(decode(429, [{ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }]).kind).toBe('rate_limited');
});

test('ERR-39 ROUTE-12 a prompt that is refused with 403 says nothing about the key', () => {
  const error = 'Content violates usage guidelines. Team: t-1, API key ID: k-1, Failed check: SAFETY_CHECK_TYPE_X';
  const code = 'The caller does not have permission to execute the specified operation';
  expect(decode(403, { code, error })).toMatchObject({ kind: 'rejected', code: 'content_moderation' });
});

test('ERR-56 ROUTE-12 a page of HTML with 403 is a guard before the provider, and says nothing about the key', () => {
  expect(decode(403, '\n<!DOCTYPE html><title>Attention required</title>').kind).toBe('unavailable');
  expect(decode(403, 'no').kind).toBe('auth_failed');
});

test('ROUTE-12 what is not found may be named by the request, and not be the model', () => {
  const refuse = (param: string | null) => decode(404, { error: { message: 'Not found.', param, code: null } }).kind;
  expect(refuse('input')).toBe('rejected');
  for (const param of [null, '', 'model']) expect(refuse(param)).toBe('model_missing');
});

test('ROUTE-12 a model that is not served with tools is not missing', () => {
  const refuse = (message: string) => decode(404, { error: { message, code: 404 } }).kind;
  expect(refuse('No endpoints found that support tool use. To learn more, visit the documentation.')).toBe(
    'unsupported',
  );
  expect(refuse('No endpoints found for acme/nonsense.')).toBe('model_missing');
});

test.each([
  [{ error: { message: 'The total length of all messages is too long.', type: 'too_many_prompt_tokens', code: 400 } }],
  [{ error: { message: 'prompt too long; exceeded max context length by 9 tokens', code: null } }],
  [{ error: { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } }],
  [{ error: { message: 'Please reduce the length of the messages or completion.', type: 'invalid_request_error' } }],
])('ERR-33 more ways to say that a prompt is too long: %j', (body) => {
  expect(decode(400, body)).toMatchObject({ kind: 'rejected', code: 'context_too_long' });
});

test('ERR-33 ERR-39 clients know both refusals by the words that vendors use', () => {
  const tooLong = failureToApiError(decode(400, errors.contextLength));
  expect(tooLong.message).toMatch(/^This model's maximum context length is 8192 tokens\. However, .* 9000 tokens\./);
  expect(tooLong.overflow).toEqual({ tokens: 9_000, tokensMax: 8_192 });
  const unsaid = failureToApiError(decode(400, { error: { message: 'prompt too long', code: null } }));
  expect(unsaid.message).toContain("This model's maximum context length is");
  expect(failureToApiError(decode(400, errors.contentPolicy)).message).toMatch(/content_policy_violation/);
});
