// The caller's body with the few changes that an upstream needs, or one written anew when the caller speaks another
// format. The body itself is never edited, because failover encodes the same request again for another model. Nothing
// is added except what the comments below say.

import { isJsonObject, isSet, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import type { Candidate, FamilyTraits } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { cutEdited } from '../../../platform/json-document.ts';
import { paidExtras } from '../../paid-extras.ts';
import type { TextCall } from '../../protocol.ts';
import { withMediaAttached } from './attached-results.ts';
import { emptyMembers, withoutEmptyLists } from './empty-members.ts';
import { encodeConversation } from './encode-conversation.ts';
import { withFailuresSaid } from './failed-results.ts';
import { fitMessages } from './fit-messages.ts';
import { withThinking } from './thinking-back.ts';
import { takesVendorTools, usesVendorTools, withoutVendorTools } from './vendor-tools.ts';
import { fieldsRefusedAt, limitNameAt, refusesTierAt, vendorAt } from './vendors.ts';

const CHAT_PATH = '/chat/completions';

/** Fields that the gateway itself handles; strict upstreams refuse them. */
const GATEWAY_FIELDS = ['models', 'provider', 'transforms', 'usage', 'session_id'];

/** Families other than OpenAI's do not know these fields; they are left out so that the call succeeds. */
const OPENAI_ONLY_FIELDS = ['user', 'logprobs', 'top_logprobs', 'logit_bias', 'parallel_tool_calls', 'service_tier'];

export function encodeChatRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const isSame = request.format === 'chat';
  const body = isSame ? request.body : encodeConversation(request, candidate);
  const changes = isSame ? changesOfSame(request, candidate) : {};
  const messages = withMediaAttached(withFailuresSaid(withoutEmptyLists(sent('messages', changes, body))));
  changes.messages = withThinking(fitMessages(messages, candidate), candidate);
  addThinking(changes, body, candidate.model.traits);
  changes.plugins = encodePlugins(request, candidate);
  for (const field of fieldsRefusedAt(candidate)) changes[field] = undefined;
  if (refusesTierAt(candidate, body.service_tier)) changes.service_tier = undefined;
  return { path: CHAT_PATH, body: cutEdited(isSame ? request.source : null, body, changes) };
}

/** Undefined members are left out of the text. */
function changesOfSame(request: ConversationRequest, candidate: Candidate): JsonObject {
  const { body } = request;
  const { traits } = candidate.model;
  const changes: JsonObject = {
    ...emptyMembers(body),
    model: candidate.upstreamModel,
    stream_options: request.isStream ? withUsage(body.stream_options) : undefined,
  };
  leaveOut(changes, body, GATEWAY_FIELDS);
  if (!traits.keepsOpenAiOnlyFields) {
    leaveOut(changes, body, OPENAI_ONLY_FIELDS);
    // A tier that has been paid for is sent in any case.
    Object.assign(changes, paidExtras(request, candidate, 'chat'));
    changes.messages = withoutDeveloperRole(body.messages);
  }
  if (usesVendorTools(body) && !takesVendorTools(candidate)) {
    Object.assign(changes, withoutVendorTools(body, sent('messages', changes, body)));
  }
  nameLimit(changes, request, candidate);
  return changes;
}

/**
 * An upstream refuses both names together. Nearly every server knows the older one and many ignore the newer, which is
 * sent only where somebody knows it.
 */
function nameLimit(changes: JsonObject, request: ConversationRequest, candidate: Candidate): void {
  const { max_tokens: older, max_completion_tokens: newer } = request.body;
  const limit = isSet(newer) ? newer : older;
  if (!isSet(limit)) return;
  const isNewer = isSet(newer)
    ? knowsNewerLimit(candidate)
    : request.isOutputLimitOurs && candidate.model.traits.keepsOpenAiOnlyFields;
  changes.max_tokens = undefined;
  changes.max_completion_tokens = undefined;
  changes[limitNameAt(candidate) ?? (isNewer ? 'max_completion_tokens' : 'max_tokens')] = limit;
}

/** OpenAI's thinking models know only the newer name, whoever serves them, and under whatever name of ours. */
const OPENAI_MODEL = /(?:^|[/.])(?:chat)?(?:gpt|o\d)(?:\b|-)/i;

function knowsNewerLimit(candidate: Candidate): boolean {
  const { model, upstreamModel, provider } = candidate;
  if (model.traits.keepsOpenAiOnlyFields || OPENAI_MODEL.test(upstreamModel)) return true;
  return provider.protocol === 'azure' || vendorAt(candidate) !== undefined;
}

const sent = (name: string, changes: JsonObject, body: JsonObject): unknown =>
  Object.hasOwn(changes, name) ? changes[name] : body[name];

/** Most upstreams ignore unknown fields; those that refuse them are marked in the catalog. */
function encodePlugins({ plugins }: ConversationRequest, { provider }: Candidate): readonly JsonObject[] | undefined {
  return plugins.length === 0 || provider.takesPlugins === false ? undefined : plugins;
}

function addThinking(changes: JsonObject, body: JsonObject, traits: FamilyTraits): void {
  // The only default that the gateway sets: thinking costs more in these families, so it is on only when asked for.
  if (traits.isThinkingOptIn && !isSet(body.enable_thinking)) changes.enable_thinking = false;
  if (!traits.isReasoningMandatory) return;
  // These models always think, and some upstreams refuse a request to stop.
  if (sent('enable_thinking', changes, body) === false) changes.enable_thinking = undefined;
  if (isJsonObject(body.thinking) && body.thinking.type === 'disabled') changes.thinking = undefined;
  if (body.reasoning_effort === 'none') changes.reasoning_effort = undefined;
  if (isJsonObject(body.reasoning)) changes.reasoning = withoutDisabling(body.reasoning);
}

function withoutDisabling(reasoning: JsonObject): JsonObject {
  const isDisabling = reasoning.effort === 'none' || reasoning.enabled === false;
  if (!isDisabling) return reasoning;
  const { effort, enabled, ...others } = reasoning;
  return {
    ...others,
    ...(effort !== undefined && effort !== 'none' ? { effort } : {}),
    ...(enabled === true ? { enabled } : {}),
  };
}

/** The gateway bills by the usage record, so it always asks for one, in the last place: it counts for some readers. */
function withUsage(options: unknown): JsonObject {
  const { include_usage: _, ...others } = objectOrEmpty(options);
  return { ...others, include_usage: true };
}

/** `developer` is OpenAI's newer name for `system`, unknown elsewhere. */
function withoutDeveloperRole(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(isFromDeveloper)) return messages;
  return messages.map((message) => (isFromDeveloper(message) ? { ...message, role: 'system' } : message));
}

function isFromDeveloper(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'developer';
}

function leaveOut(changes: JsonObject, body: JsonObject, fields: readonly string[]): void {
  for (const field of fields) {
    if (body[field] !== undefined) changes[field] = undefined;
  }
}
