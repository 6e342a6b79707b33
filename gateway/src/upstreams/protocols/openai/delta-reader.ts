// Turns the deltas of one choice into parts. A whole message is read in the same way, as one large delta, so that both
// agree.

import { type MadeImage, madeImageOf } from '../../../canonical/images.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { readAnnotations } from './read-annotations.ts';
import { type ReasoningPiece, readReasoningPieces } from './reasoning-pieces.ts';
import { ToolCallReader } from './tool-call-reader.ts';

export class DeltaReader {
  readonly #calls = new ToolCallReader();
  #block: 'text' | 'reasoning' | null = null;
  #reasoningIndex: number | null = null;
  #reasoningItemId: string | null = null;

  get hasToolCalls(): boolean {
    return this.#calls.hasCalls;
  }

  /** Adds the delta's parts to the output and returns what is wrong with it, or null. */
  read(delta: JsonObject, output: StreamPart[]): string | null {
    for (const piece of readReasoningPieces(delta)) this.#addReasoning(piece, output);
    if (typeof delta.content === 'string') this.#addText(delta.content, output);
    else if (Array.isArray(delta.content)) this.#addContentParts(delta.content, output);
    if (typeof delta.refusal === 'string') this.#addText(delta.refusal, output);
    for (const citation of readAnnotations(delta.annotations)) output.push({ type: 'citation', citation });
    for (const call of callsIn(delta)) {
      if (!isJsonObject(call)) continue;
      this.#closeBlock(output);
      const problem = this.#calls.read(call, output);
      if (problem !== null) return problem;
    }
    return null;
  }

  /** Closes everything that is open. */
  end(answerId: unknown, output: StreamPart[]): void {
    this.#closeBlock(output);
    this.#calls.end(answerId, output);
  }

  #addContentParts(parts: readonly unknown[], output: StreamPart[]): void {
    for (const part of parts) {
      if (!isJsonObject(part)) continue;
      if (typeof part.text === 'string') this.#addText(part.text, output);
      else if (typeof part.refusal === 'string') this.#addText(part.refusal, output);
      else if (part.type === 'reasoning') {
        const details = { reasoning_details: part.summary };
        for (const piece of readReasoningPieces(details)) this.#addReasoning(piece, output);
      } else if (part.type === 'thinking') {
        const thoughts: readonly unknown[] = Array.isArray(part.thinking) ? part.thinking : [{ text: part.thinking }];
        const text = thoughts.map((thought) => (isJsonObject(thought) ? thought.text : thought)).filter(isString);
        for (const piece of readReasoningPieces({ reasoning: text.join('') })) this.#addReasoning(piece, output);
      }
    }
  }

  #addText(text: string, output: StreamPart[]): void {
    if (text === '') return;
    if (this.#block !== 'text') {
      this.#closeBlock(output);
      this.#block = 'text';
      output.push({ type: 'text-start' });
    }
    output.push({ type: 'text-delta', text });
  }

  #addReasoning(piece: ReasoningPiece, output: StreamPart[]): void {
    const { text, signature, redactedData, encryptedContent } = piece;
    const isLast = signature !== null || redactedData !== null || encryptedContent !== null;
    if (text === '' && !isLast) return;
    if (!this.#continues(piece)) {
      this.#closeBlock(output);
      this.#block = 'reasoning';
      this.#reasoningItemId = piece.itemId;
      output.push({ type: 'reasoning-start', ...(piece.itemId === null ? {} : { itemId: piece.itemId }) });
    }
    this.#reasoningIndex = piece.index;
    if (text !== '') output.push({ type: 'reasoning-delta', text });
    if (!isLast) return;
    this.#block = null;
    output.push({
      type: 'reasoning-end',
      ...(signature === null ? {} : { signature }),
      ...(redactedData === null ? {} : { redactedData }),
      ...(encryptedContent === null ? {} : { encryptedContent }),
    });
  }

  /** Plain text has no index, so it continues the open block. */
  #continues(piece: ReasoningPiece): boolean {
    if (this.#block !== 'reasoning' || piece.redactedData !== null) return false;
    const isSameIndex = piece.index === null || this.#reasoningIndex === null || piece.index === this.#reasoningIndex;
    return isSameIndex && (piece.itemId === null || piece.itemId === this.#reasoningItemId);
  }

  #closeBlock(output: StreamPart[]): void {
    if (this.#block === 'text') output.push({ type: 'text-end' });
    else if (this.#block === 'reasoning') output.push({ type: 'reasoning-end' });
    this.#block = null;
  }
}

/** Some upstreams know only the old form, with one call without an id. */
function callsIn({ tool_calls: calls, function_call: call }: JsonObject): readonly unknown[] {
  if (Array.isArray(calls)) return calls;
  return isJsonObject(call) ? [{ index: 0, function: call }] : [];
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** An item that is no picture still counts as one that came; the check finds that it is none. */
const NO_PICTURE: MadeImage = { kind: 'bytes', bytes: Buffer.alloc(0) };

/** The pictures beside the text of a message, or of a piece of one. */
export function readPictures({ images }: JsonObject): readonly MadeImage[] {
  return listOrEmpty(images).map((item) => {
    const image = isJsonObject(item) ? item.image_url : undefined;
    return madeImageOf(isJsonObject(image) ? image.url : image) ?? NO_PICTURE;
  });
}
