// The parts that a whole message and a streamed one share. In this protocol `input_tokens` leaves out what was read
// from or written to the cache.

import type { Commands } from '../../command-rules.ts';
import type { Reply } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import type { JsonObject } from '../../json.ts';
import { iterationsField } from './iterations.ts';
import type { CacheUse } from './prompt-cache.ts';
import { redactThinking, signThinking } from './signature.ts';

export type MessageReply = Readonly<{
  id: string;
  model: string;
  reply: Reply;
  cacheUse: CacheUse;
  commands: Commands;
}>;

const STOP_REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  filtered: 'refusal',
  error: 'end_turn',
};

export function stopReason(reply: Reply): string {
  return STOP_REASONS[reply.finish];
}

export function thinkingBlock({ reply, commands }: MessageReply): JsonObject | undefined {
  if (reply.reasoningTokens === 0) return undefined;
  if (commands.reasoning?.style === 'redacted')
    return { type: 'redacted_thinking', data: redactThinking(reply.reasoning) };
  return { type: 'thinking', thinking: reply.reasoning, signature: signThinking(reply.reasoning) };
}

export function toolUseId(index: number, messageId: string): string {
  return `toolu_01TollgateS${index}${messageId.slice(-12)}`;
}

function inputFigures({ reply, cacheUse, commands }: MessageReply): JsonObject {
  const readTokens = commands.cachedTokens ?? cacheUse.readTokens;
  const written5mTokens = commands.cacheWriteTokens ?? cacheUse.written5mTokens;
  const writtenTokens = written5mTokens + cacheUse.written1hTokens;
  return {
    input_tokens: Math.max(reply.promptTokens - readTokens - writtenTokens, 0),
    cache_creation_input_tokens: writtenTokens,
    cache_read_input_tokens: readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: written5mTokens,
      ephemeral_1h_input_tokens: cacheUse.written1hTokens,
    },
  };
}

export function wholeUsage(message: MessageReply, outputTokens?: number): unknown {
  const { commands, reply } = message;
  const totals = { ...inputFigures(message), output_tokens: outputTokens ?? reply.completionTokens };
  // The record at the start of a stream has no turns yet.
  const turns = outputTokens === undefined ? iterationsField(commands, totals) : {};
  return bendUsage({ ...totals, ...turns, service_tier: 'standard' }, commands.usage);
}

/** The usage of a `message_delta`: cumulative, and without the breakdown. */
export function deltaUsage(message: MessageReply, share = 1): unknown {
  const { cache_creation: _, ...figures } = inputFigures(message);
  const totals = { ...figures, output_tokens: Math.ceil(message.reply.completionTokens * share) };
  const turns = share === 1 ? iterationsField(message.commands, totals) : {};
  return bendUsage({ ...totals, ...turns }, message.commands.usage);
}

export function messageEnvelope(message: MessageReply): JsonObject {
  const { provider } = message.commands;
  return {
    id: message.id,
    ...(provider !== undefined && { provider }),
    type: 'message',
    role: 'assistant',
    model: message.model,
  };
}
