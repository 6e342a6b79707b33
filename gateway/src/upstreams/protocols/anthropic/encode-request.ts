// A call to POST /messages, whatever the caller's dialect: a body of the same format passes through, any other is
// written from the conversation. Failover encodes the same request again, so nothing here edits its input.

import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { writeEdited } from '../../../platform/json-document.ts';
import type { TextCall } from '../../protocol.ts';
import { encodeConversation } from './encode-conversation.ts';
import { encodeMessagesBody } from './encode-messages-body.ts';
import { withWebSearch } from './web-search.ts';

const MESSAGES_PATH = '/messages';

export function encodeMessagesRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const isSame = request.format === 'messages';
  const body = isSame
    ? encodeMessagesBody(request.body, candidate.upstreamModel)
    : encodeConversation(request.toConversation(), candidate, request.isStream);
  return {
    path: MESSAGES_PATH,
    body: writeEdited(isSame ? request.source : null, withWebSearch(body, request.plugins)),
  };
}
