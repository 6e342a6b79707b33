// Turns the body of a Messages call into the request that the rest of the gateway works with. Coding agents send
// fields, tools and blocks that are newer than this file: unknown ones are accepted, and only known ones that are wrong
// are refused.

import { withoutClearing } from '../../canonical/clear-thinking.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { JsonDocument } from '../../platform/json-document.ts';
import { chatUnitsMax } from '../chat/chat-images.ts';
import { limitOutput, wantsReasoning } from '../conversation-fields.ts';
import { jsonTokens, TOOLS_OVERHEAD_TOKENS } from '../estimate-prompt.ts';
import { hostedToolsOf } from '../hosted-tools.ts';
import { reviewable } from '../map-texts.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { upstreamPlugins } from '../plugins.ts';
import { readTransforms } from '../read-transforms.ts';
import { refuseMissing } from '../refuse.ts';
import { dropCompacted } from './drop-compacted.ts';
import { dropForeignBlocks } from './drop-foreign-blocks.ts';
import { type BlockTally, createTally } from './parse-blocks.ts';
import { checkField, hasResponseSchema, isThinkingAsked } from './parse-fields.ts';
import { parseMessages, parseSystem } from './parse-messages.ts';
import { parseTools } from './parse-tools.ts';
import { toConversation } from './to-conversation.ts';

/** Measured block by block, with their own rules for media. */
const MEASURED_APART = new Set(['messages', 'system']);

/** The smallest budget for thinking in this format. */
const THINKING_TOKENS_MIN = 1_024;

export function parseMessagesRequest(body: JsonObject, source: JsonDocument | null = null): ConversationRequest {
  refuseThread(body.thread);
  const request = parseCountedRequest(body, source);
  if (request.outputTokensMax === null) throw refuseMissing('max_tokens');
  return request;
}

/** The same without a required output limit, for counting tokens. */
export function parseCountedRequest(sent: JsonObject, source: JsonDocument | null = null): ConversationRequest {
  const body = dropCompacted(sent);
  const [modelName, ...fallbackModelNames] = parseModelNames(body.model, body.models);
  const tally = createTally();
  parseSystem(body.system, tally);
  const messageCount = parseMessages(body.messages, tally);
  checkFields(body, tally);
  const preferences = parseProviderPreferences(body);
  const hasTools = parseTools(body.tools, body.tool_choice);
  if (hasTools) tally.tokens += TOOLS_OVERHEAD_TOKENS;
  const tokensMax = body.max_tokens;
  const { prepareTexts, visitTexts, withTexts, withBody } = reviewable(body, source, parseCountedRequest);
  const request: ConversationRequest = {
    operation: 'chat',
    isStream: body.stream === true,
    transforms: readTransforms(body),
    plugins: upstreamPlugins(body),
    hostedTools: hostedToolsOf(body),
    wantsReasoning: wantsReasoning(body),
    format: 'messages',
    modelName,
    fallbackModelNames,
    choiceCount: 1,
    outputTokensMax: typeof tokensMax === 'number' ? tokensMax : null,
    isOutputLimitHabitual: true,
    withOutputLimit: (limit) => limitOutput(request, limit, limited),
    messageCount,
    promptTokensEstimate: Math.ceil(tally.tokens),
    promptTokensBeyond: Math.ceil(tally.tokensBeyond),
    promptPictures: tally.pictures,
    needs: {
      tools: hasTools,
      responseFormat: hasResponseSchema(body),
      imageInput: tally.imageCount > 0,
      fileInput: tally.fileCount > 0,
      audioInput: false,
      videoInput: false,
      imageOutput: false,
    },
    preferences,
    isThinkingEnabled: isThinkingAsked(body),
    hidesReasoning: false,
    logprobCount: 0,
    body: dropForeignBlocks(body),
    source,
    prepareTexts,
    visitTexts,
    withTexts,
    withBody,
    unitsMax: chatUnitsMax(1, false),
    toConversation: () => toConversation(body),
  };
  return request;
}

/** A budget for thinking must be below the limit of the whole answer, and below a minimum there is none. */
function limited(whole: JsonObject, tokensMax: number): JsonObject {
  const body = { ...whole, max_tokens: tokensMax };
  const { thinking } = whole;
  if (!isJsonObject(thinking) || typeof thinking.budget_tokens !== 'number') return body;
  if (thinking.budget_tokens < tokensMax) return body;
  if (tokensMax <= THINKING_TOKENS_MIN) return { ...withoutClearing(body), thinking: { type: 'disabled' } };
  return { ...body, thinking: { ...thinking, budget_tokens: tokensMax - 1 } };
}

/**
 * One walk over the body's own keys. Everything that is not a message may still be shown to the model, so it is
 * measured.
 */
function checkFields(body: JsonObject, tally: BlockTally): void {
  for (const key in body) {
    if (MEASURED_APART.has(key)) continue;
    const value = body[key];
    checkField(key, value);
    if (typeof value === 'object' && value !== null) tally.tokens += jsonTokens(value);
  }
}

/**
 * A client that expects its history on the server sends only what is new. It sends all of it again when it is refused
 * with exactly this error; ignoring the field would lose the conversation.
 */
function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return;
  throw new ApiError('unsupported_param', 'thread is not supported: nothing is stored here. Send the whole history.', {
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  });
}
