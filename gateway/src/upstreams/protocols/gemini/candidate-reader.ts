// Reads the parts of a candidate, whole or in pieces, into stream parts. A signature belongs to the part it comes with,
// while every other format knows signatures of thinking alone: it becomes the end of the thinking before that part, with
// an empty piece of thinking where there was none.

import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { sealSignature } from '../../../canonical/sealed-signature.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';

/** Whose signatures these are, wherever they travel. */
export const VENDOR = 'gemini';

const ID_FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const ID_LENGTH_MAX = 40;
const NAME_LENGTH_MAX = 256;

export class CandidateReader {
  #block: 'text' | 'reasoning' | null = null;
  #callCount = 0;
  #idStem = '';

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** What is wrong with the parts; null when nothing is. */
  read(parts: unknown, answerId: unknown, output: StreamPart[]): string | null {
    if (parts === undefined || parts === null) return null;
    if (!Array.isArray(parts)) return 'parts that are no list';
    this.#idStem ||= idStem(answerId);
    for (const part of parts) {
      if (!isJsonObject(part)) return 'a part that is no object';
      const problem = this.#readPart(part, output);
      if (problem !== null) return problem;
    }
    return null;
  }

  close(output: StreamPart[], signature?: string): void {
    if (this.#block === 'text') output.push({ type: 'text-end' });
    else if (this.#block === 'reasoning') {
      output.push({ type: 'reasoning-end', ...(signature === undefined ? {} : { signature }) });
    }
    this.#block = null;
  }

  #readPart(part: JsonObject, output: StreamPart[]): string | null {
    const { text, functionCall, inlineData } = part;
    const signature = isFilled(part.thoughtSignature) ? sealSignature(VENDOR, part.thoughtSignature) : undefined;
    if (isJsonObject(functionCall)) return this.#addCall(functionCall, signature, output);
    if (isJsonObject(inlineData)) this.#addPicture(inlineData, part.thought === true, output);
    if (typeof text !== 'string') return null;
    if (part.thought === true) this.#add('reasoning', text, output);
    else {
      // Proof of thinking that has been shown; where nothing was shown, nobody asks for it.
      if (this.#block === 'reasoning' && signature !== undefined) this.close(output, signature);
      this.#add('text', text, output);
    }
    return null;
  }

  #add(block: 'text' | 'reasoning', text: string, output: StreamPart[]): void {
    if (text === '') return;
    if (this.#block !== block) {
      this.close(output);
      this.#block = block;
      output.push({ type: `${block}-start` });
    }
    output.push({ type: `${block}-delta`, text });
  }

  #addCall(call: JsonObject, signature: string | undefined, output: StreamPart[]): string | null {
    const { name, args } = call;
    if (!isFilled(name) || name.length > NAME_LENGTH_MAX) return 'a call without a name';
    if (signature !== undefined && this.#block !== 'reasoning') {
      this.close(output);
      this.#block = 'reasoning';
      output.push({ type: 'reasoning-start' });
    }
    this.close(output, signature);
    const index = this.#callCount;
    this.#callCount += 1;
    const id = isFilled(call.id) ? call.id : `call_${this.#idStem}_${index}`;
    output.push({ type: 'tool-input-start', index, id, name });
    output.push({ type: 'tool-input-delta', index, text: isJsonObject(args) ? stringifyExactJson(args) : '{}' });
    output.push({ type: 'tool-input-end', index });
    return null;
  }

  /** Drafts that belong to the thinking are not what was asked for. */
  #addPicture({ mimeType, data }: JsonObject, isThought: boolean, output: StreamPart[]): void {
    if (isThought || !isFilled(data)) return;
    if (isFilled(mimeType) && !mimeType.startsWith('image/')) return;
    output.push({ type: 'picture', picture: { kind: 'bytes', bytes: Buffer.from(data, 'base64') } });
  }
}

/** Calls have no ids of their own here; an answer's id makes theirs differ from those of other turns. */
function idStem(answerId: unknown): string {
  const stem = isFilled(answerId) ? answerId.replace(ID_FORBIDDEN, '').slice(0, ID_LENGTH_MAX) : '';
  return stem === '' ? randomBytes(12).toString('hex') : stem;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
