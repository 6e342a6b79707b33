// The body for a provider that speaks this format: the caller's own with the few changes it needs, or one made from the
// conversation for a caller of another dialect. It copies and never edits, because failover encodes the same request
// again for another model.

import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { Candidate, FamilyTraits } from '../../../canonical/model.ts';
import { type ConversationRequest, wantsWeb } from '../../../canonical/request.ts';
import { cutEdited } from '../../../platform/json-document.ts';
import { paidExtras } from '../../paid-extras.ts';
import type { TextCall } from '../../protocol.ts';
import { encodeConversation } from './encode-conversation.ts';

const RESPONSES_PATH = '/responses';
const COMPACT_PATH = '/responses/compact';
const WEB_SEARCH_TOOL: JsonObject = { type: 'web_search' };

/** Fields that the gateway itself handles or that need a memory it does not have; strict upstreams refuse them. */
const GATEWAY_FIELDS = [
  'models',
  'provider',
  'transforms',
  'plugins',
  'usage',
  'session_id',
  'background',
  'previous_response_id',
  'conversation',
];

/** Families other than OpenAI's do not know these fields; they are left out so that the call succeeds. */
const OPENAI_ONLY_FIELDS = ['user', 'logprobs', 'top_logprobs', 'logit_bias', 'parallel_tool_calls', 'service_tier'];

/** The mark of the Responses dialect on reasoning of other vendors that it has sealed; no provider can open it. */
const SEALED_ELSEWHERE = 'tg1.';

/** Fields that a response has and a conversation that is made shorter has not. */
const ANSWER_FIELDS = ['store', 'stream', 'max_output_tokens'];

export function encodeRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  if (request.isCompaction) return encodeCompaction(request, candidate);
  const isSame = request.format === 'responses';
  const body = isSame ? passThrough(request, candidate) : encodeConversation(request, candidate);
  if (candidate.omitsReasoning === true) body.input = withoutReasoning(body.input);
  return {
    path: RESPONSES_PATH,
    body: cutEdited(isSame ? request.source : null, withWebSearch(body, request.plugins)),
  };
}

function encodeCompaction(request: ConversationRequest, candidate: Candidate): TextCall {
  const body = passThrough(request, candidate);
  dropFields(body, ANSWER_FIELDS);
  return { path: COMPACT_PATH, body: cutEdited(request.source, body) };
}

function withoutReasoning(input: unknown): unknown {
  if (!Array.isArray(input)) return input;
  return input.filter((item) => !isJsonObject(item) || item.type !== 'reasoning');
}

/** The web plugin as a tool of this format; other plugins have no counterpart. */
function withWebSearch(body: JsonObject, plugins: readonly JsonObject[]): JsonObject {
  if (!wantsWeb(plugins)) return body;
  const tools = listOrEmpty(body.tools);
  const isOffered = tools.some((tool) => isJsonObject(tool) && tool.type === WEB_SEARCH_TOOL.type);
  return isOffered
    ? body
    : { ...body, tools: [...tools, WEB_SEARCH_TOOL], tool_choice: withWebAllowed(body.tool_choice) };
}

/** A list of what is allowed is the caller's, who asks for the plugin besides. */
function withWebAllowed(choice: unknown): unknown {
  if (!isJsonObject(choice) || choice.type !== 'allowed_tools') return choice;
  return { ...choice, tools: [...listOrEmpty(choice.tools), WEB_SEARCH_TOOL] };
}

/** Members set to undefined are left out of the text, which is cheaper than deleting them from the copy. */
function passThrough(request: ConversationRequest, candidate: Candidate): JsonObject {
  const { traits } = candidate.model;
  const body: JsonObject = { ...request.body, model: candidate.upstreamModel };
  dropFields(body, GATEWAY_FIELDS);
  // When it is left out it means true, and the caller's conversation would stay with the provider.
  body.store = false;
  body.input = withUsableItems(body.input, traits);
  if (!traits.keepsOpenAiOnlyFields) {
    dropFields(body, OPENAI_ONLY_FIELDS);
    // A tier that has been paid for is sent in any case.
    Object.assign(body, paidExtras(request, candidate, 'responses'));
  }
  if (isJsonObject(body.reasoning)) body.reasoning = encodeReasoning(body.reasoning, traits);
  encodeThinking(body, traits);
  return body;
}

function withUsableItems(input: unknown, traits: FamilyTraits): unknown {
  if (!Array.isArray(input)) return input;
  const kept = input.some(isUnusableReasoning) ? input.filter((item) => !isUnusableReasoning(item)) : input;
  // `developer` is OpenAI's newer name for `system`, unknown elsewhere.
  if (traits.keepsOpenAiOnlyFields || !kept.some(isFromDeveloper)) return kept;
  return kept.map((item) => (isFromDeveloper(item) ? { ...item, role: 'system' } : item));
}

/** Reasoning without its encrypted content is looked up by its id, and nothing was stored under it. */
function isUnusableReasoning(item: unknown): boolean {
  if (!isJsonObject(item) || item.type !== 'reasoning') return false;
  const { encrypted_content: encrypted, content } = item;
  if (typeof encrypted === 'string' && encrypted !== '') return encrypted.startsWith(SEALED_ELSEWHERE);
  return !Array.isArray(content) || content.length === 0;
}

function isFromDeveloper(item: unknown): item is JsonObject {
  return isJsonObject(item) && item.role === 'developer' && (item.type === undefined || item.type === 'message');
}

/** To hide reasoning, the gateway does not ask for it. */
function encodeReasoning(reasoning: JsonObject, traits: FamilyTraits): JsonObject {
  const { exclude, ...wishes } = reasoning;
  if (exclude === true) wishes.summary = undefined;
  // These models always think, and some upstreams refuse a request to stop.
  if (traits.isReasoningMandatory && wishes.effort === 'none') wishes.effort = undefined;
  return wishes;
}

/** The only default that the gateway sets: thinking costs more in these families, so it is on only when asked for. */
function encodeThinking(body: JsonObject, traits: FamilyTraits): void {
  const isUnset = body.enable_thinking === undefined || body.enable_thinking === null;
  if (traits.isThinkingOptIn && isUnset) body.enable_thinking = false;
  if (traits.isReasoningMandatory && body.enable_thinking === false) body.enable_thinking = undefined;
}

function dropFields(body: JsonObject, fields: readonly string[]): void {
  for (const field of fields) {
    if (body[field] !== undefined) body[field] = undefined;
  }
}
