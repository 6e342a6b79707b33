// What a caller learns of an upstream's failure: our own words, the right status, and none of the upstream's text.

import { describe, expect, test } from 'vitest';
import {
  describeForLog,
  failureOfStreamFault,
  failureOfTransport,
  failureToApiError,
  isCallersFault,
  isProviderFailure,
  parseRetryAfter,
  shortenForLog,
} from './failure.ts';
import type { UpstreamFailure } from './protocol.ts';

const detail = 'key sk-live-0123456789 refused by node-17.internal';

const rows: readonly (readonly [string, UpstreamFailure, number, string])[] = [
  ['ERR-57', { kind: 'rate_limited', retryAfterSeconds: 7, detail }, 429, 'upstream_rate_limited'],
  ['ERR-56', { kind: 'auth_failed', detail }, 502, 'upstream_auth_failed'],
  ['ERR-58 ERR-10', { kind: 'unavailable', retryAfterSeconds: null, detail }, 502, 'upstream_unavailable'],
  ['ERR-55', { kind: 'unreachable', detail }, 502, 'upstream_unreachable'],
  ['ERR-12', { kind: 'timeout', detail }, 504, 'http_504'],
  ['ERR-10', { kind: 'malformed', detail }, 502, 'upstream_unavailable'],
  ['ERR-41', { kind: 'rejected', code: 'unknown_4xx', publicMessage: 'No.', detail }, 400, 'unknown_4xx'],
  ['ERR-39', { kind: 'rejected', code: 'content_moderation', publicMessage: 'No.', detail }, 403, 'content_moderation'],
  ['ERR-20', { kind: 'model_missing', detail }, 400, 'unknown_model'],
];

test.each(rows)('%s a failure becomes its status and code, and the detail stays inside', (_, failure, status, code) => {
  const error = failureToApiError(failure);
  expect(error).toMatchObject({ status, code, detail });
  expect(JSON.stringify(error.envelope())).not.toMatch(/sk-live|internal/);
});

test('ERR-57 ERR-14 a known wait is relayed, an unknown one is not invented', () => {
  const limited = (retryAfterSeconds: number | null) =>
    failureToApiError({ kind: 'rate_limited', retryAfterSeconds, detail }).retryAfterSeconds;
  expect(limited(7)).toBe(7);
  expect(limited(0)).toBe(0);
  expect(limited(null)).toBeUndefined();
});

test('ROUTE-11 only a refusal of the request itself ends the search for a provider', () => {
  expect(rows.filter(([, failure]) => isCallersFault(failure)).map(([, failure]) => failure.kind)).toEqual([
    'rejected',
    'rejected',
  ]);
});

test('ERR-55 ERR-12 each failure of the transport has its kind', () => {
  const kindOf = (kind: Parameters<typeof failureOfTransport>[0]['kind']) =>
    failureOfTransport({ kind, detail, isUnsent: false }).kind;
  expect(kindOf('unreachable')).toBe('unreachable');
  expect(kindOf('reset')).toBe('unreachable');
  expect(kindOf('timeout')).toBe('timeout');
  expect(kindOf('oversize')).toBe('bound');
  expect(kindOf('overtime')).toBe('bound');
  expect(kindOf('undecodable')).toBe('malformed');
});

test('STRM-07 a fault inside a stream is told by what the upstream stated', () => {
  const kindOf = (status: number | null) => failureOfStreamFault({ kind: 'upstream-error', detail, status }).kind;
  expect(kindOf(429)).toBe('rate_limited');
  expect(kindOf(503)).toBe('unavailable');
  expect(kindOf(null)).toBe('unavailable');
  for (const status of [401, 402, 403, 404]) expect(kindOf(status)).toBe('unavailable');
  expect(failureOfStreamFault({ kind: 'oversize', detail, status: null }).kind).toBe('malformed');
});

test('ROUTE-12 ERR-54 an answer without a picture says nothing about the provider, one that makes no sense does', () => {
  expect(isProviderFailure({ kind: 'malformed', code: 'no_images', publicMessage: 'No.', detail })).toBe(false);
  expect(isProviderFailure({ kind: 'malformed', code: 'pipeline_error', publicMessage: 'No.', detail })).toBe(true);
  expect(isProviderFailure({ kind: 'malformed', detail })).toBe(true);
});

test('ROUTE-12 STRM-07 a fault inside a stream that blames the request is no failure of the provider', () => {
  const refusalOf = (status: number, words: string, isCertain = true) => {
    const failure = failureOfStreamFault({ kind: 'upstream-error', detail: words, status });
    expect([isCallersFault(failure), isProviderFailure(failure)]).toEqual([isCertain, false]);
    const error = failureToApiError(failure);
    expect(JSON.stringify(error.envelope())).not.toContain('CANARY');
    return [error.status, error.code];
  };
  // Without a reason the next provider may still do better.
  expect(refusalOf(400, '{"message":"CANARY"}', false)).toEqual([400, 'unknown_4xx']);
  expect(refusalOf(422, 'CANARY', false)).toEqual([400, 'unknown_4xx']);
  expect(refusalOf(413, 'CANARY')).toEqual([413, 'http_413']);
  expect(refusalOf(400, '{"code":"context_length_exceeded","message":"CANARY"}')).toEqual([400, 'context_too_long']);
  const blocked = '{"type":"invalid_request_error","message":"Output blocked by content filtering policy: CANARY"}';
  expect(refusalOf(400, blocked)).toEqual([403, 'content_moderation']);
});

const wait = (value: string | undefined, date?: string): number | null =>
  parseRetryAfter({
    ...(value === undefined ? {} : { 'retry-after': value }),
    ...(date === undefined ? {} : { date }),
  });

test('ERR-57 Retry-After is whole seconds within a day, or nothing', () => {
  expect(wait('30')).toBe(30);
  expect(wait(' 0 ')).toBe(0);
  expect(wait('999999999')).toBe(86_400);
  for (const value of [undefined, '', '-1', '1.5', '1e9', 'soon', '99999999999999', '2026-10-21', 'tomorrow GMT']) {
    expect(wait(value)).toBeNull();
  }
});

test('ERR-57 Retry-After as a date, in each form of it, counts from the date of the answer', () => {
  const sent = 'Wed, 21 Oct 2026 07:28:00 GMT';
  expect(wait('Wed, 21 Oct 2026 07:28:45 GMT', sent)).toBe(45);
  expect(wait('Wednesday, 21-Oct-26 07:28:45 GMT', sent)).toBe(45);
  expect(wait('Wed Oct 21 07:28:45 2026', sent)).toBe(45);
  expect(wait('Sun Nov  1 07:28:00 2026', sent)).toBe(86_400);
  expect(wait('Wed, 21 Oct 2026 07:27:00 GMT', sent)).toBe(0);
  expect(wait('Wed, 41 Foo 2026 07:28:45 GMT', sent)).toBeNull();
  const soon = new Date(Date.now() + 30_000).toUTCString();
  for (const date of [undefined, 'nonsense']) {
    expect(wait(soon, date)).toBeGreaterThan(25);
    expect(wait(soon, date)).toBeLessThanOrEqual(31);
  }
});

describe('text for the log', () => {
  test('is cut to 500 characters', () => {
    expect(shortenForLog('word '.repeat(1_000))).toHaveLength(500);
  });

  test('holds no credential, wherever the cut falls', () => {
    for (let padding = 470; padding < 500; padding += 1) {
      const line = shortenForLog(`${'.'.repeat(padding)} sk-proj-CANARYCANARYCANARY`);
      expect(line).not.toContain('CANARY');
    }
    expect(shortenForLog('sent Bearer abc.def.CANARY to the host')).toBe('sent [redacted] to the host');
    expect(shortenForLog('bad key: gsk_CANARY0001, sk-***CANARY')).not.toContain('CANARY');
  });
});

test('of an upstream s words only the status and published codes reach a log', () => {
  const body = JSON.stringify({
    error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'CANARY said: my_secret_plan' },
  });
  expect(describeForLog(`400 ${body}`)).toBe('400 invalid_request_error context_length_exceeded');
  expect(describeForLog('my prompt, repeated by a rude host')).toBe('no known code');
  const fault = { kind: 'upstream-error', detail: body, status: null } as const;
  expect(failureOfStreamFault(fault).detail).toBe('upstream-error: invalid_request_error context_length_exceeded');
});
