// The protocol of Google's Vertex AI: the formats of two publishers, with a token for each call. Google's models speak
// as in the `gemini` protocol, Anthropic's as in `anthropic`, except for where the model is named.

import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { type ConversationCodec, conversationCodec } from '../../conversation-codec.ts';
import { imagesByChat } from '../../images-by-chat.ts';
import type { Protocol, TextCall } from '../../protocol.ts';
import { messagesCodecParts } from '../anthropic/anthropic-protocol.ts';
import { encodeMessagesJson } from '../anthropic/encode-request.ts';
import { geminiChatCodec } from '../gemini/gemini-protocol.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { modelPath, publisherOf } from './model-path.ts';
import { serviceAccountGrant } from './service-account.ts';

/** The version of the Messages format that Vertex AI speaks. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

const claudeCodec: ConversationCodec = {
  ...conversationCodec({ ...messagesCodecParts, encode: encodeRawPredict }),
  embedsPictures: true,
};

/** The path names the model; the body must not repeat it. */
function encodeRawPredict(request: ConversationRequest, candidate: Candidate): TextCall {
  const { model: _model, ...body }: JsonObject = encodeMessagesJson(request, candidate);
  const verb = request.isStream ? 'streamRawPredict' : 'rawPredict';
  return {
    path: `${modelPath(candidate)}:${verb}`,
    body: stringifyExactJson({ ...body, anthropic_version: ANTHROPIC_VERSION }),
  };
}

const googleChat = geminiChatCodec({ pathOf: modelPath, takesIds: false });
const googleCodecs = { chat: googleChat, embeddings: embeddingsCodec, images: imagesByChat(googleChat) };
const anthropicCodecs = { chat: claudeCodec };

export const vertexProtocol: Protocol = {
  authorize: (_call, _provider, token) => ['authorization', `Bearer ${token}`],
  grant: serviceAccountGrant,
  codecs: googleCodecs,
  codecsOf: (route) => (publisherOf(route) === 'anthropic' ? anthropicCodecs : googleCodecs),
};
