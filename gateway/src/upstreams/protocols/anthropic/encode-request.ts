// A call to POST /messages, whatever the caller's dialect: a body of the same format passes through, any other is
// written from the conversation. Failover encodes the same request again, so nothing here edits its input.

import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { writeEdited } from '../../../platform/json-document.ts';
import type { TextCall } from '../../protocol.ts';
import { encodeConversation } from './encode-conversation.ts';
import { encodeMessagesBody } from './encode-messages-body.ts';
import { withWebSearch } from './web-search.ts';

const MESSAGES_PATH = '/messages';

export function encodeMessagesRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const source = request.format === 'messages' ? request.source : null;
  return { path: MESSAGES_PATH, body: writeEdited(source, encodeMessagesJson(request, candidate)) };
}

export function encodeMessagesJson(request: ConversationRequest, candidate: Candidate): JsonObject {
  const body =
    request.format === 'messages'
      ? encodeMessagesBody(request.body, candidate.upstreamModel)
      : encodeConversation(request.toConversation(), candidate, request.isStream);
  return withWebSearch(body, request.plugins);
}
