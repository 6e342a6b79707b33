// Calls of tools that take plain text, as this dialect writes them. An upstream without such tools was offered a
// function, so its arguments wait until all have come and the text can be taken out of them.

import type { ToolCallPart } from '../../canonical/conversation.ts';
import { customInput } from '../../canonical/custom-tools.ts';
import { isFilled, isJsonObject, type JsonObject, listOrEmpty } from '../../canonical/json.ts';
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

/** The same for calls as an upstream of this dialect's format wrote them; null where none of them changes. */
export function renderSameCalls(calls: unknown, customNames: ReadonlySet<unknown>): readonly unknown[] | null {
  if (customNames.size === 0 || !Array.isArray(calls)) return null;
  const isWritten = (call: unknown): call is JsonObject => customNames.has(functionNameOf(call));
  if (!calls.some(isWritten)) return null;
  return calls.map((call) => {
    if (!isWritten(call)) return call;
    const { function: callee, type: _type, ...others } = call;
    const { name, arguments: written } = callee as JsonObject;
    return { ...others, type: 'custom', custom: { name, input: customInput(argumentsIn(written)) } };
  });
}

const functionNameOf = (call: unknown): unknown =>
  isJsonObject(call) && isJsonObject(call.function) ? call.function.name : undefined;

/** Some upstreams parse them. */
const argumentsIn = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));

/** And for calls in the deltas of such an upstream, of which there may be several choices. */
export class SameCallDeltas {
  readonly #customNames: ReadonlySet<unknown>;
  readonly #waiting = new Map<string, { readonly id: unknown; readonly index: unknown; text: string }>();
  /** How many characters wait. */
  keptLength = 0;

  constructor(customNames: ReadonlySet<unknown>) {
    this.#customNames = customNames;
  }

  /** What is left to say of the calls of a delta now. */
  render(calls: readonly unknown[], choice: number): readonly unknown[] {
    return calls.flatMap((call) => this.#call(call, choice));
  }

  /** The inputs of the calls of a choice, which has ended. */
  end(choice: number): readonly JsonObject[] {
    const ended = [...this.#waiting.keys()].filter((place) => place.startsWith(`${choice} `));
    return ended.flatMap((place) => this.#finish(place));
  }

  #call(call: unknown, choice: number): readonly unknown[] {
    if (!isJsonObject(call) || !isJsonObject(call.function)) return [call];
    const { function: callee, type: _type, ...others } = call;
    const { id, index = 0 } = call;
    const { name, arguments: written } = callee;
    const place = `${choice} ${index}`;
    const waiting = this.#waiting.get(place);
    // Some upstreams repeat the name and the id with every delta, and some use an index again for another call.
    const isAnother = isFilled(name) && (waiting === undefined || (isFilled(id) && id !== waiting.id));
    if (!isAnother) {
      if (waiting === undefined) return [call];
      this.#add(waiting, written);
      return [];
    }
    const before = this.#finish(place);
    if (!this.#customNames.has(name)) return [...before, call];
    const started = { id, index, text: '' };
    this.#waiting.set(place, started);
    this.#add(started, written);
    return [...before, { ...others, index, type: 'custom', custom: { name, input: '' } }];
  }

  #add(waiting: { text: string }, written: unknown): void {
    const text = written === undefined || written === null ? '' : argumentsIn(written);
    waiting.text += text;
    this.keptLength += text.length;
  }

  #finish(place: string): readonly JsonObject[] {
    const waiting = this.#waiting.get(place);
    if (waiting === undefined) return [];
    this.#waiting.delete(place);
    this.keptLength -= waiting.text.length;
    return [{ index: waiting.index, custom: { input: customInput(waiting.text) } }];
  }
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
