// The protocol of Anthropic's Messages API. It has the same format as the messages dialect: such bodies are passed
// through, and those of every other dialect are written from the conversation. It has conversations only.

import { type ConversationCodecParts, conversationCodec } from '../../conversation-codec.ts';
import type { Protocol } from '../../protocol.ts';
import { batchInterface } from './batch-interface.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeMessage } from './decode-response.ts';
import { createMessageStreamDecoder } from './decode-stream.ts';
import { encodeMessagesRequest } from './encode-request.ts';
import { toAnswer } from './to-answer.ts';

/** The version of the wire format that everything in this folder is written for. */
const API_VERSION = '2023-06-01';

/** For every provider that speaks this format. */
export const messagesCodecParts: ConversationCodecParts = {
  format: 'messages',
  encode: encodeMessagesRequest,
  decodeJson: decodeMessage,
  decodeError,
  readUsage,
  toAnswer,
  createStreamDecoder: createMessageStreamDecoder,
};

export const anthropicProtocol: Protocol = {
  authorize: (_, { apiKey }) => ['x-api-key', apiKey, 'anthropic-version', API_VERSION],
  modelsPath: '/models?limit=1000',
  codecs: {
    chat: conversationCodec(messagesCodecParts),
  },
  batches: batchInterface,
};
