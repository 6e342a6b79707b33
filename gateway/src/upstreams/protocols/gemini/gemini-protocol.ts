// The protocol of Google's Gemini API. No dialect has its format: everything is translated, in both directions.

import { type ConversationCodec, conversationCodec } from '../../conversation-codec.ts';
import { imagesByChat } from '../../images-by-chat.ts';
import type { Protocol } from '../../protocol.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeAnswer, readAnswer } from './decode-response.ts';
import { createGeminiStreamDecoder } from './decode-stream.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { encodeRequest, type GeminiPlace, geminiPlace } from './encode-request.ts';

/** Conversations at any server of this API. */
export const geminiChatCodec = (place: GeminiPlace): ConversationCodec => ({
  ...conversationCodec({
    format: 'native',
    encode: encodeRequest(place),
    decodeJson: decodeAnswer,
    decodeError,
    readUsage,
    toAnswer: readAnswer,
    createStreamDecoder: createGeminiStreamDecoder,
  }),
  embedsKeptPictures: true,
  searchesAlone: true,
});

const chat = geminiChatCodec(geminiPlace);

export const geminiProtocol: Protocol = {
  authorize: (_, { apiKey }) => ['x-goog-api-key', apiKey],
  modelsPath: '/models?pageSize=1000',
  codecs: { chat, embeddings: embeddingsCodec, images: imagesByChat(chat) },
};
