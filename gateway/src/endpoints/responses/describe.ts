// Responses, described, and the refusal of WebSockets on the same path.

import { ResponseEvent, ResponseObject, ResponsesRequest } from '../../contract/inference/responses.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CONVERSATIONS } from '../docs/implied-errors.ts';

export const responsesDescriptions: Descriptions = {
  'POST /v1/responses': {
    tag: 'Chat',
    summary: 'Create a response',
    notes: 'Nothing is stored: send the whole history in `input`. With `stream` the answer is a stream of events.',
    body: ResponsesRequest,
    answers: { 200: { json: ResponseObject, events: ResponseEvent } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', input: 'Say hello.' } },
  },
  'GET /v1/responses': {
    tag: 'Chat',
    summary: 'Refuse a WebSocket',
    notes: 'Clients that try one go on with POST at once.',
    answers: {},
    errors: ['http_405', 'http_426'],
  },
};
