// Turns the body of a Responses call into the request that the rest of the gateway works with. Nothing is stored
// between calls, so everything that would need an earlier one is refused here, with an error that tells a client how to
// go on without.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { JsonDocument } from '../../platform/json-document.ts';
import { chatUnitsMax } from '../chat/chat-images.ts';
import { checkField } from '../chat/parse-sampling.ts';
import { limitOutput, wantsReasoning } from '../conversation-fields.ts';
import { jsonTokens, textTokens } from '../estimate-prompt.ts';
import { checkTokenLimit } from '../field-checks.ts';
import { hostedToolsOf } from '../hosted-tools.ts';
import { reviewable } from '../map-texts.ts';
import { parseAnswerFormat } from '../parse-answer-format.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { upstreamPlugins } from '../plugins.ts';
import { readTransforms } from '../read-transforms.ts';
import { refuseField } from '../refuse.ts';
import { normalizeBody } from './normalize-body.ts';
import type { InputTally } from './parse-content.ts';
import { parseInput } from './parse-input.ts';
import { parseTools } from './parse-tools.ts';
import { toConversation } from './to-conversation.ts';

/** Checked and measured by parsers of their own. */
const OWN_PARSER = new Set(['input', 'instructions', 'max_output_tokens']);

/** Each names something in a provider's store, in the gateway's own account, which all callers share. */
const STATE_FIELDS = ['previous_response_id', 'conversation', 'prompt'];

export function parseResponsesRequest(original: JsonObject, source: JsonDocument | null = null): ConversationRequest {
  refuseState(original);
  parseAnswerFormat(original.response_format, 'response_format', 'json_schema');
  const body = normalizeBody(original);
  const [modelName, ...fallbackModelNames] = parseModelNames(body.model, body.models);
  const tally: InputTally = { tokens: 0, tokensBeyond: 0, pictures: 0, imageCount: 0, fileCount: 0, audioCount: 0 };
  const itemCount = parseInput(body.input, tally);
  checkInstructions(body.instructions, tally);
  checkFields(body, tally);
  const preferences = parseProviderPreferences(body);
  const tools = parseTools(body);
  tally.tokens += tools.tokens;
  const { reasoning } = body;
  const { prepareTexts, visitTexts, withTexts, withBody } = reviewable(body, source, parseResponsesRequest);
  const request: ConversationRequest = {
    operation: 'chat',
    isStream: body.stream === true,
    transforms: readTransforms(body),
    plugins: upstreamPlugins(body),
    hostedTools: hostedToolsOf(body),
    offersPlainTools: tools.hasCustom,
    wantsReasoning: wantsReasoning(body),
    format: 'responses',
    modelName,
    fallbackModelNames,
    choiceCount: 1,
    outputTokensMax: readOutputLimit(body.max_output_tokens),
    isOutputLimitHabitual: false,
    withOutputLimit: (limit) => limitOutput(request, limit, limited),
    messageCount: itemCount,
    promptTokensEstimate: Math.ceil(tally.tokens),
    promptTokensBeyond: Math.ceil(tally.tokensBeyond),
    promptPictures: tally.pictures,
    needs: {
      tools: tools.hasFunctions,
      responseFormat: parseTextFormat(body.text),
      imageInput: tally.imageCount > 0,
      fileInput: tally.fileCount > 0,
      audioInput: tally.audioCount > 0,
      videoInput: false,
      imageOutput: false,
    },
    preferences,
    isThinkingEnabled: body.enable_thinking === true,
    hidesReasoning: isJsonObject(reasoning) && reasoning.exclude === true,
    logprobCount: logprobCountOf(body),
    body,
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

function parseTextFormat(text: unknown): boolean {
  if (text === undefined || text === null) return false;
  if (!isJsonObject(text)) throw refuseField('text', 'must be an object');
  return parseAnswerFormat(text.format, 'text.format');
}

const LOGPROBS_MAX = 20;

/** The field alone asks for log probabilities, and so does including them. */
function logprobCountOf({ top_logprobs: alternatives, include }: JsonObject): number {
  const isIncluded = Array.isArray(include) && include.includes('message.output_text.logprobs');
  const count = typeof alternatives === 'number' && alternatives > 0 ? Math.min(alternatives, LOGPROBS_MAX) : 0;
  return count > 0 || isIncluded ? 1 + count : 0;
}

const limited = (body: JsonObject, tokensMax: number): JsonObject => ({ ...body, max_output_tokens: tokensMax });

function refuseState(body: JsonObject): void {
  const { store } = body;
  const hint = 'Nothing is stored here: send the whole history in input, with store:false.';
  for (const field of STATE_FIELDS) {
    if (body[field] === undefined || body[field] === null) continue;
    throw new ApiError('invalid_prompt', `${field} is not supported. ${hint}`);
  }
  if (isSet(store) && typeof store !== 'boolean') throw refuseField('store', 'must be a boolean');
  if (store === true) throw new ApiError('invalid_prompt', `store must not be true. ${hint}`);
}

function checkInstructions(instructions: unknown, tally: InputTally): void {
  if (instructions === undefined || instructions === null) return;
  if (typeof instructions !== 'string') throw refuseField('instructions', 'must be a string');
  tally.tokens += textTokens(instructions);
}

/**
 * One walk over the body's own keys. Everything that is not an item may still be shown to the model, so it is measured.
 */
function checkFields(body: JsonObject, tally: InputTally): void {
  for (const key in body) {
    if (OWN_PARSER.has(key)) continue;
    const value = body[key];
    checkField(key, value);
    if (typeof value === 'object' && value !== null) tally.tokens += jsonTokens(value);
  }
}

function readOutputLimit(limit: unknown): number | null {
  if (limit === undefined || limit === null) return null;
  checkTokenLimit(limit, 'max_output_tokens');
  return limit;
}
