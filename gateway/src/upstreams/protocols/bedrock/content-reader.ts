// Reads content blocks, whole or in pieces, into stream parts. Blocks come by their index, one after the other; tools
// that the upstream runs, and their results, have no place in other formats and are left out.

import type { Citation } from '../../../canonical/conversation.ts';
import { isFilled, isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readCitation } from './read-citation.ts';

type Block =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning'; signature: string | undefined; redactedData: string | undefined }
  | { readonly kind: 'tool'; readonly index: number; hasInput: boolean }
  | { readonly kind: 'ignored' };

export class ContentReader {
  /** The open block, and its index. */
  #block: Block | null = null;
  #index: unknown = null;
  #callCount = 0;
  /** Later blocks may still cite the latest text. */
  #isTextOpen = false;
  /** Sources that came before the text of their block, which may have none. */
  #waiting: Citation[] = [];

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** Reads a whole block. False when it cannot be used. */
  whole(block: unknown, output: StreamPart[]): boolean {
    if (!isJsonObject(block)) return false;
    this.close(output);
    const { toolUse, citationsContent } = block;
    if (isJsonObject(toolUse)) {
      if (!this.start(null, { toolUse }, output)) return false;
      const input = toolUse.input ?? {};
      this.delta(null, { toolUse: { input: typeof input === 'string' ? input : stringifyExactJson(input) } }, output);
    } else if (isJsonObject(citationsContent)) {
      const pieces = Array.isArray(citationsContent.content) ? citationsContent.content.filter(isJsonObject) : [];
      for (const { text } of pieces) this.delta(null, { text }, output);
      const { citations } = citationsContent;
      for (const citation of Array.isArray(citations) ? citations : []) this.delta(null, { citation }, output);
    } else {
      const { reasoningContent } = block;
      const thought = isJsonObject(reasoningContent) ? reasoningContent : undefined;
      const proven = isJsonObject(thought?.reasoningText) ? { ...thought, ...thought.reasoningText } : thought;
      this.delta(null, { text: block.text, ...(proven === undefined ? {} : { reasoningContent: proven }) }, output);
    }
    this.close(output);
    return true;
  }

  /** False for a call without a name or id. */
  start(index: unknown, start: unknown, output: StreamPart[]): boolean {
    this.close(output);
    this.#index = index;
    const toolUse = isJsonObject(start) ? start.toolUse : undefined;
    if (isJsonObject(toolUse)) return this.#startCall(toolUse, output);
    if (isJsonObject(start) && isJsonObject(start.toolResult)) this.#block = { kind: 'ignored' };
    return true;
  }

  delta(index: unknown, delta: JsonObject, output: StreamPart[]): void {
    if (index !== this.#index) {
      this.close(output);
      this.#index = index;
    }
    const { text, toolUse, reasoningContent, citation } = delta;
    if (isFilled(text)) this.#addText(text, output);
    if (isJsonObject(reasoningContent)) this.#addReasoning(reasoningContent, output);
    if (isJsonObject(citation)) this.#cite(readCitation(citation), output);
    if (isJsonObject(toolUse) && isFilled(toolUse.input) && this.#block?.kind === 'tool') {
      this.#block.hasInput = true;
      output.push({ type: 'tool-input-delta', index: this.#block.index, text: toolUse.input });
    }
  }

  /** No more blocks will come. */
  finish(output: StreamPart[]): void {
    this.close(output);
    this.#endText(output);
  }

  close(output: StreamPart[]): void {
    // A block with only sources is about the text before it.
    if (this.#isTextOpen) this.#citeWaiting(output);
    this.#endBlock(output);
  }

  #endBlock(output: StreamPart[]): void {
    const block = this.#block;
    this.#block = null;
    if (block?.kind === 'reasoning') {
      const { signature, redactedData } = block;
      output.push({ type: 'reasoning-end', signature, redactedData });
    } else if (block?.kind === 'tool') {
      // Clients parse the arguments in any case.
      if (!block.hasInput) output.push({ type: 'tool-input-delta', index: block.index, text: '{}' });
      output.push({ type: 'tool-input-end', index: block.index });
    }
  }

  #cite(citations: readonly Citation[], output: StreamPart[]): void {
    this.#waiting.push(...citations);
    if (this.#block?.kind === 'text') this.#citeWaiting(output);
  }

  #citeWaiting(output: StreamPart[]): void {
    for (const citation of this.#waiting) output.push({ type: 'citation', citation });
    this.#waiting = [];
  }

  #endText(output: StreamPart[]): void {
    if (this.#isTextOpen) output.push({ type: 'text-end' });
    this.#isTextOpen = false;
  }

  #startCall({ toolUseId: id, name, type }: JsonObject, output: StreamPart[]): boolean {
    if (type === 'server_tool_use') {
      this.#block = { kind: 'ignored' };
      return true;
    }
    if (!isFilled(id) || !isFilled(name)) return false;
    this.#endText(output);
    this.#block = { kind: 'tool', index: this.#callCount, hasInput: false };
    output.push({ type: 'tool-input-start', index: this.#callCount, id, name });
    this.#callCount += 1;
    return true;
  }

  #addText(text: string, output: StreamPart[]): void {
    if (this.#block?.kind === 'ignored') return;
    if (this.#block?.kind !== 'text') {
      this.#endBlock(output);
      this.#endText(output);
      this.#block = { kind: 'text' };
      this.#isTextOpen = true;
      output.push({ type: 'text-start' });
      this.#citeWaiting(output);
    }
    output.push({ type: 'text-delta', text });
  }

  #addReasoning({ text, signature, redactedContent }: JsonObject, output: StreamPart[]): void {
    if (this.#block?.kind !== 'reasoning') {
      this.close(output);
      this.#endText(output);
      this.#block = { kind: 'reasoning', signature: undefined, redactedData: undefined };
      output.push({ type: 'reasoning-start' });
    }
    if (isFilled(text)) output.push({ type: 'reasoning-delta', text });
    if (isFilled(signature)) this.#block.signature = signature;
    // Bytes are in base64 here, and these bytes are the text that the model's vendor gave.
    if (isFilled(redactedContent)) this.#block.redactedData = Buffer.from(redactedContent, 'base64').toString('utf8');
  }
}
