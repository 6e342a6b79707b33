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
import { withKnownFlags } from '../anthropic/known-flags.ts';
import { geminiChatCodec } from '../gemini/gemini-protocol.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { modelPath, publisherOf } from './model-path.ts';
import { serviceAccountGrant } from './service-account.ts';

/** The version of the Messages format that Vertex AI speaks. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

const FLAGS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);

const claudeCodec: ConversationCodec = {
  ...conversationCodec({ ...messagesCodecParts, encode: encodeRawPredict }),
  headersFrom: (headers, { body }) => withKnownFlags(headers, body, FLAGS),
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
