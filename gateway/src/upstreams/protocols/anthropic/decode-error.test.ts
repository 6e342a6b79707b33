// An upstream's refusal is classified by its meaning; its own text is not passed on.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failureToApiError } from '../../failure.ts';
import { decodeError as decodeBedrockError } from '../bedrock/decode-error.ts';
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

test('ERR-58 F12 F13 F14 an overloaded or failing provider is unavailable', () => {
  expect(decode(529, errors.overloaded, { 'retry-after': '3' })).toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 3,
  });
  for (const status of [500, 502, 503, 504, 408, 409, 425]) {
    expect(decode(status, '<html>Bad gateway</html>').kind).toBe('unavailable');
  }
});

test('ERR-56 F15 a bad key and an empty account are the affair of the gateway, under any status', () => {
  for (const status of [401, 402, 403]) expect(decode(status, errors.badKey).kind).toBe('auth_failed');
  expect(decode(400, errors.emptyAccount).kind).toBe('auth_failed');
  expect(decode(400, errors.badKey).kind).toBe('auth_failed');
});

test('ERR-56 ROUTE-12 a refusal that begins with a name of the caller s says nothing about the key', () => {
  const refuse = (message: string) => decode(400, { error: { type: 'invalid_request_error', message } }).kind;
  expect(refuse('credit balance is too low: Extra inputs are not permitted')).toBe('rejected');
  expect(refuse('tools.0.custom.invalid api key: Extra inputs are not permitted')).toBe('rejected');
  expect(refuse('You have reached your specified API usage limits. You will regain access tomorrow.')).toBe(
    'auth_failed',
  );
});

test('ERR-56 ROUTE-12 a page of HTML with 403 says nothing about the key', () => {
  expect(decode(403, '<html><title>Blocked</title></html>').kind).toBe('unavailable');
  expect(decode(403, 'no').kind).toBe('auth_failed');
});

test('F10 F14 behind a proxy that says 400 to everything the type still counts', () => {
  expect(decode(400, errors.rateLimit).kind).toBe('rate_limited');
  expect(decode(400, errors.overloaded).kind).toBe('unavailable');
  expect(decode(400, errors.modelMissing).kind).toBe('model_missing');
});

test('F16 an unknown model is for the next provider to try', () => {
  expect(decode(404, errors.modelMissing).kind).toBe('model_missing');
  expect(decode(404, 'not found').kind).toBe('model_missing');
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

  test('ERR-33 a prompt that is too long, in either wording', () => {
    expect(rejection(400, errors.promptTooLong).code).toBe('context_too_long');
    expect(rejection(400, errors.contextLimit).code).toBe('context_too_long');
    expect(rejection(413, errors.promptTooLong).code).toBe('context_too_long');
  });

  test('ERR-39 a refusal on safety grounds', () => {
    expect(rejection(400, errors.policy).code).toBe('content_moderation');
  });

  test('ERR-32 a token limit that the model does not take', () => {
    expect(rejection(400, errors.tokenLimit).code).toBe('max_tokens_invalid');
  });

  test('ERR-08 a body that is too large', () => {
    expect(rejection(413, errors.tooLarge).code).toBe('http_413');
    expect(rejection(413, '').code).toBe('http_413');
  });

  test('ERR-41 any other 4xx, whatever its body', () => {
    const bodies = ['', 'teapot', '[]', 'null', '{"error":"no"}', '{"error":{"message":5}}', errors.plainInvalid];
    for (const status of [400, 405, 418, 422, 451, 499]) {
      for (const body of bodies) {
        const failure = rejection(status, body);
        expect(failure.code).toBe('unknown_4xx');
        expect(failure.publicMessage).toBe('The provider did not accept the request.');
      }
    }
  });

  test('ERR-41 the name of the field at fault is told, and nothing of the rest', () => {
    expect(rejection(400, errors.namedField).publicMessage).toBe(
      'The provider did not accept the request: check messages.',
    );
  });
});

test("ERR-09 no word of the upstream's reaches the caller, and no key reaches the log", () => {
  for (const status of [400, 401, 403, 404, 413, 418, 429, 500, 529]) {
    for (const body of Object.values(errors)) {
      const failure = decode(status, body);
      const shown = JSON.stringify(failureToApiError(failure).envelope());
      expect(shown).not.toMatch(/SECRET|org-acme|req_77|internal|script|Anthropic/);
      expect(failure.detail).not.toContain('SECRETSECRET');
      expect(failure.detail.length).toBeLessThanOrEqual(500);
    }
  }
});

test('hostile bodies are read in part and never throw', () => {
  const hostile = [
    `{"error":{"message":"${'x'.repeat(4_000_000)}"}}`,
    '['.repeat(1_000_000),
    '{"error":{"error":null}}',
  ];
  for (const body of hostile) {
    expect(decode(500, body).kind).toBe('unavailable');
    expect(decode(400, body).kind).toBe('rejected');
    expect(decode(400, body).detail.length).toBeLessThanOrEqual(500);
  }
});

test('ERR-33 what is too long is said with its figures', () => {
  const error = { type: 'invalid_request_error', message: 'prompt is too long: 333404 tokens > 200000 maximum' };
  const failure = decode(400, { type: 'error', error });
  expect(failure).toMatchObject({ code: 'context_too_long', overflow: { tokens: 333_404, tokensMax: 200_000 } });
});

test('ROUTE-12 a type of tool that one provider of a model lacks may be known to another', () => {
  const message = "tools.1: Input tag 'web_search_20260209' found using 'type' does not match any of the expected tags";
  expect(decode(400, { error: { type: 'invalid_request_error', message } })).toMatchObject({
    kind: 'unsupported',
    code: 'unsupported_param',
  });
  expect(decodeBedrockError(400, {}, Buffer.from(JSON.stringify({ message }))).kind).toBe('unsupported');
});

test.each([
  'messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
  'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
])('thinking that the provider does not take back is told apart: %s', (message) => {
  const body = Buffer.from(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
  expect(decodeError(400, {}, body)).toMatchObject({ kind: 'rejected', isReasoningForeign: true });
});
