// The dialect of Chat Completions: everything the pipeline needs to read a client's call and to write an answer to it.

import type { Dialect } from '../dialect.ts';
import { parseChatRequest } from './parse-request.ts';
import { renderChatAnswer } from './render-answer.ts';
import { renderChatResponse } from './render-response.ts';
import { createChatRenderer } from './render-stream.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

export const chatDialect: Dialect = {
  format: 'chat',
  forwardedHeaders: [],
  parse: parseChatRequest,
  renderSame: (json, context, bill) =>
    renderChatResponse(json, {
      id: context.id,
      modelId: context.modelId,
      createdSeconds: context.createdSeconds,
      hidesReasoning: context.request.hidesReasoning,
      usage: bill.usage,
      costUsd: bill.costUsd,
    }),
  renderAnswer: renderChatAnswer,
  openSame: (context, readUsage) => new ChatStreamSplicer(context, readUsage),
  createRenderer: createChatRenderer,
};
