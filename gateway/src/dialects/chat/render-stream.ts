// A stream of an upstream of another format, as chat chunks. All chunks share one envelope, which is built once; the
// first names the role, because clients refuse a stream without one.

import type { Citation } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { RenderContext, StreamFinish, StreamRenderer } from '../stream-pipe.ts';
import { CallDeltas } from './custom-calls.ts';
import { CHAT_DONE_FRAME, CHAT_KEEP_ALIVE_FRAME, chatErrorFrame } from './frames.ts';
import { renderReasoningDetails } from './reasoning-details.ts';
import { renderChatCitations } from './render-citations.ts';
import { renderChatLogprobs } from './render-logprobs.ts';
import { renderChatUsage } from './render-usage.ts';

export function createChatRenderer(context: RenderContext): StreamRenderer {
  return new ChatStreamRenderer(context);
}

type ReasoningEnd = Extract<StreamPart, { type: 'reasoning-end' }>;

class ChatStreamRenderer implements StreamRenderer {
  readonly keepAliveFrame = CHAT_KEEP_ALIVE_FRAME;
  readonly #envelope: JsonObject;
  /** Everything before and after the delta of an ordinary chunk. */
  readonly #head: string;
  readonly #tail = ',"finish_reason":null}]}\n\n';
  readonly #hidesReasoning: boolean;
  readonly #calls = new CallDeltas();
  #isRoleSent = false;
  #reasoningIndex = -1;
  #reasoningItemId: string | undefined;
  /** Given when their text has ended, because they state where it ends. */
  #citations: Citation[] = [];
  #textStart = 0;
  #textEnd = 0;

  constructor(context: RenderContext) {
    this.#envelope = {
      id: context.id,
      object: 'chat.completion.chunk',
      created: context.createdSeconds,
      model: context.modelId,
    };
    this.#head = `data: ${JSON.stringify(this.#envelope).slice(0, -1)},"choices":[{"index":0,"delta":`;
    this.#hidesReasoning = context.request.hidesReasoning;
  }

  render(part: StreamPart): string {
    switch (part.type) {
      case 'text-start': {
        const late = this.#textEnd === 0 ? '' : this.#renderCitations();
        this.#textStart = this.#textEnd;
        return late;
      }
      case 'text-delta':
        this.#textEnd += part.text.length;
        return this.#chunk({ content: part.text });
      case 'text-end':
        return this.#renderCitations();
      case 'citation':
        this.#citations.push(part.citation);
        return '';
      case 'logprobs':
        return this.#chunk({ content: '' }, `,"logprobs":${JSON.stringify(renderChatLogprobs(part.tokens))}`);
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end': {
        const call = this.#calls.render(part);
        return call === null ? '' : this.#chunk({ tool_calls: [call] });
      }
      case 'reasoning-start':
        this.#reasoningIndex += 1;
        this.#reasoningItemId = part.itemId;
        return '';
      case 'reasoning-delta':
        return this.#hidesReasoning ? '' : this.#renderThought(part.text);
      case 'reasoning-end':
        return this.#hidesReasoning ? '' : this.#renderThoughtEnd(part);
      default:
        return '';
    }
  }

  finale(finish: StreamFinish, usage: Usage, costUsd: number): string {
    const citations = this.#renderCitations();
    const native = finish.native === null ? {} : { native_finish_reason: finish.native };
    const choice = { index: 0, delta: this.#withRole({}), finish_reason: finish.reason, ...native };
    const chunk = { ...this.#envelope, choices: [choice], usage: renderChatUsage(usage, costUsd) };
    return `${citations}data: ${JSON.stringify(chunk)}\n\n${CHAT_DONE_FRAME}`;
  }

  #renderCitations(): string {
    const citations = this.#citations;
    if (citations.length === 0) return '';
    this.#citations = [];
    return this.#chunk({ annotations: renderChatCitations(citations, { start: this.#textStart, end: this.#textEnd }) });
  }

  failure(error: ApiError): string {
    return chatErrorFrame(error) + CHAT_DONE_FRAME;
  }

  #renderThought(text: string): string {
    const details = renderReasoningDetails(
      { type: 'reasoning', text, itemId: this.#reasoningItemId },
      this.#reasoningIndex,
    );
    return this.#chunk({ reasoning: text, reasoning_details: details });
  }

  /** Only the signature: the text has been sent already, and clients add up what they get. */
  #renderThoughtEnd({ signature, redactedData, encryptedContent }: ReasoningEnd): string {
    if (signature === undefined && redactedData === undefined && encryptedContent === undefined) return '';
    const thought = { text: '', itemId: this.#reasoningItemId, signature, redactedData, encryptedContent };
    const details = renderReasoningDetails({ type: 'reasoning', ...thought }, this.#reasoningIndex);
    return this.#chunk({ reasoning_details: details });
  }

  /** `members` of the choice, each with a comma before it. */
  #chunk(delta: JsonObject, members = ''): string {
    return this.#head + JSON.stringify(this.#withRole(delta)) + members + this.#tail;
  }

  #withRole(delta: JsonObject): JsonObject {
    if (this.#isRoleSent) return delta;
    this.#isRoleSent = true;
    // Some clients read the first content without checking whether there is any.
    return { role: 'assistant', content: '', ...delta };
  }
}
