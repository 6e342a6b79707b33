// The protocol of OpenAI and of everyone who copied it. It is the chat dialect's twin, so bodies pass through with only
// what must change changed.

import type { Protocol } from '../../protocol.ts';
import { responsesCodec } from '../openai-responses/responses-codec.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeChatResponse } from './decode-response.ts';
import { createChatStreamDecoder } from './decode-stream.ts';
import { encodeChatRequest } from './encode-request.ts';
import { toAnswer } from './to-answer.ts';

export const openAiProtocol: Protocol = {
  name: 'openai',
  authorize: (secret) => ['authorization', `Bearer ${secret}`],
  codecs: {
    chat: {
      format: 'chat',
      encode: encodeChatRequest,
      decode: decodeChatResponse,
      decodeError,
      readUsage,
      toAnswer,
      createStreamDecoder: createChatStreamDecoder,
    },
  },
  responsesCodec,
};
