// POST /chat/completions, whole and streamed, in the exact shape of the real API.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { findChatMistake } from './chat-mistake.ts';
import {
  type ChatReply,
  finishReason,
  reasoningFields,
  SYSTEM_FINGERPRINT,
  toolCallJson,
  usageRecord,
} from './chat-reply.ts';
import { chatFrames } from './chat-stream.ts';
import { readChatTurn } from './chat-turn.ts';
import { chatImages } from './images.ts';
import { alternativesOf, logprobsOf } from './logprobs.ts';
import { openaiProtocol } from './protocol.ts';

function wholeCompletion(chat: ChatReply): JsonObject {
  const { reply, commands } = chat;
  const message = {
    role: 'assistant',
    content: reply.calls.length > 0 ? null : reply.text,
    ...reasoningFields(reply.reasoning, commands),
    ...(reply.calls.length > 0 && { tool_calls: reply.calls.map((call, at) => toolCallJson(call, at, chat.id)) }),
    ...(chat.images.length > 0 && { images: chat.images }),
    refusal: null,
    annotations: [],
  };
  const finish = finishReason(reply);
  return {
    id: chat.id,
    ...(commands.provider !== undefined && { provider: commands.provider }),
    object: 'chat.completion',
    created: chat.createdAtSeconds,
    model: chat.model,
    choices: Array.from({ length: chat.choiceCount }, (_, index) => ({
      index,
      message,
      logprobs: reply.calls.length > 0 ? null : logprobsOf(reply.pieces, chat.alternatives),
      finish_reason: finish,
    })),
    usage: usageRecord(chat),
    service_tier: 'default',
    system_fingerprint: SYSTEM_FINGERPRINT,
  };
}

/** One where pictures are asked for, or as many as commanded. */
function picturesIn({ body, commands }: Call): number {
  const isAsked = Array.isArray(body.modalities) && body.modalities.includes('image');
  return commands.pictures ?? (isAsked ? 1 : 0);
}

function answerChat(call: Call): Answer {
  const { body, commands } = call;
  const mistake = findChatMistake(body);
  if (mistake !== undefined) return openaiProtocol.error(400, mistake);
  const model = stringAt(body, 'model') ?? '';
  const chat: ChatReply = {
    id: `chatcmpl-TollgateSimulator${call.sequence}`,
    createdAtSeconds: call.createdAtSeconds,
    model: commands.isOtherModel ? `${model}-2025-01-01` : model,
    choiceCount: numberAt(body, 'n') ?? 1,
    reply: planReply(readChatTurn(body), commands),
    images: chatImages(call, picturesIn(call)),
    alternatives: alternativesOf(body),
    commands,
  };
  if (body.stream !== true) return jsonAnswer(200, wholeCompletion(chat));
  const isUsageRequested = objectAt(body, 'stream_options')?.include_usage === true;
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { kind: 'stream', headers, frames: chatFrames(chat, isUsageRequested) };
}

export const chatOperation: Operation = {
  method: 'POST',
  path: '/chat/completions',
  protocol: openaiProtocol,
  answer: answerChat,
};
