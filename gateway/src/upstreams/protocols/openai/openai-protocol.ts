// The protocol of OpenAI and of all who copied it. Its formats are those of our own dialects, so bodies are passed
// through with only the necessary changes.

import { bearer } from '../../authorize.ts';
import { conversationCodec } from '../../conversation-codec.ts';
import { imagesByChat } from '../../images-by-chat.ts';
import type { Codecs, Protocol } from '../../protocol.ts';
import { responsesCodec } from '../openai-responses/responses-codec.ts';
import { batchInterface } from './batch-interface.ts';
import { chatByImages } from './chat-by-images.ts';
import { completionsCodec } from './completions-codec.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeChatResponse } from './decode-response.ts';
import { createChatStreamDecoder } from './decode-stream.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { encodeChatRequest } from './encode-request.ts';
import { imagesCodec } from './images-codec.ts';
import { moderationCodec } from './moderation-codec.ts';
import { rerankCodec } from './rerank-codec.ts';
import { speechCodec } from './speech-codec.ts';
import { toAnswer } from './to-answer.ts';
import { longTranscriptionCodec, transcriptionCodec } from './transcription-codec.ts';
import { videoCodec } from './video-codec.ts';
import { videoQuestions } from './video-questions.ts';

const chatCodec = conversationCodec({
  format: 'chat',
  encode: encodeChatRequest,
  decodeJson: decodeChatResponse,
  decodeError,
  readUsage,
  toAnswer,
  createStreamDecoder: createChatStreamDecoder,
});

const codecs: Codecs = {
  chat: chatCodec,
  embeddings: embeddingsCodec,
  images: imagesCodec,
  moderation: moderationCodec,
  rerank: rerankCodec,
  speech: speechCodec,
  transcription: transcriptionCodec,
  video: videoCodec,
};

/** For servers that do not fetch addresses. */
const embeddingCodecs: Codecs = { ...codecs, chat: { ...chatCodec, embedsPictures: true } };

export const openAiProtocol: Protocol = {
  authorize: bearer,
  modelsPath: '/models',
  codecs,
  codecsOf: ({ provider }) => (provider.settings?.pictures === 'data' ? embeddingCodecs : codecs),
  otherCodecs: {
    chat: chatByImages(chatCodec),
    images: imagesByChat(chatCodec),
    transcription: longTranscriptionCodec,
  },
  videos: videoQuestions,
  batches: batchInterface,
  responsesCodec,
  completionsCodec,
};
