// Follows tool calls through their deltas. Upstreams differ in almost everything here: some resend the id or the name,
// some give every call the index 0, some send no index or the arguments at once. A call is announced once its id and
// name are known; until then its arguments wait.

import { filledOrNull, isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';

type ToolCall = {
  /** Our own count, in order of appearance. */
  readonly index: number;
  id: string | null;
  name: string | null;
  /** Its input is plain text. */
  isPlain: boolean;
  waitingText: string;
  isStarted: boolean;
  isEnded: boolean;
};

const WAITING_LENGTH_MAX = 1024 * 1024;
/** Longer arguments are not checked for completeness. */
const JUDGED_LENGTH_MAX = 65_536;
const ANSWER_ID_LENGTH_KEPT = 24;

export class ToolCallReader {
  readonly #calls: ToolCall[] = [];
  readonly #byUpstreamIndex = new Map<number, ToolCall>();

  get hasCalls(): boolean {
    return this.#calls.some(({ isStarted }) => isStarted);
  }

  /** Returns what is wrong with the delta, or null. */
  read(delta: JsonObject, output: StreamPart[]): string | null {
    const custom = readCustom(delta);
    const callee = custom ?? objectOrEmpty(delta.function);
    const call = this.#find(delta, callee);
    call.id ??= filledOrNull(delta.id);
    call.name ??= filledOrNull(callee.name);
    call.isPlain ||= custom !== null;
    const text = readArguments(custom === null ? callee.arguments : custom.input);
    if (text !== '' && call.isEnded) return 'tool call arguments after the end of the call';
    if (call.isStarted) {
      if (text !== '') output.push({ type: 'tool-input-delta', index: call.index, text });
      return null;
    }
    call.waitingText += text;
    if (call.waitingText.length > WAITING_LENGTH_MAX) return 'tool call arguments without a name';
    if (call.id !== null && call.name !== null) start(call, call.id, call.name, output);
    return null;
  }

  /** Ends every call. A call without an id gets one now, made from the answer's; one without a name is dropped. */
  end(answerId: unknown, output: StreamPart[]): void {
    for (const call of this.#calls) {
      if (call.isEnded || call.name === null) continue;
      if (!call.isStarted) start(call, call.id ?? makeCallId(answerId, call.index), call.name, output);
      call.isEnded = true;
      output.push({ type: 'tool-input-end', index: call.index });
    }
  }

  #find(delta: JsonObject, callee: JsonObject): ToolCall {
    const id = filledOrNull(delta.id);
    const name = filledOrNull(callee.name);
    const index = readIndex(delta.index);
    const known = this.#findByIndex(index, id, name) ?? this.#findWithoutIndex(index, id, name);
    if (known !== undefined && !(name !== null && isAnother(known, id))) return known;
    const call: ToolCall = {
      index: this.#calls.length,
      id: null,
      name: null,
      isPlain: false,
      waitingText: '',
      isStarted: false,
      isEnded: false,
    };
    this.#calls.push(call);
    if (index !== null) this.#byUpstreamIndex.set(index, call);
    return call;
  }

  /** Some upstreams' indexes are wrong: a known id without a name continues its call. */
  #findByIndex(index: number | null, id: string | null, name: string | null): ToolCall | undefined {
    const known = id === null || name !== null ? undefined : this.#calls.findLast((call) => call.id === id);
    return known ?? (index === null ? undefined : this.#byUpstreamIndex.get(index));
  }

  /** A delta without id and name continues the last call, even under an index that nothing began with. */
  #findWithoutIndex(index: number | null, id: string | null, name: string | null): ToolCall | undefined {
    if (id !== null) return index === null ? this.#calls.findLast((call) => call.id === id) : undefined;
    return name === null ? this.#calls.at(-1) : undefined;
  }
}

/** Whether a delta with a name is another call than the known one, although it has the same index. */
function isAnother(known: ToolCall, id: string | null): boolean {
  if (known.name === null) return false;
  if (known.id !== null) return id !== null && id !== known.id;
  // Where there are no ids, complete arguments cannot go on.
  return id === null && known.waitingText.length <= JUDGED_LENGTH_MAX && isJson(known.waitingText);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function start(call: ToolCall, id: string, name: string, output: StreamPart[]): void {
  call.isStarted = true;
  output.push({ type: 'tool-input-start', index: call.index, id, name, ...(call.isPlain ? { isPlain: true } : {}) });
  if (call.waitingText === '') return;
  output.push({ type: 'tool-input-delta', index: call.index, text: call.waitingText });
  call.waitingText = '';
}

/** Ids must be unique in a whole conversation and acceptable to every vendor. */
function makeCallId(answerId: unknown, index: number): string {
  const distinct = typeof answerId === 'string' ? answerId.replace(/[^a-zA-Z0-9]/g, '') : '';
  return `call_${distinct.slice(-ANSWER_ID_LENGTH_KEPT)}_${index}`;
}

/** Some upstreams send both members with every call, and leave the one empty that it is not. */
function readCustom({ type, custom, function: callee }: JsonObject): JsonObject | null {
  return isJsonObject(custom) && (type === 'custom' || !isJsonObject(callee)) ? custom : null;
}

/** The text exactly as sent; an object, from upstreams that parse it themselves, is written as JSON. */
function readArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : '';
}

function readIndex(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
