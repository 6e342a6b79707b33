// What all operations of the `cohere` protocol have in common: bearer credentials, and errors with only a message.

import type { IncomingHttpHeaders } from 'node:http';
import { jsonAnswer, type WholeAnswer } from '../../answer.ts';
import type { Protocol } from '../../operation.ts';

function error(status: number, message: string): WholeAnswer {
  return jsonAnswer(status, { message });
}

function refuseUnauthorized({ authorization = '' }: IncomingHttpHeaders): WholeAnswer | undefined {
  return /^Bearer \S/i.test(authorization) ? undefined : error(401, 'no api key supplied');
}

const REFUSALS = {
  policy: 'The request was blocked by our safety filters.',
  'context-length': 'too many tokens: size limit exceeded by 90000 tokens.',
} as const;

export const cohereProtocol: Protocol = {
  requestIdHeader: 'x-debug-trace-id',
  refuseUnauthorized,
  error,
  refusal: (kind) => error(400, REFUSALS[kind]),
  errorFrame() {
    const delta = { finish_reason: 'ERROR', error: 'Simulated failure inside the stream.' };
    return { kind: 'finish', event: 'message-end', data: JSON.stringify({ type: 'message-end', delta }) };
  },
};
