// Reads a message, whole or in pieces, into stream parts. What the model plans before it calls tools becomes thinking,
// because other formats have no other place for it.

import { isFilled, isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { readCitation } from './read-citation.ts';

type Block = 'text' | 'reasoning' | 'tool';

export class MessageReader {
  #block: Block | null = null;
  #callCount = 0;
  #hasArguments = false;
  /** The latest text, which citations count in. */
  #text = '';

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** A piece of text or of thinking. */
  add(content: unknown, output: StreamPart[]): void {
    if (typeof content === 'string') this.#say('text', content, output);
    if (!isJsonObject(content)) return;
    if (typeof content.thinking === 'string') this.#say('reasoning', content.thinking, output);
    if (typeof content.text === 'string') this.#say('text', content.text, output);
  }

  plan(text: unknown, output: StreamPart[]): void {
    if (typeof text === 'string') this.#say('reasoning', text, output);
  }

  /** One citation, or several. */
  cite(citations: unknown, output: StreamPart[]): void {
    for (const value of [citations].flat()) {
      for (const citation of readCitation(value, this.#text)) output.push({ type: 'citation', citation });
    }
  }

  /** False for a call without a name or id. */
  startCall(call: unknown, output: StreamPart[]): boolean {
    const definition = isJsonObject(call) ? call.function : undefined;
    if (!isJsonObject(call) || !isJsonObject(definition)) return false;
    const { id } = call;
    const { name } = definition;
    if (!isFilled(id) || !isFilled(name)) return false;
    this.close(output);
    this.#block = 'tool';
    this.#hasArguments = false;
    output.push({ type: 'tool-input-start', index: this.#callCount, id, name });
    this.#callCount += 1;
    this.addArguments(definition, output);
    return true;
  }

  addArguments({ arguments: text }: JsonObject, output: StreamPart[]): void {
    if (this.#block !== 'tool' || !isFilled(text)) return;
    this.#hasArguments = true;
    output.push({ type: 'tool-input-delta', index: this.#callCount - 1, text });
  }

  close(output: StreamPart[]): void {
    if (this.#block === 'tool') {
      const index = this.#callCount - 1;
      // Clients parse the arguments in any case.
      if (!this.#hasArguments) output.push({ type: 'tool-input-delta', index, text: '{}' });
      output.push({ type: 'tool-input-end', index });
    } else if (this.#block !== null) output.push({ type: `${this.#block}-end` });
    this.#block = null;
  }

  #say(block: 'text' | 'reasoning', text: string, output: StreamPart[]): void {
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
}
