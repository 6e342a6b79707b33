// The dialect of the old completions: a prompt is continued. A provider that has them answers in its own form; any
// other answers a chat whose text is shown as the continuation, without its thinking.

import type { Answer } from '../../canonical/answer.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { assert } from '../../platform/assert.ts';
import { CHAT_DONE_FRAME, CHAT_KEEP_ALIVE_FRAME, chatErrorFrame } from '../chat/frames.ts';
import { renderChatUsage } from '../chat/render-usage.ts';
import { conversationDialect } from '../conversation-dialect.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext, StreamRenderer } from '../stream-pipe.ts';
import { parseCompletionRequest } from './parse-request.ts';

export const completionsDialect = conversationDialect({
  format: 'completions',
  forwardedHeaders: [],
  parse: (body) => parseCompletionRequest(body),
  renderSame: ({ json }, context, bill) => write(context, choicesOf(json), bill),
  renderAnswer: (answer, context, bill) => write(context, [choiceOf(answer)], bill),
  openSame: unspoken,
  createRenderer,
});

/** Streams are always decoded, so none comes in this form. */
function unspoken(): never {
  assert(false, 'streams of completions are translated');
}

const envelopeOf = ({ id, createdSeconds, modelId }: RenderContext) => ({
  id,
  object: 'text_completion',
  created: createdSeconds,
  model: modelId,
});

function write(context: RenderContext, choices: readonly JsonObject[], { usage, costUsd }: Bill): string {
  return JSON.stringify({ ...envelopeOf(context), choices, usage: renderChatUsage(usage, costUsd) });
}

function choicesOf({ choices }: JsonObject): readonly JsonObject[] {
  const list: readonly JsonObject[] = Array.isArray(choices) ? choices.filter(isJsonObject) : [];
  return list.map(({ text, logprobs, finish_reason: reason }, index) => ({
    text,
    index,
    logprobs: logprobs ?? null,
    finish_reason: reason ?? 'stop',
  }));
}

function choiceOf({ parts, finishReason }: Answer): JsonObject {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, index: 0, logprobs: null, finish_reason: finishReason };
}

function createRenderer(context: RenderContext): StreamRenderer {
  const envelope = envelopeOf(context);
  const frame = (choice: JsonObject, more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ ...envelope, choices: [{ index: 0, logprobs: null, ...choice }], ...more })}\n\n`;
  return {
    keepAliveFrame: CHAT_KEEP_ALIVE_FRAME,
    render: (part: StreamPart) => (part.type === 'text-delta' ? frame({ text: part.text, finish_reason: null }) : ''),
    finale: ({ reason }, usage, costUsd) =>
      frame({ text: '', finish_reason: reason }, { usage: renderChatUsage(usage, costUsd) }) + CHAT_DONE_FRAME,
    failure: (error) => chatErrorFrame(error) + CHAT_DONE_FRAME,
  };
}
