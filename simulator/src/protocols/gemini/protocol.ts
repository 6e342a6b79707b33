// What all operations of the `gemini` protocol have in common: the key in a header of its own or in the query (a bearer
// token where the models are behind a project), and the error envelope.

import type { IncomingHttpHeaders } from 'node:http';
import { jsonAnswer, type WholeAnswer } from '../../answer.ts';
import type { Protocol } from '../../operation.ts';

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const envelope = (status: number, message: string) => ({
  error: { code: status, message, status: STATUSES[status] ?? 'UNKNOWN' },
});

function error(status: number, message: string): WholeAnswer {
  return jsonAnswer(status, envelope(status, message));
}

function refuseUnauthorized(headers: IncomingHttpHeaders): WholeAnswer | undefined {
  const key = headers['x-goog-api-key'];
  if (typeof key === 'string' && key !== '') return undefined;
  if (/^Bearer \S/i.test(headers.authorization ?? '')) return undefined;
  return error(403, "Method doesn't allow unregistered callers. Please use API Key.");
}

const REFUSALS = {
  policy: 'The prompt was blocked by safety filters.',
  'context-length': 'The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).',
} as const;

export const geminiProtocol: Protocol = {
  requestIdHeader: 'x-request-id',
  refuseUnauthorized,
  error,
  refusal: (kind) => error(400, REFUSALS[kind]),
  errorFrame: () => ({ kind: 'finish', data: JSON.stringify(envelope(503, 'Simulated failure inside the stream.')) }),
};
