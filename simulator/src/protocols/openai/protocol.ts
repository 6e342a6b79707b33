// What all operations of the `openai` protocol have in common: bearer credentials (or Azure's own header), the error
// envelope, and the frame that ends a failed stream.

import type { IncomingHttpHeaders } from 'node:http';
import { jsonAnswer, type WholeAnswer } from '../../answer.ts';
import type { Protocol } from '../../operation.ts';

const TYPES: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'model_not_found'],
  408: ['server_error', 'request_timeout'],
  413: ['invalid_request_error', 'request_too_large'],
  422: ['invalid_request_error', null],
  429: ['requests', 'rate_limit_exceeded'],
};

function error(status: number, message: string, code?: string): WholeAnswer {
  const [type, defaultCode] = TYPES[status] ?? ['server_error', null];
  return jsonAnswer(status, { error: { message, type, param: null, code: code ?? defaultCode } });
}

function refuseUnauthorized(headers: IncomingHttpHeaders): WholeAnswer | undefined {
  if (/^Bearer \S/i.test(headers.authorization ?? '') || headers['api-key'] !== undefined) return undefined;
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
    '(i.e. Authorization: Bearer YOUR_KEY).';
  return jsonAnswer(401, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

const REFUSALS = {
  policy: [
    'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed.',
    'content_policy_violation',
  ],
  'context-length': [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in more tokens. Please " +
      'reduce the length of the messages.',
    'context_length_exceeded',
  ],
} as const;

export const openaiProtocol: Protocol = {
  requestIdHeader: 'x-request-id',
  refuseUnauthorized,
  error,
  refusal(kind) {
    const [message, code] = REFUSALS[kind];
    return jsonAnswer(400, { error: { message, type: 'invalid_request_error', param: 'messages', code } });
  },
  errorFrame() {
    const failure = { message: 'Simulated failure inside the stream.', type: 'server_error', param: null, code: null };
    return { kind: 'finish', data: JSON.stringify({ error: failure }) };
  },
};
