// Vendor-neutral parts as the events of a Messages stream. This dialect has one block open at a time, while calls of
// other vendors may arrive interleaved: a block that begins while another is open waits for its turn, with everything
// that comes for it.

import type { Citation } from '../../canonical/conversation.ts';
import { customArguments } from '../../canonical/custom-tools.ts';
import type { MadeImage } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import { rasterTypeOf } from '../../platform/raster-image.ts';
import type { RenderContext, StreamFinish, StreamRenderer } from '../stream-pipe.ts';
import { errorFrame, eventFrame, PING_FRAME } from './frames.ts';
import { pictureBlock, renderMessagesCitation, stopReasonOf } from './render-answer.ts';
import { renderMessagesUsage } from './render-usage.ts';
import { sealReasoning } from './sealed-reasoning.ts';

/**
 * Prompt estimates are high for the reservation; this brings them closer to the truth for clients that show the count.
 */
const ESTIMATE_CORRECTION = 0.65;

/** What a block consists of, once its index is known. */
type BlockEvent =
  | Readonly<{ type: 'content_block_start'; content_block: object }>
  | Readonly<{ type: 'content_block_delta'; delta: object }>
  | Readonly<{ type: 'content_block_stop' }>;

/** `key` identifies the block of later parts: a tool's index, or the kind of the others. */
type Block = { readonly key: string | number; readonly events: BlockEvent[]; hasStarted: boolean; isClosed: boolean };

type ReasoningEnd = Omit<Extract<StreamPart, { type: 'reasoning-end' }>, 'type'>;

const TEXT_START: BlockEvent = { type: 'content_block_start', content_block: { type: 'text', text: '' } };
const THINKING_START: BlockEvent = {
  type: 'content_block_start',
  content_block: { type: 'thinking', thinking: '', signature: '' },
};
/** What stands around plain text that is the one argument of a call. */
const NO_INPUT = customArguments('');
const PLAIN_HEAD = NO_INPUT.slice(0, -2);
const PLAIN_TAIL = NO_INPUT.slice(-2);
const jsonLetters = (text: string): string => JSON.stringify(text).slice(1, -1);
const STOP: BlockEvent = { type: 'content_block_stop' };

export function createMessagesRenderer(context: RenderContext): StreamRenderer {
  const renderer = new MessagesRenderer(context);
  return {
    render: (part) => renderer.render(part),
    finale: (finish, usage, costUsd) => renderer.finale(finish, usage, costUsd),
    failure: errorFrame,
    keepAliveFrame: PING_FRAME,
  };
}

class MessagesRenderer {
  readonly #context: RenderContext;
  #hasStarted = false;
  #blockCount = 0;
  #hasToolCalls = false;
  /** Told at the end. */
  #own: JsonObject = {};
  /** Calls whose input comes as plain text. */
  readonly #plain = new Set<number>();
  /** The first is open towards the client; the others wait. */
  readonly #blocks: Block[] = [];
  #reasoningItemId: string | undefined;
  /** Citations of a text that has not begun. */
  #citations: Citation[] = [];
  /** Its block stays open until another begins, because sources may still come. */
  #isTextOver = false;

  constructor(context: RenderContext) {
    this.#context = context;
  }

  render(part: StreamPart): string {
    this.#take(part);
    const frames = this.#flush();
    return frames === '' ? '' : this.#opening() + frames;
  }

  finale(finish: StreamFinish, usage: Usage, costUsd: number): string {
    this.#endReasoning({});
    // Clients take a message without any block for a broken one and ask again.
    if (this.#blockCount + this.#blocks.length === 0) this.#add(this.#block('text'), TEXT_START);
    for (const block of this.#blocks) this.#close(block);
    const frames = this.#flush();
    const { container, stop_details, ...beside } = this.#own;
    const stopReason = stopReasonOf({ ...finish, hasToolCalls: this.#hasToolCalls });
    const ending = {
      delta: { stop_reason: stopReason, stop_sequence: finish.stopSequence, container, stop_details },
      ...beside,
      usage: renderMessagesUsage(usage, costUsd),
    };
    return this.#opening() + frames + eventFrame('message_delta', ending) + eventFrame('message_stop', {});
  }

  #opening(): string {
    if (this.#hasStarted) return '';
    this.#hasStarted = true;
    const { id, modelId, request } = this.#context;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: modelId,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: Math.ceil(request.promptTokensEstimate * ESTIMATE_CORRECTION),
        output_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    };
    return eventFrame('message_start', { message });
  }

  #take(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        if (part.text !== '') this.#addText(part.text);
        break;
      case 'reasoning-start':
        this.#reasoningItemId = part.itemId;
        break;
      case 'reasoning-delta':
        if (part.text !== '') this.#addThinking(part.text);
        break;
      case 'reasoning-end':
        this.#endReasoning(part);
        break;
      case 'block':
        this.#addWhole(part.block);
        break;
      case 'tool-input-start':
        this.#startTool(part);
        if (part.isPlain === true) this.#addToolInput(part.index, PLAIN_HEAD);
        break;
      case 'tool-input-delta':
        this.#addToolInput(part.index, this.#plain.has(part.index) ? jsonLetters(part.text) : part.text);
        break;
      case 'citation':
        this.#citations.push(part.citation);
        this.#addCitations();
        break;
      case 'text-end':
        this.#isTextOver = true;
        break;
      case 'picture':
        this.#addPicture(part.picture);
        break;
      case 'own':
        this.#own = part.members;
        break;
      case 'tool-input-end':
        if (this.#plain.has(part.index)) this.#addToolInput(part.index, PLAIN_TAIL);
        this.#closeBy(part.index);
        break;
      default:
        // A text block begins with its first text, because an empty one would be refused when it comes back.
        break;
    }
  }

  #addText(text: string): void {
    if (this.#isTextOver) this.#closeBy('text');
    this.#isTextOver = false;
    const block = this.#block('text');
    if (!block.hasStarted) this.#add(block, TEXT_START);
    this.#add(block, { type: 'content_block_delta', delta: { type: 'text_delta', text } });
    this.#addCitations();
  }

  #addCitations(): void {
    const block = this.#find('text');
    if (block === undefined) return;
    for (const it of this.#citations) {
      const citation = renderMessagesCitation(it);
      this.#add(block, { type: 'content_block_delta', delta: { type: 'citations_delta', citation } });
    }
    this.#citations = [];
  }

  #addThinking(thinking: string): void {
    const block = this.#block('reasoning');
    if (!block.hasStarted) this.#add(block, THINKING_START);
    this.#add(block, { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking } });
  }

  #endReasoning({ signature, redactedData, encryptedContent }: ReasoningEnd): void {
    const open = this.#find('reasoning');
    if (open !== undefined || signature !== undefined || encryptedContent !== undefined) {
      const block = open ?? this.#block('reasoning');
      if (!block.hasStarted) this.#add(block, THINKING_START);
      const seal = signature ?? sealReasoning({ itemId: this.#reasoningItemId, encryptedContent });
      this.#add(block, { type: 'content_block_delta', delta: { type: 'signature_delta', signature: seal } });
      this.#close(block);
    }
    this.#reasoningItemId = undefined;
    if (redactedData === undefined) return;
    const block = this.#block('reasoning');
    const redacted = { type: 'redacted_thinking', data: redactedData };
    this.#add(block, { type: 'content_block_start', content_block: redacted });
    this.#close(block);
  }

  #addPicture(picture: MadeImage): void {
    const mediaType = picture.kind === 'bytes' ? rasterTypeOf(picture.bytes) : null;
    if (picture.kind !== 'bytes' || mediaType === null) return;
    this.#closeBy('text');
    const block = this.#block('picture');
    this.#add(block, { type: 'content_block_start', content_block: pictureBlock(picture.bytes, mediaType) });
    this.#close(block);
  }

  /** Of two kinds clients take something from the delta; everything else is in the start. */
  #addWhole(original: JsonObject): void {
    this.#closeBy('text');
    const block = this.#block('whole');
    const { start, delta } = takeApart(original);
    this.#add(block, { type: 'content_block_start', content_block: start });
    if (delta !== null) this.#add(block, { type: 'content_block_delta', delta });
    this.#close(block);
  }

  #startTool(part: Extract<StreamPart, { type: 'tool-input-start' }>): void {
    this.#hasToolCalls = true;
    this.#closeBy('text');
    // An index that is used again means another call.
    this.#closeBy(part.index);
    if (part.isPlain === true) this.#plain.add(part.index);
    else this.#plain.delete(part.index);
    const use = { type: 'tool_use', id: part.id, name: part.name, input: {}, ...part.own };
    this.#add(this.#block(part.index), { type: 'content_block_start', content_block: use });
  }

  #addToolInput(index: number, text: string): void {
    const block = this.#find(index);
    if (block === undefined || text === '') return;
    this.#add(block, { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: text } });
  }

  #find(key: string | number): Block | undefined {
    return this.#blocks.find((block) => block.key === key && !block.isClosed);
  }

  /** The open block of that key, or a new one after all others. */
  #block(key: string | number): Block {
    const found = this.#find(key);
    if (found !== undefined) return found;
    if (this.#isTextOver) this.#closeBy('text');
    const block: Block = { key, events: [], hasStarted: false, isClosed: false };
    this.#blocks.push(block);
    return block;
  }

  #add(block: Block, event: BlockEvent): void {
    block.events.push(event);
    block.hasStarted = true;
  }

  #closeBy(key: string | number): void {
    const block = this.#find(key);
    if (block !== undefined) this.#close(block);
  }

  #close(block: Block): void {
    if (!block.isClosed) block.events.push(STOP);
    block.isClosed = true;
  }

  /** Sends what the first block has, and goes on to the next when it is closed. */
  #flush(): string {
    let frames = '';
    for (let block = this.#blocks[0]; block !== undefined; block = this.#blocks[0]) {
      for (const { type, ...members } of block.events)
        frames += eventFrame(type, { index: this.#blockCount, ...members });
      block.events.length = 0;
      if (!block.isClosed) break;
      this.#blocks.shift();
      this.#blockCount += 1;
    }
    return frames;
  }
}

/** What a block of the upstream's own begins with, and what follows. */
function takeApart(block: JsonObject): Readonly<{ start: JsonObject; delta: JsonObject | null }> {
  if (block.type === 'compaction') {
    const { content, encrypted_content: encrypted, ...others } = block;
    const sealed = encrypted === undefined ? {} : { encrypted_content: encrypted };
    return { start: { ...others, content: null }, delta: { type: 'compaction_delta', content, ...sealed } };
  }
  if (typeof block.input !== 'string') return { start: block, delta: null };
  return { start: { ...block, input: {} }, delta: { type: 'input_json_delta', partial_json: block.input } };
}
