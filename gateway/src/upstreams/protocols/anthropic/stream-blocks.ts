// The content blocks of a streamed message, by the upstream's index. A correct upstream opens, fills and closes one
// after the other; this code does not rely on it, and the parts it gives are always well-formed.

import { type JsonObject, textOrEmpty } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { isToolUse } from './decode-response.ts';
import { inputText, readCitation, readOwn } from './to-answer.ts';

type SpokenBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning'; signature: string; readonly redactedData: string | undefined };
type ToolBlock = { readonly kind: 'tool'; readonly index: number; readonly wholeInput: string; hasInput: boolean };
/** A block that only this format has waits for its end: reviewers read it as a whole. */
type KeptBlock = { readonly kind: 'kept'; content: JsonObject; input: string; writtenLength: number };
type Block = SpokenBlock | ToolBlock | KeptBlock | { readonly kind: 'ignored' };

const IGNORED: Block = { kind: 'ignored' };

export class StreamBlocks {
  readonly #blocks = new Map<number, Block>();
  /** The text or reasoning block whose start has been given; there is one at a time. */
  #open: SpokenBlock | null = null;
  /** Tools are numbered by themselves, because other formats number calls and not blocks. */
  #toolCount = 0;
  readonly #keepsOwn: boolean;
  /** There is one at a time, too. */
  #kept: Readonly<{ index: number; block: KeptBlock }> | null = null;

  /** `keepsOwn`: what no other format has is given, too. */
  constructor(keepsOwn: boolean) {
    this.#keepsOwn = keepsOwn;
  }

  /** What waits for the end of its block. */
  get keptLength(): number {
    return this.#kept?.block.writtenLength ?? 0;
  }

  get hasTools(): boolean {
    return this.#toolCount > 0;
  }

  /** False for a block that cannot be used. */
  start(index: number, content: JsonObject, parts: StreamPart[]): boolean {
    this.stop(index, parts);
    switch (content.type) {
      case 'text':
        this.#openSpoken(index, { kind: 'text' }, parts);
        this.delta(index, { type: 'text_delta', text: content.text }, parts);
        for (const citation of Array.isArray(content.citations) ? content.citations : []) {
          this.delta(index, { type: 'citations_delta', citation }, parts);
        }
        return true;
      case 'thinking':
        this.#openSpoken(index, { kind: 'reasoning', signature: '', redactedData: undefined }, parts);
        this.delta(index, { type: 'thinking_delta', thinking: content.thinking }, parts);
        this.delta(index, { type: 'signature_delta', signature: content.signature }, parts);
        return true;
      case 'redacted_thinking':
        if (typeof content.data !== 'string') return false;
        this.#openSpoken(index, { kind: 'reasoning', signature: '', redactedData: content.data }, parts);
        return true;
      case 'tool_use':
        return this.#openTool(index, content, parts);
      default:
        // The upstream's own tools, what it has made of the conversation, and unknown kinds.
        if (this.#keepsOwn && typeof content.type === 'string') this.#keep(index, content, parts);
        else this.#blocks.set(index, IGNORED);
        return true;
    }
  }

  delta(index: number, delta: JsonObject, parts: StreamPart[]): void {
    const block = this.#blocks.get(index) ?? this.#openUnannounced(index, delta.type, parts);
    if (delta.type === 'text_delta' && block?.kind === 'text') {
      if (typeof delta.text !== 'string' || delta.text === '') return;
      this.#activate(block, parts);
      parts.push({ type: 'text-delta', text: delta.text });
    } else if (delta.type === 'citations_delta' && block?.kind === 'text') {
      this.#activate(block, parts);
      for (const it of readCitation(delta.citation)) {
        parts.push({ type: 'citation', citation: this.#keepsOwn ? it : { ...it, block: undefined } });
      }
    } else if (delta.type === 'thinking_delta' && block?.kind === 'reasoning') {
      if (typeof delta.thinking !== 'string' || delta.thinking === '') return;
      this.#activate(block, parts);
      parts.push({ type: 'reasoning-delta', text: delta.thinking });
    } else if (block?.kind === 'kept') {
      extend(block, delta);
    } else if (delta.type === 'signature_delta' && block?.kind === 'reasoning') {
      if (typeof delta.signature === 'string') block.signature = delta.signature;
    } else if (delta.type === 'input_json_delta' && block?.kind === 'tool') {
      if (typeof delta.partial_json !== 'string' || delta.partial_json === '') return;
      block.hasInput = true;
      parts.push({ type: 'tool-input-delta', index: block.index, text: delta.partial_json });
    }
  }

  stop(index: number, parts: StreamPart[]): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    this.#blocks.delete(index);
    if (block.kind === 'tool') {
      if (!block.hasInput) parts.push({ type: 'tool-input-delta', index: block.index, text: block.wholeInput });
      parts.push({ type: 'tool-input-end', index: block.index });
    } else if (block.kind === 'kept') {
      this.#kept = null;
      this.#closeOpen(parts);
      const { content, input, writtenLength } = block;
      parts.push({ type: 'block', block: input === '' ? content : { ...content, input }, writtenLength });
    } else if (block === this.#open) this.#closeOpen(parts);
  }

  closeAll(parts: StreamPart[]): void {
    for (const index of [...this.#blocks.keys()]) this.stop(index, parts);
  }

  #openSpoken(index: number, block: SpokenBlock, parts: StreamPart[]): void {
    this.#blocks.set(index, block);
    this.#activate(block, parts);
  }

  /** Text must not be lost because its block was never opened; a call without a name cannot be used. */
  #openUnannounced(index: number, deltaType: unknown, parts: StreamPart[]): Block | undefined {
    if (deltaType === 'text_delta') this.start(index, { type: 'text' }, parts);
    else if (deltaType === 'thinking_delta') this.start(index, { type: 'thinking' }, parts);
    return this.#blocks.get(index);
  }

  #openTool(index: number, content: JsonObject, parts: StreamPart[]): boolean {
    if (!isToolUse(content)) return false;
    this.#closeOpen(parts);
    // Usually empty, with the input following in pieces; when none follow, this is the input.
    const wholeInput = inputText(content.input);
    this.#blocks.set(index, { kind: 'tool', index: this.#toolCount, wholeInput, hasInput: false });
    const { id, name } = content;
    parts.push({ type: 'tool-input-start', index: this.#toolCount, id, name, ...(this.#keepsOwn && readOwn(content)) });
    this.#toolCount += 1;
    return true;
  }

  #keep(index: number, content: JsonObject, parts: StreamPart[]): void {
    if (this.#kept !== null) this.stop(this.#kept.index, parts);
    const block: KeptBlock = { kind: 'kept', content, input: '', writtenLength: 0 };
    this.#kept = { index, block };
    this.#blocks.set(index, block);
  }

  #activate(block: SpokenBlock, parts: StreamPart[]): void {
    if (this.#open === block) return;
    this.#closeOpen(parts);
    this.#open = block;
    parts.push({ type: block.kind === 'text' ? 'text-start' : 'reasoning-start' });
  }

  #closeOpen(parts: StreamPart[]): void {
    const block = this.#open;
    if (block === null) return;
    this.#open = null;
    if (block.kind === 'text') parts.push({ type: 'text-end' });
    else {
      const signature = block.signature === '' ? undefined : block.signature;
      parts.push({ type: 'reasoning-end', signature, redactedData: block.redactedData });
    }
  }
}

/** Of a summary all comes at once, of a tool's input the next piece; other blocks are complete when they begin. */
function extend(block: KeptBlock, { type, ...members }: JsonObject): void {
  if (type === 'input_json_delta') {
    const piece = textOrEmpty(members.partial_json);
    block.input += piece;
    block.writtenLength += piece.length;
  } else if (type === 'compaction_delta') {
    block.content = { ...block.content, ...members };
    block.writtenLength = textOrEmpty(members.content).length;
  }
}
