// Writes an answer's parts as the complete sequence of events that clients of this dialect rely on. An item is closed
// only when the next one begins or the answer has been paid for: agents take the event that closes an item as its
// content, so the last one is part of the finish.

import type { TokenLogprob } from '../../canonical/answer.ts';
import type { Citation, ReasoningPart } from '../../canonical/conversation.ts';
import { customArguments } from '../../canonical/custom-tools.ts';
import { isFilled, type JsonObject } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { renderToken } from '../chat/render-logprobs.ts';
import type { RenderContext, StreamFinish, StreamRenderer } from '../stream-pipe.ts';
import { errorMembers, eventFrame, failureFrames, RESPONSES_KEEP_ALIVE_FRAME } from './frames.ts';
import {
  annotation,
  customCallItem,
  functionCallItem,
  type ItemStatus,
  messageItem,
  NO_ARGUMENTS,
  outputText,
  pictureItem,
  reasoningItem,
  summaryText,
} from './output-items.ts';
import { renderResponsesUsage } from './render-usage.ts';
import { type ItemPrefix, itemIdOf } from './response-id.ts';
import { createResponseWriter, outcomeOf, type ResponseWriter } from './response-object.ts';
import { type CalledName, calledName, readToolNames, type ToolNames } from './tool-names.ts';

type OpenItem = {
  readonly id: string;
  readonly outputIndex: number;
  /** Members that every event of the item repeats. */
  readonly place: string;
  text: string;
} & (
  | {
      readonly kind: 'message';
      readonly citations: Citation[];
      readonly logprobs: TokenLogprob[];
      readonly own: JsonObject | undefined;
    }
  | {
      readonly kind: 'function-call';
      readonly callId: string;
      readonly called: CalledName;
      readonly own: JsonObject | undefined;
      /** Its input is plain text. */
      readonly isPlain: boolean;
    }
  | { readonly kind: 'picture'; readonly bytes: Buffer }
  /** An item that only this format has; it is complete. */
  | { readonly kind: 'block'; readonly block: JsonObject }
  | { readonly kind: 'reasoning'; proof: Omit<ReasoningPart, 'type' | 'text'>; hasSummary: boolean }
);

type ItemOf<Kind extends OpenItem['kind']> = Extract<OpenItem, { kind: Kind }>;

export function createResponsesRenderer(context: RenderContext): StreamRenderer {
  return new ResponsesRenderer(context);
}

class ResponsesRenderer implements StreamRenderer {
  readonly keepAliveFrame = RESPONSES_KEEP_ALIVE_FRAME;
  readonly #generationId: string;
  readonly #hidesReasoning: boolean;
  readonly #write: ResponseWriter;
  readonly #names: ToolNames;
  #sequenceNumber = 0;
  #itemCount = 0;
  #message: ItemOf<'message'> | null = null;
  #reasoning: ItemOf<'reasoning'> | null = null;
  readonly #calls = new Map<number, ItemOf<'function-call'>>();
  /** Items that the model has ended and that are not closed towards the client. */
  readonly #ended: OpenItem[] = [];
  readonly #output: JsonObject[] = [];
  /** Citations of a text that has not begun. */
  #citations: Citation[] = [];

  constructor(context: RenderContext) {
    this.#generationId = context.id;
    this.#hidesReasoning = context.request.hidesReasoning;
    this.#write = createResponseWriter(context);
    this.#names = readToolNames(context.request.body);
  }

  render(part: StreamPart): string {
    switch (part.type) {
      case 'text-start':
        return this.#openMessage(part.own);
      case 'text-delta':
        return this.#textDelta(part.text);
      case 'citation':
        this.#citations.push(part.citation);
        return '';
      case 'logprobs':
        this.#message?.logprobs.push(...part.tokens);
        return '';
      case 'text-end':
        this.#takeCitations();
        this.#message = this.#endItem(this.#message);
        return '';
      case 'reasoning-start':
        return this.#openReasoning(part.itemId);
      case 'reasoning-delta':
        return this.#reasoningDelta(part.text);
      case 'reasoning-end':
        return this.#endReasoning(part);
      case 'tool-input-start':
        return this.#openCall(part);
      case 'tool-input-delta':
        return this.#callDelta(part.index, part.text);
      case 'tool-input-end':
        return this.#endCall(part.index);
      case 'picture':
        return part.picture.kind === 'bytes' ? this.#addPicture(part.picture.bytes) : '';
      case 'block':
        return this.#addBlock(part.block);
      default:
        return '';
    }
  }

  finale(finish: StreamFinish, usage: Usage, costUsd: number): string {
    this.#takeCitations();
    const outcome = outcomeOf(finish.reason);
    const isCut = outcome.status === 'incomplete' || outcome.status === 'failed';
    const open = [this.#message, this.#reasoning, ...this.#calls.values()].filter((item) => item !== null);
    const left = [...this.#ended, ...open].sort((one, other) => one.outputIndex - other.outputIndex);
    let frames = this.#begin();
    for (const item of left) frames += this.#close(item, isCut && item === left.at(-1) ? 'incomplete' : 'completed');
    this.#ended.length = 0;
    if (outcome.error !== undefined) frames += this.#event('error', errorMembers(outcome.error, 'upstream_error'));
    const response = this.#write(outcome, this.#output, renderResponsesUsage({ usage, costUsd }));
    return frames + this.#event(`response.${outcome.status}`, `"response":${response}`);
  }

  failure(error: ApiError): string {
    const opening = this.#begin();
    return opening + failureFrames(error, this.#sequenceNumber, this.#write);
  }

  #event(type: string, members: string): string {
    const frame = eventFrame(type, this.#sequenceNumber, members);
    this.#sequenceNumber += 1;
    return frame;
  }

  /** The opening is sent with the first content, so that a call that fails before it is still an ordinary error. */
  #begin(): string {
    if (this.#sequenceNumber > 0) return '';
    const response = `"response":${this.#write({ status: 'in_progress' }, [], null)}`;
    return this.#event('response.created', response) + this.#event('response.in_progress', response);
  }

  #start<Item extends OpenItem>(prefix: ItemPrefix, make: (base: NewItem) => Item): { frames: string; item: Item } {
    let frames = this.#begin();
    this.#takeCitations();
    for (const ended of this.#ended) frames += this.#close(ended, 'completed');
    this.#ended.length = 0;
    const outputIndex = this.#itemCount;
    this.#itemCount += 1;
    const item = make({ id: itemIdOf(prefix, this.#generationId, outputIndex), outputIndex });
    const added = JSON.stringify(this.#describe(item, 'in_progress'));
    frames += this.#event('response.output_item.added', `"output_index":${outputIndex},"item":${added}`);
    return { frames, item };
  }

  #endItem(item: OpenItem | null): null {
    if (item !== null) this.#ended.push(item);
    return null;
  }

  #openMessage(own?: JsonObject): string {
    this.#message = this.#endItem(this.#message);
    const { frames, item } = this.#start('msg', (base) => ({
      kind: 'message',
      ...placed(base),
      text: '',
      citations: [],
      logprobs: [],
      own,
    }));
    this.#message = item;
    const part = `${item.place},"content_index":0,"part":${JSON.stringify(outputText({ text: '' }))}`;
    return frames + this.#event('response.content_part.added', part);
  }

  #takeCitations(): void {
    const said = this.#message ?? this.#ended.findLast((item) => item.kind === 'message');
    if (said === undefined) return;
    said.citations.push(...this.#citations);
    this.#citations = [];
  }

  #textDelta(text: string): string {
    const frames = this.#message === null ? this.#openMessage() : '';
    const item = this.#message;
    if (item === null || text === '') return frames;
    item.text += text;
    const members = `${item.place},"content_index":0,"delta":${JSON.stringify(text)},"logprobs":[]`;
    return frames + this.#event('response.output_text.delta', members);
  }

  #openReasoning(itemId: string | undefined): string {
    this.#reasoning = this.#endItem(this.#reasoning);
    const { frames, item } = this.#start('rs', (base) => ({
      kind: 'reasoning',
      ...placed({ ...base, id: itemId ?? base.id }),
      text: '',
      proof: { itemId },
      hasSummary: false,
    }));
    this.#reasoning = item;
    return frames;
  }

  #reasoningDelta(text: string): string {
    let frames = this.#reasoning === null ? this.#openReasoning(undefined) : '';
    const item = this.#reasoning;
    if (item === null || text === '') return frames;
    item.text += text;
    if (this.#hidesReasoning) return frames;
    const place = `${item.place},"summary_index":0`;
    if (!item.hasSummary) {
      item.hasSummary = true;
      const part = JSON.stringify(summaryText(''));
      frames += this.#event('response.reasoning_summary_part.added', `${place},"part":${part}`);
    }
    return frames + this.#event('response.reasoning_summary_text.delta', `${place},"delta":${JSON.stringify(text)}`);
  }

  #endReasoning(end: Extract<StreamPart, { type: 'reasoning-end' }>): string {
    // Hidden thinking has no deltas, but is an item all the same.
    const frames = this.#reasoning === null ? this.#openReasoning(undefined) : '';
    const { signature, redactedData, encryptedContent } = end;
    if (this.#reasoning !== null) this.#reasoning.proof = { signature, redactedData, encryptedContent };
    this.#reasoning = this.#endItem(this.#reasoning);
    return frames;
  }

  #openCall(part: Extract<StreamPart, { type: 'tool-input-start' }>): string {
    const { index, id: callId, own, isPlain = false } = part;
    this.#endItem(this.#calls.get(index) ?? null);
    const called = calledName(part, this.#names);
    const { frames, item } = this.#start(isPlain ? 'ctc' : 'fc', (base) => ({
      kind: 'function-call',
      ...placed(base),
      callId,
      called,
      own,
      isPlain,
      text: '',
    }));
    this.#calls.set(index, item);
    return frames;
  }

  #callDelta(index: number, text: string): string {
    const item = this.#calls.get(index);
    if (item === undefined || text === '') return '';
    item.text += text;
    const kind = item.isPlain ? 'custom_tool_call_input' : 'function_call_arguments';
    return this.#event(`response.${kind}.delta`, `${item.place},"delta":${JSON.stringify(text)}`);
  }

  #endCall(index: number): string {
    const item = this.#calls.get(index);
    if (item === undefined) return '';
    // A call without parameters may come without any text, which is not JSON.
    const frames = item.text === '' && !item.isPlain ? this.#callDelta(index, NO_ARGUMENTS) : '';
    this.#calls.delete(index);
    this.#endItem(item);
    return frames;
  }

  #addPicture(bytes: Buffer): string {
    this.#message = this.#endItem(this.#message);
    const { frames, item } = this.#start('ig', (base) => ({ kind: 'picture', ...placed(base), text: '', bytes }));
    this.#endItem(item);
    return frames + this.#event('response.image_generation_call.completed', item.place);
  }

  #addBlock(block: JsonObject): string {
    const { frames, item } = this.#start('item', (base) => ({
      kind: 'block',
      ...placed({ ...base, id: isFilled(block.id) ? block.id : base.id }),
      text: '',
      block,
    }));
    this.#endItem(item);
    return frames;
  }

  #close(item: OpenItem, status: ItemStatus): string {
    let frames = '';
    const text = JSON.stringify(item.text);
    if (item.kind === 'message') {
      const place = `${item.place},"content_index":0`;
      frames += this.#closeCitations(item);
      const part = JSON.stringify(outputText(item));
      const logprobs = JSON.stringify(item.logprobs.map(renderToken));
      frames += this.#event('response.output_text.done', `${place},"text":${text},"logprobs":${logprobs}`);
      frames += this.#event('response.content_part.done', `${place},"part":${part}`);
    } else if (item.kind === 'function-call' && item.isPlain) {
      frames += this.#event('response.custom_tool_call_input.done', `${item.place},"input":${text}`);
    } else if (item.kind === 'function-call') {
      const name = JSON.stringify(item.called.name);
      const members = `${item.place},"name":${name},"arguments":${text}`;
      frames += this.#event('response.function_call_arguments.done', members);
    } else if (item.kind === 'reasoning' && item.hasSummary) {
      const place = `${item.place},"summary_index":0`;
      const part = JSON.stringify(summaryText(item.text));
      frames += this.#event('response.reasoning_summary_text.done', `${place},"text":${text}`);
      frames += this.#event('response.reasoning_summary_part.done', `${place},"part":${part}`);
    }
    const done = this.#describe(item, status);
    this.#output[item.outputIndex] = done;
    const members = `"output_index":${item.outputIndex},"item":${JSON.stringify(done)}`;
    return frames + this.#event('response.output_item.done', members);
  }

  /** Sent when their text is complete, because they state where it ends. */
  #closeCitations(item: ItemOf<'message'>): string {
    let frames = '';
    for (const [index, citation] of item.citations.entries()) {
      const members = `"content_index":0,"annotation_index":${index}`;
      const added = JSON.stringify(annotation(citation, item.text.length));
      frames += this.#event('response.output_text.annotation.added', `${item.place},${members},"annotation":${added}`);
    }
    return frames;
  }

  #describe(item: OpenItem, status: ItemStatus): JsonObject {
    switch (item.kind) {
      case 'message':
        return messageItem(item.id, status, item);
      case 'function-call': {
        const describe = item.isPlain ? customCallItem : functionCallItem;
        const argumentsText = item.isPlain ? customArguments(item.text) : item.text;
        return describe(item.id, status, { ...item, argumentsText });
      }
      case 'picture':
        return pictureItem(item.id, status, item.bytes);
      case 'block':
        // What has no state is not begun either.
        return status === 'in_progress' && 'status' in item.block ? { ...item.block, status } : item.block;
      case 'reasoning':
        return reasoningItem(item.id, { type: 'reasoning', text: item.text, ...item.proof }, this.#hidesReasoning);
    }
  }
}

type NewItem = Readonly<{ id: string; outputIndex: number }>;

function placed({ id, outputIndex }: NewItem): NewItem & Readonly<{ place: string }> {
  return { id, outputIndex, place: `"item_id":${JSON.stringify(id)},"output_index":${outputIndex}` };
}
