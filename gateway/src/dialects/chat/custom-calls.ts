// Calls of tools that take plain text, as this dialect writes them. An upstream without such tools was offered a
// function, so its arguments wait until all have come and the text can be taken out of them.

import type { ToolCallPart } from '../../canonical/conversation.ts';
import { customInput } from '../../canonical/custom-tools.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';

/** The names of such tools in a body that has been checked. */
export function readCustomNames({ tools }: JsonObject): ReadonlySet<unknown> {
  const custom = listOrEmpty(tools).map((tool) => (isJsonObject(tool) && tool.type === 'custom' ? tool.custom : null));
  return new Set(custom.filter(isJsonObject).map(({ name }) => name));
}

export function renderCall(call: ToolCallPart, customNames: ReadonlySet<unknown>): JsonObject {
  const { id, name, argumentsText, plainInput } = call;
  return plainInput === undefined && !customNames.has(name)
    ? { id, type: 'function', function: { name, arguments: argumentsText } }
    : { id, type: 'custom', custom: { name, input: plainInput ?? customInput(argumentsText) } };
}

type ToolInput = Extract<StreamPart, { index: number }>;

/** What the deltas of a stream say about its calls, one after the other. */
export class CallDeltas {
  readonly #customNames: ReadonlySet<unknown>;
  readonly #plain = new Set<number>();
  readonly #waiting = new Map<number, string>();

  constructor(body: JsonObject) {
    this.#customNames = readCustomNames(body);
  }

  /** Null where there is nothing to say yet. */
  render(part: ToolInput): JsonObject | null {
    const { index } = part;
    if (part.type === 'tool-input-start') return this.#start(part);
    if (part.type === 'tool-input-end') {
      const waiting = this.#waiting.get(index);
      this.#waiting.delete(index);
      return waiting === undefined ? null : { index, custom: { input: customInput(waiting) } };
    }
    const waiting = this.#waiting.get(index);
    if (waiting !== undefined) {
      this.#waiting.set(index, waiting + part.text);
      return null;
    }
    return this.#plain.has(index)
      ? { index, custom: { input: part.text } }
      : { index, function: { arguments: part.text } };
  }

  /** The calls that did not end before the answer did. */
  get unended(): readonly ToolInput[] {
    return [...this.#waiting.keys()].map((index) => ({ type: 'tool-input-end', index }));
  }

  #start({ index, id, name, isPlain = false }: Extract<StreamPart, { type: 'tool-input-start' }>): JsonObject {
    // An index that is used again means another call.
    this.#plain.delete(index);
    if (!isPlain && !this.#customNames.has(name)) {
      return { index, id, type: 'function', function: { name, arguments: '' } };
    }
    if (isPlain) this.#plain.add(index);
    else this.#waiting.set(index, '');
    return { index, id, type: 'custom', custom: { name, input: '' } };
  }
}
