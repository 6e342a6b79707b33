// Tool calls of upstreams that speak this dialect's format, with the members that clients rely on. Some upstreams leave
// out the index, the id or the type of a call, use one index for every call, write the arguments as an object, or go on
// with a call whose name is null, which clients would take for its name.
// Calls that are as they should be are returned as they are, so that nobody pays for those that are not.

import {
  filledOrNull,
  isFilled,
  isJsonObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
} from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { withoutBlanks } from './blank-members.ts';

/** Calls of a whole message; the same list where nothing has to change. */
export function tidyCalls(calls: unknown, answerId: string): unknown {
  if (!Array.isArray(calls) || calls.every(isTidy)) return calls;
  return calls.map((call, index) => (isJsonObject(call) ? complete(call, callId(answerId, index)) : call));
}

function isTidy(call: unknown): boolean {
  if (!isJsonObject(call) || !isFilled(call.id) || typeof call.type !== 'string') return false;
  const { function: callee } = call;
  return !isJsonObject(callee) || (typeof callee.arguments === 'string' && callee.arguments !== '');
}

function complete(call: JsonObject, id: string): JsonObject {
  const named = { ...call, id: isFilled(call.id) ? call.id : id, type: typeOf(call) };
  const { function: callee } = call;
  return isJsonObject(callee) ? { ...named, function: { ...callee, arguments: writtenOr(callee, '{}') } } : named;
}

const typeOf = ({ type, custom }: JsonObject): unknown =>
  typeof type === 'string' ? type : isJsonObject(custom) ? 'custom' : 'function';

function writtenOr({ arguments: written }: JsonObject, nothing: string): string {
  if (typeof written === 'string' && written !== '') return written;
  return isJsonObject(written) ? stringifyExactJson(written) : nothing;
}

/** Unique in a conversation, and of letters and a length that most vendors take back. */
const callId = (answerId: string, index: number): string =>
  `call_${answerId.replace(/[^a-zA-Z0-9]/g, '').slice(-ANSWER_LETTERS)}_${index}`;

/** Of the answer's id; they are random. */
const ANSWER_LETTERS = 24;

type OpenCall = Readonly<{ index: number; id: string; name: string | null }> & { isBare: boolean };

/** Of one choice. An upstream that goes on beginning calls has the rest passed on as they come. */
const CALLS_MAX = 1_000;

/** Calls in the deltas of one choice. */
export class TidyCallDeltas {
  readonly #answerId: string;
  readonly #calls: OpenCall[] = [];
  readonly #byUpstreamIndex = new Map<number, OpenCall>();
  #isTidy = true;
  /** How many calls have no arguments yet. */
  #bareCount = 0;

  constructor(answerId: string) {
    this.#answerId = answerId;
  }

  /** The rest of calls that began as they should needs no reading. */
  get mustRead(): boolean {
    return !this.#isTidy || this.#bareCount > 0;
  }

  /**
   * When nothing more comes: what is missing of calls without arguments, which clients take for no JSON. The input of a
   * tool in `plainNames` is a text, which may be empty.
   */
  missing(plainNames: ReadonlySet<unknown>): readonly JsonObject[] {
    const bare = this.#calls.filter(({ isBare, name }) => isBare && !plainNames.has(name));
    return bare.map(({ index }) => ({ index, function: { arguments: '{}' } }));
  }

  tidy(calls: readonly unknown[]): readonly unknown[] {
    return calls.map((call) => (isJsonObject(call) ? this.#tidyDelta(call) : call));
  }

  #tidyDelta(sent: JsonObject): JsonObject {
    const known = this.#find(sent);
    if (known === undefined && !isFilled(sent.id) && nameOf(sent) === null) return sent;
    if (known === undefined && this.#calls.length >= CALLS_MAX) return sent;
    const open = known ?? this.#open(sent);
    const call = known === undefined ? sent : continued(sent);
    if (call !== sent) this.#isTidy = false;
    this.#noteArguments(open, call);
    const { function: callee } = call;
    const written = isJsonObject(callee) ? callee.arguments : undefined;
    const isWritten = written === undefined || typeof written === 'string';
    const isNamed = known !== undefined || (call.id === open.id && typeof call.type === 'string');
    if (call.index === open.index && isWritten && isNamed) return call;
    this.#isTidy = false;
    const placed = { ...call, index: open.index, ...(known === undefined ? { id: open.id, type: typeOf(call) } : {}) };
    return isJsonObject(callee) ? { ...placed, function: { ...callee, arguments: writtenOr(callee, '') } } : placed;
  }

  #noteArguments(open: OpenCall, { function: callee, custom }: JsonObject): void {
    const written = isJsonObject(callee) ? callee.arguments : undefined;
    if (!open.isBare || !(isFilled(written) || isJsonObject(written) || isJsonObject(custom))) return;
    open.isBare = false;
    this.#bareCount -= 1;
  }

  /** Undefined for a call that begins. */
  #find(call: JsonObject): OpenCall | undefined {
    const { index, id } = call;
    const name = nameOf(call);
    if (isIndex(index)) {
      const known = this.#byUpstreamIndex.get(index);
      // Some upstreams use an index again for another call.
      return name !== null && isFilled(id) && id !== known?.id ? undefined : known;
    }
    if (isFilled(id)) return this.#calls.findLast((open) => open.id === id);
    return name === null ? this.#calls.at(-1) : undefined;
  }

  #open(call: JsonObject): OpenCall {
    const { index: stated, id } = call;
    const next = (this.#calls.at(-1)?.index ?? -1) + 1;
    const index = isIndex(stated) ? Math.max(stated, next) : next;
    const open = { index, id: isFilled(id) ? id : callId(this.#answerId, index), name: nameOf(call), isBare: true };
    this.#bareCount += 1;
    this.#calls.push(open);
    if (isIndex(stated)) this.#byUpstreamIndex.set(stated, open);
    return open;
  }
}

/**
 * Adds what is missing of the calls to the last frames, by choice. Not to the first that states a finish: some upstreams
 * state it several times, and go on with a call in between.
 */
export function completeCalls(
  frames: readonly JsonObject[],
  calls: ReadonlyMap<number, TidyCallDeltas>,
  plainNames: ReadonlySet<unknown>,
): void {
  const last = new Map<unknown, JsonObject>();
  for (const choice of frames.flatMap((frame) => listOrEmpty(frame.choices)).filter(isJsonObject)) {
    if (choice.finish_reason === 'tool_calls') last.set(choice.index, choice);
  }
  for (const [index, choice] of last) {
    const missing = calls.get(Number(index))?.missing(plainNames) ?? [];
    if (missing.length === 0) continue;
    const delta = objectOrEmpty(choice.delta);
    choice.delta = { ...delta, tool_calls: [...listOrEmpty(delta.tool_calls), ...missing] };
  }
}

/** Without the names that the call had from its beginning. */
function continued(call: JsonObject): JsonObject {
  const rest = withoutBlanks(call, ['id', 'type', 'function']);
  const { function: callee } = rest;
  if (!isJsonObject(callee)) return rest;
  const named = withoutBlanks(callee, ['name']);
  return named === callee ? rest : { ...rest, function: named };
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function nameOf({ function: callee, custom }: JsonObject): string | null {
  if (isJsonObject(callee)) return filledOrNull(callee.name);
  return isJsonObject(custom) ? filledOrNull(custom.name) : null;
}
