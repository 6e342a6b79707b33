// Turns a client's chat body into the request that the rest of the gateway works with. Everything that can be wrong in
// a chat call is refused here, before a model is chosen or money is held; unknown fields never are.

import { isJsonObject, isSet, type JsonObject, numberOrNull } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { JsonDocument } from '../../platform/json-document.ts';
import { limitOutput, wantsReasoning } from '../conversation-fields.ts';
import { CUSTOM_TOOL_TOKENS, jsonTokens, TOOLS_OVERHEAD_TOKENS } from '../estimate-prompt.ts';
import { hostedToolsOf } from '../hosted-tools.ts';
import { reviewable } from '../map-texts.ts';
import { parseAnswerFormat } from '../parse-answer-format.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { upstreamPlugins } from '../plugins.ts';
import { readTransforms } from '../read-transforms.ts';
import { refuseField } from '../refuse.ts';
import { chatUnitsMax } from './chat-images.ts';
import { readCustomNames } from './custom-calls.ts';
import { normalizeBody } from './normalize-body.ts';
import { createTally, type PromptTally, readAudioPayload } from './parse-content.ts';
import { parseMessages } from './parse-messages.ts';
import { checkField } from './parse-sampling.ts';
import { parseTools } from './parse-tools.ts';
import { toConversation } from './to-conversation.ts';

const INPUT_IMAGES_MAX = 8;

export function parseChatRequest(original: JsonObject, source: JsonDocument | null = null): ConversationRequest {
  const body = normalizeBody(original);
  const [modelName, ...fallbackModelNames] = parseModelNames(body.model, body.models);
  const tally = createTally();
  const messageCount = parseMessages(body.messages, tally);
  checkFields(body, tally);
  checkTogether(body);
  const preferences = parseProviderPreferences(body);
  const hasTools = parseTools(body.tools, body.tool_choice);
  if (hasTools) tally.tokens += TOOLS_OVERHEAD_TOKENS + readCustomNames(body).size * CUSTOM_TOOL_TOKENS;
  const hasResponseFormat = parseAnswerFormat(body.response_format, 'response_format', 'json_schema');
  const makesImage = Array.isArray(body.modalities) && body.modalities.includes('image');
  if (makesImage) checkImageRequest(tally);
  const { reasoning } = body;
  const { prepareTexts, visitTexts, withTexts, withBody } = reviewable(body, source, parseChatRequest);
  const request: ConversationRequest = {
    operation: 'chat',
    isStream: body.stream === true,
    transforms: readTransforms(body),
    plugins: upstreamPlugins(body),
    hostedTools: hostedToolsOf(body),
    wantsReasoning: wantsReasoning(body),
    format: 'chat',
    modelName,
    fallbackModelNames,
    choiceCount: numberOrNull(body.n) ?? 1,
    outputTokensMax: numberOrNull(body.max_completion_tokens) ?? numberOrNull(body.max_tokens),
    isOutputLimitHabitual: false,
    withOutputLimit: (limit) => limitOutput(request, limit, limited),
    messageCount,
    promptTokensEstimate: Math.ceil(tally.tokens),
    promptTokensBeyond: Math.ceil(tally.tokensBeyond),
    promptPictures: tally.pictures,
    needs: {
      tools: hasTools,
      responseFormat: hasResponseFormat,
      imageInput: tally.imageCount > 0,
      fileInput: tally.fileCount > 0,
      audioInput: tally.audioCount > 0,
      videoInput: tally.videoCount > 0,
      imageOutput: makesImage,
    },
    preferences,
    // The only switch for families with paid thinking; other fields ask for effort, not for the dearer mode.
    isThinkingEnabled: body.enable_thinking === true,
    hidesReasoning: isJsonObject(reasoning) && reasoning.exclude === true,
    logprobCount: body.logprobs === true ? 1 + (numberOrNull(body.top_logprobs) ?? 0) : 0,
    body,
    source,
    prepareTexts,
    visitTexts,
    withTexts,
    withBody,
    unitsMax: chatUnitsMax(numberOrNull(body.n) ?? 1, makesImage),
    toConversation: () => toConversation(body),
  };
  return request;
}

const limited = (body: JsonObject, tokensMax: number): JsonObject => ({
  ...body,
  max_tokens: tokensMax,
  max_completion_tokens: undefined,
});

/**
 * One walk over the body's own keys. Everything that is not a message may still be shown to the model, so it is
 * measured.
 */
function checkFields(body: JsonObject, tally: PromptTally): void {
  for (const key in body) {
    if (key === 'messages') continue;
    const value = body[key];
    if (key === 'input_audio') {
      if (isSet(value)) readAudioPayload(value, () => 'input_audio', tally);
      continue;
    }
    checkField(key, value);
    if (typeof value === 'object' && value !== null) tally.tokens += jsonTokens(value);
  }
}

function checkTogether(body: JsonObject): void {
  const topLogprobs = body.top_logprobs;
  if (isSet(topLogprobs) && body.logprobs !== true) throw refuseField('top_logprobs', 'needs logprobs to be true');
}

function checkImageRequest(tally: PromptTally): void {
  if (tally.imageCount > INPUT_IMAGES_MAX) {
    throw new ApiError('too_many_images', `An image request takes at most ${INPUT_IMAGES_MAX} input images.`);
  }
  if (tally.hasPlainHttpImage) {
    throw new ApiError('invalid_image_url', 'Images to make an image from must be https URLs or data URIs.');
  }
  if (tally.hasImageWithoutText) {
    throw new ApiError('missing_prompt', 'A message with an image must also hold a text part that says what to make.');
  }
}
