// Writes a call to POST /messages for any dialect: a body of the same format is passed through, any other is written
// from the conversation. Failover encodes the same request again, so nothing here edits its input.

import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { type ConversationRequest, wantsWeb } from '../../../canonical/request.ts';
import { cutEdited } from '../../../platform/json-document.ts';
import { DistinctIds } from '../../call-ids.ts';
import { paidExtras } from '../../paid-extras.ts';
import type { TextCall } from '../../protocol.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { encodeCallId, encodeCallName } from './encode-content.ts';
import { encodeConversation } from './encode-conversation.ts';
import { withoutThinking, withoutThinkingBlocks } from './omit-thinking.ts';

const MESSAGES_PATH = '/messages';

export function encodeMessagesRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const source = request.format === 'messages' ? request.source : null;
  return { path: MESSAGES_PATH, body: cutEdited(source, encodeMessagesJson(request, candidate)) };
}

export function encodeMessagesJson(request: ConversationRequest, candidate: Candidate): JsonObject {
  const body = request.format === 'messages' ? passThrough(request, candidate) : translate(request, candidate);
  return withWebSearch(body, request.plugins);
}

function passThrough({ body }: ConversationRequest, { upstreamModel, omitsReasoning }: Candidate): JsonObject {
  const sent = encodeMessagesBody(body, upstreamModel);
  return omitsReasoning === true ? withoutThinkingBlocks(sent) : sent;
}

function translate(request: ConversationRequest, candidate: Candidate): JsonObject {
  const asked = request.toConversation();
  const conversation = candidate.omitsReasoning === true ? withoutThinking(asked) : asked;
  return {
    ...encodeConversation(conversation, candidate, request.isStream),
    ...paidExtras(request, candidate, 'messages'),
  };
}

// For a body that is already in the upstream's format. The upstream refuses unknown fields, so the gateway's own are
// removed; everything else, cache markers and future fields included, is sent unchanged.

/** Fields that the gateway itself handles. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'plugins', 'route', 'usage', 'session_id'];

function encodeMessagesBody(body: JsonObject, upstreamModel: string): JsonObject {
  // Members set to undefined are left out of the text, which is cheaper than deleting them from the copy.
  const copy: JsonObject = { ...body, model: upstreamModel, messages: withFittingIds(body.messages) };
  for (const field of GATEWAY_FIELDS) {
    if (copy[field] !== undefined) copy[field] = undefined;
  }
  return copy;
}

/** Calls of other vendors' models in the conversation; the same list where all ids are taken. */
function withFittingIds(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  const ids = new DistinctIds(encodeCallId);
  const fitted = refuseNothing(messages).map((message) => fitMessage(message, ids));
  return fitted.every((message, index) => message === messages[index]) ? messages : fitted;
}

function fitMessage(message: unknown, ids: DistinctIds): unknown {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return message;
  const { content, role } = message;
  if (role === 'assistant') ids.nextTurn();
  const fitted = content.map((block) => fitBlock(block, ids));
  return fitted.every((block, index) => block === content[index]) ? message : { ...message, content: fitted };
}

function fitBlock(block: unknown, ids: DistinctIds): unknown {
  if (!isJsonObject(block)) return block;
  const { type, id, name, tool_use_id: callId } = block;
  if (type === 'tool_use' && typeof id === 'string') {
    const fitted = { id: ids.call(id), name: typeof name === 'string' ? encodeCallName(name) : name };
    return fitted.id === id && fitted.name === name ? block : { ...block, ...fitted };
  }
  if (type !== 'tool_result' || typeof callId !== 'string') return block;
  const given = ids.result(callId);
  return given === callId ? block : { ...block, tool_use_id: given };
}

// The web plugin in this protocol: a tool that the upstream runs. Its results are part of the answer, so nothing has to
// be done with them here.

/** The upstream charges for each search, so their number is limited. */
const WEB_SEARCH_TOOL: JsonObject = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };

/** A tool of that name that the caller offers stays the only one, because names must be unique. */
function withWebSearch(body: JsonObject, plugins: readonly JsonObject[]): JsonObject {
  if (!wantsWeb(plugins)) return body;
  const tools = listOrEmpty(body.tools);
  const isOffered = tools.some((tool) => isJsonObject(tool) && tool.name === WEB_SEARCH_TOOL.name);
  return isOffered ? body : { ...body, tools: [...tools, WEB_SEARCH_TOOL] };
}
