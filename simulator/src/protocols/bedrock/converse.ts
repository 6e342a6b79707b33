// POST /model/<model>/converse and /converse-stream. Tokens read from or written to a cache are counted beside the
// input in this protocol, and a stream's usage comes after its end in a message of its own.

import { type Answer, type Frame, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { splitWords } from '../../content/text.ts';
import type { Reply } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import type { JsonObject } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { redactThinking, signThinking } from '../anthropic/signature.ts';
import { findConverseMistake, readConverseTurn } from './converse-turn.ts';
import { bedrockProtocol, packedFrame } from './protocol.ts';

const STOP_REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  filtered: 'guardrail_intervened',
  error: 'malformed_model_output',
};

type Told = Readonly<{ call: Call; reply: Reply }>;

function usageOf({ call: { commands }, reply }: Told): unknown {
  const { cachedTokens = 0, cacheWriteTokens = 0 } = commands;
  const usage = {
    inputTokens: Math.max(reply.promptTokens - cachedTokens - cacheWriteTokens, 0),
    outputTokens: reply.completionTokens,
    totalTokens: reply.promptTokens + reply.completionTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  };
  return bendUsage(usage, commands.usage);
}

function thinkingOf({ call: { commands }, reply }: Told): JsonObject | undefined {
  if (reply.reasoningTokens === 0) return undefined;
  if (commands.reasoning?.style === 'redacted') {
    return { redactedContent: Buffer.from(redactThinking(reply.reasoning)).toString('base64') };
  }
  return { reasoningText: { text: reply.reasoning, signature: signThinking(reply.reasoning) } };
}

const callId = ({ call }: Told, index: number): string => `tooluse_${index}${call.sequence}`;

function whole(told: Told): JsonObject {
  const { reply } = told;
  const thinking = thinkingOf(told);
  const calls = reply.calls.map(({ name, input }, index) => ({
    toolUse: { toolUseId: callId(told, index), name, input },
  }));
  const spoken = calls.length > 0 ? calls : [{ text: reply.text }];
  const content = [...(thinking === undefined ? [] : [{ reasoningContent: thinking }]), ...spoken];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: STOP_REASONS[reply.finish],
    usage: usageOf(told),
    metrics: { latencyMs: 1 },
  };
}

function thinkingFrames(told: Told): readonly Frame[] {
  const thinking = thinkingOf(told);
  if (thinking === undefined) return [];
  const { reasoningText, ...redacted } = thinking;
  const deltas =
    reasoningText === undefined
      ? [redacted]
      : [
          ...splitWords(told.reply.reasoning).map((text) => ({ text })),
          { signature: signThinking(told.reply.reasoning) },
        ];
  return [
    ...deltas.map((reasoningContent) =>
      packedFrame('structure', 'contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent } }),
    ),
    packedFrame('structure', 'contentBlockStop', { contentBlockIndex: 0 }),
  ];
}

function spokenFrames(told: Told): readonly Frame[] {
  const { reply } = told;
  const block = (contentBlockIndex: number, deltas: readonly JsonObject[]): readonly Frame[] => [
    ...deltas.map((delta) => packedFrame('content', 'contentBlockDelta', { contentBlockIndex, delta })),
    packedFrame('structure', 'contentBlockStop', { contentBlockIndex }),
  ];
  if (reply.calls.length === 0)
    return block(
      1,
      reply.pieces.map((text) => ({ text })),
    );
  return reply.calls.flatMap(({ name, inputJson }, index) => [
    packedFrame('structure', 'contentBlockStart', {
      contentBlockIndex: index + 1,
      start: { toolUse: { toolUseId: callId(told, index), name } },
    }),
    ...block(
      index + 1,
      splitWords(inputJson).map((input) => ({ toolUse: { input } })),
    ),
  ]);
}

function framesOf(told: Told): readonly Frame[] {
  const { reply, call } = told;
  const opening = packedFrame('structure', 'messageStart', { role: 'assistant' });
  const begun = [opening, ...thinkingFrames(told), ...spokenFrames(told)];
  if (call.commands.finish === 'error') return [...begun, bedrockProtocol.errorFrame()];
  return [
    ...begun,
    packedFrame('finish', 'messageStop', { stopReason: STOP_REASONS[reply.finish] }),
    packedFrame('usage', 'metadata', { usage: usageOf(told), metrics: { latencyMs: 1 } }),
  ];
}

function answerConverse(call: Call, isStream: boolean): Answer {
  const mistake = findConverseMistake(call.body);
  if (mistake !== undefined) return bedrockProtocol.error(400, mistake);
  const told = { call, reply: planReply(readConverseTurn(call.body), call.commands) };
  if (!isStream) return jsonAnswer(200, whole(told));
  // The checksums fit only this sequence, so the bytes are not reused.
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  return { kind: 'stream', headers, frames: framesOf(told), isStateful: true };
}

const operationOf = (verb: string, isStream: boolean): Operation => ({
  method: 'POST',
  path: `/model/:model/${verb}`,
  protocol: bedrockProtocol,
  modelIn: ({ model = '' }) => decodeURIComponent(model),
  answer: (call) => answerConverse(call, isStream),
});

export const converseOperations: readonly Operation[] = [
  operationOf('converse', false),
  operationOf('converse-stream', true),
];
