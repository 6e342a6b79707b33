// Calls of tools that take plain text, as this dialect writes them. An upstream without such tools was offered a
// function, so the text is taken out of its arguments.

import type { ToolCallPart } from '../../canonical/conversation.ts';
import { CustomInputReader } from '../../canonical/custom-input.ts';
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
  readonly #open = new Map<string, OpenCall>();
  #keptLength = 0;

  constructor(customNames: ReadonlySet<unknown>) {
    this.#customNames = customNames;
  }

  /** How many characters wait. */
  get keptLength(): number {
    return this.#keptLength;
  }

  /** What is left to say of the calls of a delta now. */
  render(calls: readonly unknown[], choice: number): readonly unknown[] {
    return calls.flatMap((call) => this.#call(call, choice));
  }

  /** What is left to say of the calls of a choice, which has ended. */
  end(choice: number): readonly JsonObject[] {
    const ended = [...this.#open.keys()].filter((place) => place.startsWith(`${choice} `));
    return ended.flatMap((place) => this.#finish(place));
  }

  #call(call: unknown, choice: number): readonly unknown[] {
    if (!isJsonObject(call) || !isJsonObject(call.function)) return [call];
    const { function: callee, type: _type, ...others } = call;
    const { id, index = 0 } = call;
    const { name, arguments: written } = callee;
    const place = `${choice} ${index}`;
    const open = this.#open.get(place);
    // Some upstreams repeat the name and the id with every delta, and some use an index again for another call.
    const isAnother = isFilled(name) && (open === undefined || (isFilled(id) && id !== open.id));
    if (!isAnother) return open === undefined ? [call] : this.#take(open, written);
    const before = this.#finish(place);
    if (!this.#customNames.has(name)) return [...before, call];
    const started = { id, index, input: new CustomInputReader() };
    this.#open.set(place, started);
    return [
      ...before,
      { ...others, index, type: 'custom', custom: { name, input: '' } },
      ...this.#take(started, written),
    ];
  }

  #take(call: OpenCall, written: unknown): readonly JsonObject[] {
    if (written === undefined || written === null) return [];
    const { input } = call;
    const keptBefore = input.keptLength;
    const taken = input.push(argumentsIn(written));
    this.#keptLength += input.keptLength - keptBefore;
    return inputOf(call, taken);
  }

  #finish(place: string): readonly JsonObject[] {
    const open = this.#open.get(place);
    if (open === undefined) return [];
    this.#open.delete(place);
    this.#keptLength -= open.input.keptLength;
    return inputOf(open, open.input.end());
  }
}

type OpenCall = Readonly<{ id: unknown; index: unknown; input: CustomInputReader }>;

const inputOf = ({ index }: OpenCall, input: string): readonly JsonObject[] =>
  input === '' ? [] : [{ index, custom: { input } }];

type ToolInput = Extract<StreamPart, { index: number }>;

/** What the deltas of a stream say about its calls, one after the other. */
export class CallDeltas {
  readonly #plain = new Set<number>();

  /** Null where there is nothing to say. */
  render(part: ToolInput): JsonObject | null {
    const { index } = part;
    if (part.type === 'tool-input-start') return this.#start(part);
    if (part.type === 'tool-input-end') return null;
    return this.#plain.has(index)
      ? { index, custom: { input: part.text } }
      : { index, function: { arguments: part.text } };
  }

  #start({ index, id, name, isPlain = false }: Extract<StreamPart, { type: 'tool-input-start' }>): JsonObject {
    if (isPlain) this.#plain.add(index);
    // An index that is used again means another call.
    else this.#plain.delete(index);
    return isPlain
      ? { index, id, type: 'custom', custom: { name, input: '' } }
      : { index, id, type: 'function', function: { name, arguments: '' } };
  }
}
