// Messages, described. Errors have the envelope of that dialect.

import {
  CountTokensRequest,
  MessageAnswer,
  MessageEvent,
  MessagesRequest,
  TokenCount,
} from '../../contract/inference/messages.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CONVERSATIONS } from '../docs/implied-errors.ts';

const messages = [{ role: 'user', content: 'Say hello.' }];

export const messagesDescriptions: Descriptions = {
  'POST /v1/messages': {
    tag: 'Chat',
    summary: 'Create a message',
    notes: 'The key may also be sent as `x-api-key`. With `stream` the answer is a stream of events.',
    body: MessagesRequest,
    answers: { 200: { json: MessageAnswer, events: MessageEvent } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', max_tokens: 256, messages } },
  },
  'POST /v1/messages/count_tokens': {
    tag: 'Chat',
    summary: 'Count the tokens of a message',
    notes: 'An estimate, free of charge.',
    body: CountTokensRequest,
    answers: { 200: { json: TokenCount } },
    errors: OF_CONVERSATIONS,
    example: { model: 'text', body: { model: '$MODEL', messages } },
  },
};
