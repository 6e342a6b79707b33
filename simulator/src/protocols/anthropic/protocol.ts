// What all operations of the `anthropic` protocol have in common: the key in `x-api-key` (newer clients send it as a
// bearer token), the version header that the real API insists on, and its error envelope.

import type { IncomingHttpHeaders } from 'node:http';
import { jsonAnswer, type WholeAnswer } from '../../answer.ts';
import type { Protocol } from '../../operation.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function error(status: number, message: string): WholeAnswer {
  return jsonAnswer(status, { type: 'error', error: { type: TYPES[status] ?? 'api_error', message } });
}

function refuseUnauthorized(headers: IncomingHttpHeaders): WholeAnswer | undefined {
  const hasKey = typeof headers['x-api-key'] === 'string' && headers['x-api-key'] !== '';
  if (!hasKey && !/^Bearer \S/i.test(headers.authorization ?? '')) return error(401, 'x-api-key header is required');
  return headers['anthropic-version'] === undefined ? error(400, 'anthropic-version: header is required') : undefined;
}

const REFUSALS = {
  policy: 'Output blocked by content filtering policy',
  'context-length': 'prompt is too long: 250000 tokens > 200000 maximum',
} as const;

export const anthropicProtocol: Protocol = {
  requestIdHeader: 'request-id',
  refuseUnauthorized,
  error,
  refusal: (kind) => error(400, REFUSALS[kind]),
  errorFrame() {
    const failure = { type: 'overloaded_error', message: 'Simulated failure inside the stream.' };
    return { kind: 'finish', event: 'error', data: JSON.stringify({ type: 'error', error: failure }) };
  },
};
