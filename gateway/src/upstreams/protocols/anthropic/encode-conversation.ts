// Writes a conversation of another dialect as a Messages body. Nothing is added that the caller did not ask for, except
// the token limit, which the API requires; settings that the API does not have (penalties, seeds) are left out.

import type { Conversation, ResponseFormat, Sampling } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { formatWords } from '../../format-words.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { adaptSchema } from './adapt-schema.ts';
import { encodeEffort, encodeThinking, type Thinking } from './encode-thinking.ts';
import { encodeToolChoice, encodeTools, forcingWords } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';
import { isAdaptive, takesSchemas, wantsLastWord } from './model-version.ts';

const OUTPUT_TOKENS_DEFAULT = 4_096;
const USER_ID_LENGTH_MAX = 256;
/** Lower values are refused while the model thinks. */
const THINKING_TOP_P_MIN = 0.95;

export function encodeConversation(asked: Conversation, candidate: Candidate, isStream: boolean): JsonObject {
  const { model } = candidate;
  const conversation = model.traits.keepsOpenAiOnlyFields ? asked : withoutForeignWishes(asked);
  const format = encodeResponseFormat(conversation.responseFormat, candidate);
  const { system, turns } = encodeTurns(conversation.messages, wantsLastWord(candidate));
  const forcing = forcingWords(conversation, candidate);
  const instructions = [
    ...system,
    ...format.instructions,
    ...(forcing === null ? [] : [{ type: 'text', text: forcing }]),
  ];
  const maxTokens = conversation.outputTokensMax ?? model.completionTokensMax ?? OUTPUT_TOKENS_DEFAULT;
  const tools = encodeTools(conversation.tools);
  const toolChoice = encodeToolChoice(conversation, candidate);
  const thinking = encodeThinking(conversation.reasoning, {
    maxTokens,
    turns,
    isToolForced: toolChoice?.type === 'any' || toolChoice?.type === 'tool',
    candidate,
  });
  const output = { ...format.output, ...encodeEffort(conversation.reasoning, thinking) };
  return {
    model: candidate.upstreamModel,
    max_tokens: maxTokens,
    ...(instructions.length > 0 && { system: instructions }),
    messages: refuseNothing(turns),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(thinking !== undefined && { thinking }),
    ...encodeSampling(conversation.sampling, thinking, isAdaptive(candidate)),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...encodeMetadata(conversation.endUserId),
    ...(isStream && { stream: true }),
  };
}

/** Spec, chat request: these two are silently left out for models of other families, even those that support them. */
function withoutForeignWishes(conversation: Conversation): Conversation {
  return { ...conversation, endUserId: undefined, isParallelToolCalls: undefined };
}

/** A model that decides itself refuses everything but stop sequences. */
function encodeSampling(sampling: Sampling, thinking: Thinking | undefined, isItsOwnChoice: boolean): JsonObject {
  const { temperature, topP, topK } = sampling;
  // A sequence of only white space is refused.
  const stop = sampling.stop?.filter((sequence) => sequence.trim() !== '') ?? [];
  const stopSequences = stop.length > 0 ? { stop_sequences: stop } : {};
  if (isItsOwnChoice) return stopSequences;
  if (thinking?.type === 'enabled') {
    const isTopPTaken = topP !== undefined && topP >= THINKING_TOP_P_MIN;
    return { ...stopSequences, ...(isTopPTaken && { top_p: topP }) };
  }
  return {
    ...stopSequences,
    // Other vendors' scale goes to 2; here anything above 1 is refused, and 1 is as random as the model gets.
    ...(temperature !== undefined && { temperature: Math.min(Math.max(temperature, 0), 1) }),
    // Newer models refuse both together, and the temperature is the one that callers usually mean.
    ...(topP !== undefined && temperature === undefined && { top_p: topP }),
    ...(topK !== undefined && topK > 0 && { top_k: topK }),
  };
}

/** A long id is refused, and a shortened one could belong to somebody else. */
function encodeMetadata(endUserId: string | undefined): JsonObject {
  if (endUserId === undefined || endUserId === '' || endUserId.length > USER_ID_LENGTH_MAX) return {};
  return { metadata: { user_id: endUserId } };
}

// The form the answer shall have. A schema is the API's own feature, which earlier models do not have; for them and for
// plain JSON the caller's wish is put into words, after all other instructions, where it disturbs no cached prefix.

type EncodedFormat = Readonly<{ instructions: readonly JsonObject[]; output: JsonObject }>;

function encodeResponseFormat(format: ResponseFormat | undefined, candidate: Candidate): EncodedFormat {
  if (format?.type === 'json-schema' && takesSchemas(candidate)) {
    return { instructions: [], output: { format: { type: 'json_schema', schema: adaptSchema(format.schema) } } };
  }
  const words = formatWords(format);
  return { instructions: words === null ? [] : [{ type: 'text', text: words }], output: {} };
}
