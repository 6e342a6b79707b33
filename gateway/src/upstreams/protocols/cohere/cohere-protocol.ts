// The protocol of Cohere's API, version 2: chat, embeddings and rerank.

import { bearer } from '../../authorize.ts';
import { conversationCodec } from '../../conversation-codec.ts';
import type { Protocol } from '../../protocol.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeAnswer, toAnswer } from './decode-response.ts';
import { createCohereStreamDecoder } from './decode-stream.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { encodeRequest } from './encode-request.ts';
import { rerankCodec } from './rerank-codec.ts';

export const cohereProtocol: Protocol = {
  authorize: bearer,
  codecs: {
    chat: {
      ...conversationCodec({
        format: 'native',
        encode: encodeRequest,
        decodeJson: decodeAnswer,
        decodeError,
        readUsage,
        toAnswer,
        createStreamDecoder: createCohereStreamDecoder,
      }),
      lacksHostedTools: true,
    },
    embeddings: embeddingsCodec,
    rerank: rerankCodec,
  },
};
