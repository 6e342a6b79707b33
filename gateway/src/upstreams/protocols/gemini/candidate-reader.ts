// Reads the parts of a candidate, whole or in pieces, into stream parts. A signature belongs to the part it comes with,
// while every other format has signatures only on thinking: it becomes the end of the thinking before that part, with
// an empty piece of thinking where there was none.

import { randomBytes } from 'node:crypto';
import { isFilled, isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { sealSignature } from '../../../canonical/sealed-signature.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';

/** The vendor of these signatures in other formats. Dialects keep pictures apart, so theirs have their own mark. */
export const VENDOR = 'gemini';
export const PICTURE_VENDOR = 'gemini-picture';

const ID_FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const ID_LENGTH_MAX = 40;
const NAME_LENGTH_MAX = 256;

export class CandidateReader {
  #block: 'text' | 'reasoning' | null = null;
  #callCount = 0;
  #idStem = '';
  /** The latest text. */
  #text = '';
  #hasThought = false;
  /** The signature of thinking that was shown, where it came with a text that had already begun. */
  #lateSignature: string | undefined;
  /** The signature of a text without thinking, which is only needed when the same answer has a picture. */
  #textSignature: string | undefined;
  #hasPictures = false;

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  get text(): string {
    return this.#text;
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

  /** Closes everything that is open. */
  finish(output: StreamPart[]): void {
    this.close(output);
    const signature = this.#lateSignature;
    this.#lateSignature = undefined;
    if (signature !== undefined) output.push({ type: 'reasoning-start' }, { type: 'reasoning-end', signature });
  }

  #readPart(part: JsonObject, output: StreamPart[]): string | null {
    const { text, functionCall, inlineData } = part;
    const proof = isFilled(part.thoughtSignature) ? part.thoughtSignature : undefined;
    const signature = proof === undefined ? undefined : sealSignature(VENDOR, proof);
    if (isJsonObject(functionCall)) return this.#addCall(functionCall, signature, output);
    if (isJsonObject(inlineData) && part.thought !== true) this.#addPicture(inlineData, proof, output);
    if (typeof text !== 'string') return null;
    if (part.thought === true) {
      this.#hasThought = true;
      this.#add('reasoning', text, output);
      return null;
    }
    // The signature of thinking that was shown; where none was shown, it is not needed.
    if (signature !== undefined && this.#block === 'reasoning') this.close(output, signature);
    else if (signature !== undefined && this.#hasThought) this.#lateSignature = signature;
    else if (this.#hasPictures) this.#prove(signature, output);
    else this.#textSignature ??= signature;
    this.#add('text', text, output);
    return null;
  }

  #add(block: 'text' | 'reasoning', text: string, output: StreamPart[]): void {
    if (text === '') return;
    if (this.#block !== block) {
      this.close(output);
      this.#block = block;
      if (block === 'text') this.#text = '';
      output.push({ type: `${block}-start` });
    }
    if (block === 'text') this.#text += text;
    output.push({ type: `${block}-delta`, text });
  }

  #addCall(call: JsonObject, signature: string | undefined, output: StreamPart[]): string | null {
    const { name, args } = call;
    if (!isFilled(name) || name.length > NAME_LENGTH_MAX) return 'a call without a name';
    this.#prove(signature, output);
    this.close(output);
    const index = this.#callCount;
    this.#callCount += 1;
    const id = isFilled(call.id) ? call.id : `call_${this.#idStem}_${index}`;
    output.push({ type: 'tool-input-start', index, id, name });
    output.push({ type: 'tool-input-delta', index, text: isJsonObject(args) ? stringifyExactJson(args) : '{}' });
    output.push({ type: 'tool-input-end', index });
    return null;
  }

  /** Gives the signature of the next part, as the end of the thinking before it. */
  #prove(signature: string | undefined, output: StreamPart[]): void {
    if (signature === undefined) return;
    if (this.#block !== 'reasoning') {
      this.close(output);
      this.#block = 'reasoning';
      output.push({ type: 'reasoning-start' });
    }
    this.close(output, signature);
  }

  /** Draft pictures that belong to the thinking are left out before this. */
  #addPicture({ mimeType, data }: JsonObject, proof: string | undefined, output: StreamPart[]): void {
    if (!isFilled(data)) return;
    if (isFilled(mimeType) && !mimeType.startsWith('image/')) return;
    this.#prove(this.#textSignature, output);
    this.#textSignature = undefined;
    this.#hasPictures = true;
    if (proof !== undefined) this.#prove(sealSignature(PICTURE_VENDOR, proof), output);
    output.push({ type: 'picture', picture: { kind: 'bytes', bytes: Buffer.from(data, 'base64') } });
  }
}

/** Calls have no ids here; the answer's id makes them differ from those of other turns. */
function idStem(answerId: unknown): string {
  const stem = isFilled(answerId) ? answerId.replace(ID_FORBIDDEN, '').slice(0, ID_LENGTH_MAX) : '';
  return stem === '' ? randomBytes(12).toString('hex') : stem;
}
