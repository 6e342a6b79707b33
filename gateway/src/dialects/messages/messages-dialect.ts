// The Messages dialect, from parts that are each in a file of their own.

import { conversationDialect } from '../conversation-dialect.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { renderMessagesAnswer } from './render-answer.ts';
import { renderMessagesResponse } from './render-response.ts';
import { createMessagesRenderer } from './render-stream.ts';
import { MessagesStreamSplicer } from './splice-stream.ts';

export const messagesDialect = conversationDialect({
  format: 'messages',
  forwardedHeaders: ['anthropic-beta'],
  parse: parseMessagesRequest,
  renderSame: renderMessagesResponse,
  renderAnswer: renderMessagesAnswer,
  openSame: (context, readUsage) => new MessagesStreamSplicer(context, readUsage),
  createRenderer: createMessagesRenderer,
});
