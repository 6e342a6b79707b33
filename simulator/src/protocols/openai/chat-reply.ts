// The parts that a whole chat completion and a streamed one share: identity, usage, finish reasons, tool call ids.

import type { Commands } from '../../command-rules.ts';
import type { Reply, ToolCall } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import type { JsonObject } from '../../json.ts';

export type ChatReply = Readonly<{
  id: string;
  createdAtSeconds: number;
  model: string;
  choiceCount: number;
  reply: Reply;
  /** Pictures, as a message carries them. */
  images: readonly JsonObject[];
  /** How many alternatives are given beside each token; undefined when no probabilities are asked for. */
  alternatives: number | undefined;
  commands: Commands;
}>;

const TOKENS_PER_IMAGE = 1_290;

export const SYSTEM_FINGERPRINT = 'fp_tollgatesim';

const FINISH_REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  calls: 'tool_calls',
  filtered: 'content_filter',
  error: 'error',
};

export function finishReason(reply: Reply): string {
  return FINISH_REASONS[reply.finish];
}

export function toolCallJson(call: ToolCall, index: number, chatId: string): JsonObject {
  const id = `call_${index}${chatId.slice(-12)}`;
  return { id, type: 'function', function: { name: call.name, arguments: call.inputJson } };
}

/** `share` is the part of the completion that has been sent, for streams that count as they go. */
export function usageRecord(chat: ChatReply, share = 1): unknown {
  const { reply, commands, choiceCount } = chat;
  const isExact = commands.completionTokens !== undefined;
  const imageTokens = chat.images.length * TOKENS_PER_IMAGE;
  const total = isExact ? reply.completionTokens : (reply.completionTokens + imageTokens) * choiceCount;
  const completionTokens = Math.ceil(total * share);
  const audioTokens = commands.audioBesideTokens ?? 0;
  const usage = {
    prompt_tokens: reply.promptTokens,
    completion_tokens: completionTokens,
    total_tokens: reply.promptTokens + completionTokens + (commands.apartTokens ?? audioTokens),
    prompt_tokens_details: {
      cached_tokens: commands.cachedTokens ?? 0,
      audio_tokens: audioTokens,
      ...cacheWrite(commands),
    },
    completion_tokens_details: {
      reasoning_tokens: reply.reasoningTokens,
      ...(imageTokens > 0 && { image_tokens: Math.min(imageTokens, completionTokens) }),
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
  return bendUsage(usage, commands.usage);
}

// Not part of the original protocol: aggregators add this when the model behind them bills for writing to its cache.
function cacheWrite(commands: Commands): JsonObject {
  return commands.cacheWriteTokens === undefined ? {} : { cache_write_tokens: commands.cacheWriteTokens };
}

/** The reasoning fields of a message or a delta, in the style that was commanded. */
export function reasoningFields(text: string, commands: Commands): JsonObject {
  if (text === '') return {};
  if (commands.reasoning?.style !== 'details') return { reasoning_content: text };
  const detail = { type: 'reasoning.text', text, format: 'unknown', index: 0 };
  return { reasoning: text, reasoning_details: [detail] };
}
