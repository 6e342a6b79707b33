// A whole answer of an upstream of another format, as a chat completion. Nothing is invented: members that only an
// upstream could supply are left out.

import type { Answer } from '../../canonical/answer.ts';
import type { ReasoningPart } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { chatImage } from './chat-images.ts';
import { readCustomNames, renderCall } from './custom-calls.ts';
import { renderReasoningDetails } from './reasoning-details.ts';
import { renderChatCitations } from './render-citations.ts';
import { renderChatLogprobs } from './render-logprobs.ts';
import { renderChoiceError } from './render-response.ts';
import { renderChatUsage } from './render-usage.ts';

export function renderChatAnswer(answer: Answer, context: RenderContext, bill: Bill): string {
  const { nativeFinishReason } = answer;
  return JSON.stringify({
    id: context.id,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.modelId,
    // Some clients refuse an answer without this member.
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: renderMessage(answer, context.request),
        ...(answer.logprobs === undefined ? {} : { logprobs: renderChatLogprobs(answer.logprobs) }),
        finish_reason: answer.finishReason,
        ...(nativeFinishReason === null ? {} : { native_finish_reason: nativeFinishReason }),
        ...(answer.finishReason === 'error' ? { error: renderChoiceError(null) } : {}),
      },
    ],
    usage: renderChatUsage(bill.usage, bill.costUsd),
  });
}

function renderMessage({ parts, shown = [] }: Answer, { hidesReasoning, body }: ConversationRequest): JsonObject {
  const customNames = readCustomNames(body);
  const texts: string[] = [];
  const calls: JsonObject[] = [];
  const thoughts: ReasoningPart[] = [];
  const annotations: JsonObject[] = [];
  let length = 0;
  for (const part of parts) {
    if (part.type === 'text') {
      const text = { start: length, end: length + part.text.length };
      annotations.push(...renderChatCitations(part.citations ?? [], text));
      texts.push(part.text);
      length = text.end;
    } else if (part.type === 'reasoning') thoughts.push(part);
    else if (part.type === 'tool-call') calls.push(renderCall(part, customNames));
  }
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('') : null,
    ...(hidesReasoning || thoughts.length === 0 ? {} : renderThoughts(thoughts)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(shown.length === 0 ? {} : { images: shown.map(chatImage) }),
  };
}

function renderThoughts(thoughts: readonly ReasoningPart[]): JsonObject {
  const text = thoughts.map((thought) => thought.text).join('');
  return {
    ...(text === '' ? {} : { reasoning: text }),
    reasoning_details: thoughts.flatMap(renderReasoningDetails),
  };
}
