// The dialect of Responses: everything the pipeline needs to read a client's call and to write an answer to it.

import { conversationDialect } from '../conversation-dialect.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { renderResponsesAnswer, renderSameResponse } from './render-response.ts';
import { createResponsesRenderer } from './render-stream.ts';
import { ResponsesStreamSplicer } from './splice-stream.ts';

export const responsesDialect = conversationDialect({
  format: 'responses',
  forwardedHeaders: [],
  parse: parseResponsesRequest,
  renderSame: renderSameResponse,
  renderAnswer: renderResponsesAnswer,
  openSame: (context, readUsage) => new ResponsesStreamSplicer(context, readUsage),
  createRenderer: createResponsesRenderer,
});
