// Passes a Messages stream through and changes only what must change: the id, the model and the usage become ours, and
// the end of the message is held back until the call has been paid. Text is handled as latin1, one character per byte,
// so that splitting a multi-byte character over two reads cannot damage it.

import { endsWell, finishReasonOf } from '../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { holdsText } from '../../canonical/says-something.ts';
import { statedError } from '../../canonical/states-error.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { WholeEvents } from '../../platform/whole-events.ts';
import { withoutMoney } from '../keep-usage-members.ts';
import { encodeLatin1, parseEventData, readEvent, type SentEvent } from '../sent-event.ts';
import type { RenderContext, StreamPipe } from '../stream-pipe.ts';
import { describeErrorEvent } from './describe-error-event.ts';
import { errorFrame, eventFrame, PING_FRAME } from './frames.ts';
import { renderMessagesUsage } from './render-usage.ts';

const FRAME_BYTES_MAX = 1024 * 1024;
/** The beginning of nearly every frame. Its content has nothing to change, so it is passed on without parsing. */
const DELTA_LABEL = 'event: content_block_delta\ndata: ';
const DELTA_HEAD = `${DELTA_LABEL}{"type":"content_block_delta",`;
const DELTA_OVERHEAD = `${DELTA_HEAD}"index":0,"delta":{"type":"text_delta","text":""}}`.length;
const SIGNATURE_TYPE = '"type":"signature_delta"';
/** Shorter signatures are not worth searching for. */
const SIGNATURE_BYTES_MIN = 64;
/** Unescaped, as it is in no text of the model. What it stands for is never passed on. */
const ERROR_KEY = '"error"';
const CLOSING_BRACE = 0x7d;
const EVENT_NAME = /^\w{1,64}$/;
/** A bound for safety: each `message_delta` is merged into the earlier ones, and a stream may have any number. */
const ENDING_MEMBERS_MAX = 200;
const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

export class MessagesStreamSplicer implements StreamPipe {
  readonly #id: string;
  readonly #modelId: string;
  readonly #readUsage: (value: unknown) => Usage | null;
  readonly #events = new WholeEvents(FRAME_BYTES_MAX);
  /** The start of the message waits for what follows it: until then the call can still move to another provider. */
  #opening = '';
  #hasStarted = false;
  #ending: JsonObject | null = null;
  /** Counts come in two parts: the input's at the start, all of them at the end. */
  #startUsage: JsonObject = {};
  #endUsage: JsonObject | null = null;
  #isUsageBroken = false;

  readonly keepAliveFrame = PING_FRAME;
  frameCount = 0;
  contentBytes = 0;
  isDone = false;
  hasFinished = false;
  /** Until then every frame is read. */
  hasSpoken = false;
  finishReason: string | null = null;
  fault: StreamFault | null = null;

  constructor(context: RenderContext, readUsage: (value: unknown) => Usage | null) {
    this.#id = context.id;
    this.#modelId = context.modelId;
    this.#readUsage = readUsage;
  }

  get keptBytes(): number {
    return this.#events.keptBytes;
  }

  get hasUsage(): boolean {
    return this.#endUsage !== null;
  }

  get usage(): Usage | null {
    if (this.#endUsage === null || this.#isUsageBroken) return null;
    return this.#readUsage(mergeUsage(this.#startUsage, this.#endUsage));
  }

  /** Takes what one read brought and returns what may go to the client now, as latin1 text. */
  push(chunk: Buffer): string {
    if (this.isDone || this.fault !== null) return '';
    const output = this.#splice(this.#events.push(chunk));
    if (this.#events.isOversize && this.fault === null) this.#overflow();
    return output;
  }

  end(): string {
    return this.isDone || this.fault !== null ? '' : this.#splice(this.#events.end());
  }

  /** Frames that pass untouched are cut out of the text together, as many as stand in a row. */
  #splice(text: string): string {
    let output = '';
    let position = 0;
    let rowStart = 0;
    const mayFail = text.includes(ERROR_KEY);
    while (true) {
      const end = text.indexOf('\n\n', position);
      if (end === -1) break;
      if (end - position > FRAME_BYTES_MAX) {
        this.#overflow();
        break;
      }
      if (!mayFail && this.hasSpoken && isPlainDelta(text, position, end)) {
        this.#count(text, position, end);
      } else {
        output += text.slice(rowStart, position) + this.#frame(text.slice(position, end));
        rowStart = end + 2;
        if (this.isDone || this.fault !== null) return output;
      }
      position = end + 2;
    }
    return output + text.slice(rowStart, position);
  }

  /** What was held back, with the usage, and the end mark. */
  finale(usage: Usage, costUsd: number): string {
    const held = this.#ending ?? { delta: { stop_reason: 'end_turn', stop_sequence: null } };
    const ending = { ...held, usage: renderMessagesUsage(usage, costUsd, this.#endUsage ?? {}) };
    return this.#takeOpening() + encodeLatin1(eventFrame('message_delta', ending)) + eventFrame('message_stop', {});
  }

  failure(error: ApiError): string {
    return errorFrame(error);
  }

  #frame(text: string): string {
    const event = readEvent(text);
    if (event === null) return '';
    if (event.data === '[DONE]') {
      this.#end();
      return '';
    }
    const json = parseEventData(event.data);
    if (json === null) {
      this.fault = { kind: 'malformed', detail: 'a frame is not a JSON object', status: null };
      return '';
    }
    return this.#event(event, json);
  }

  #event(event: SentEvent, json: JsonObject): string {
    // Some upstreams leave out the line with the name; the type inside is always the same.
    const type = typeof json.type === 'string' ? json.type : event.name;
    const error = statedError(json, json.message, json.delta);
    switch (error === undefined || this.#isComplete(json) ? type : 'error') {
      case 'message_start':
        this.#start({ ...json, type });
        return '';
      case 'message_delta':
        this.#holdEnding({ ...json, type });
        return '';
      case 'message_stop':
        this.#end();
        return '';
      case 'error':
        this.fault = describeErrorEvent(error);
        return '';
      case 'ping':
        // The gateway sends its own keep-alive while the upstream is silent.
        return '';
      default:
        return error === undefined ? this.#passOn(type, event.data, json) : '';
    }
  }

  /** With its end, what has been said stands, whatever is said beside it: as in a whole answer. */
  #isComplete({ delta }: JsonObject): boolean {
    return this.hasSpoken && (this.hasFinished || endsWell(objectOrEmpty(delta).stop_reason));
  }

  /** An upstream that ends without a finish or usage has broken off. */
  #end(): void {
    if (this.hasFinished || this.hasUsage) this.isDone = true;
    else this.fault = { kind: 'malformed', detail: 'the stream ended without a finish', status: null };
  }

  #start(json: JsonObject): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const message = objectOrEmpty(json.message);
    if (isJsonObject(message.usage)) this.#startUsage = message.usage;
    const started = {
      ...message,
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#modelId,
      provider: undefined,
      error: undefined,
      content: Array.isArray(message.content) ? message.content : [],
      stop_reason: null,
      stop_sequence: null,
      usage: withCounts(this.#startUsage),
    };
    this.#opening = encodeLatin1(eventFrame('message_start', { ...json, error: undefined, message: started }));
  }

  /** There is usually one of these; some upstreams send several, and the later one counts. */
  #holdEnding(json: JsonObject): void {
    const before = isJsonObject(this.#ending?.delta) ? this.#ending.delta : {};
    const delta: JsonObject = { ...before, ...objectOrEmpty(json.delta), error: undefined };
    this.#ending = { ...this.#ending, ...json, error: undefined, delta };
    const { usage } = json;
    if (usage !== undefined && usage !== null) {
      this.#endUsage = mergeUsage(this.#endUsage ?? {}, objectOrEmpty(usage));
      this.#isUsageBroken ||= !isJsonObject(usage);
    }
    if ([this.#ending, delta, this.#endUsage ?? {}].some(hasTooMany)) {
      this.fault = { kind: 'malformed', detail: 'an ending with too many members', status: null };
      return;
    }
    const { stop_reason: reason } = delta;
    if (typeof reason !== 'string') return;
    this.hasFinished = true;
    this.finishReason = finishReasonOf(reason);
  }

  #passOn(type: string, data: string, { content_block: block, delta }: JsonObject): string {
    if (!EVENT_NAME.test(type)) return '';
    this.hasSpoken ||= holdsText([block, delta]);
    if (type === 'content_block_delta') {
      this.#count(data, -DELTA_LABEL.length, data.length);
    }
    return `${this.#takeOpening()}event: ${type}\ndata: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
  }

  /** A signature's length says nothing about how much was thought; one whose type is not known yet is short. */
  #count(text: string, start: number, end: number): void {
    this.frameCount += 1;
    const bytes = end - start - DELTA_OVERHEAD;
    if (bytes <= 0) return;
    if (bytes > SIGNATURE_BYTES_MIN && isSignature(text, start)) return;
    this.contentBytes += bytes;
  }

  #takeOpening(): string {
    if (!this.#hasStarted) this.#start({});
    const opening = this.#opening;
    this.#opening = '';
    return opening;
  }

  #overflow(): void {
    this.fault = { kind: 'oversize', detail: 'a frame is over its limit', status: null };
  }
}

function isSignature(text: string, start: number): boolean {
  const type = text.indexOf(SIGNATURE_TYPE, Math.max(0, start));
  return type !== -1 && type < start + DELTA_OVERHEAD;
}

/**
 * One data line that begins and ends as it should. Slices are compared because V8 compares whole strings at memory
 * speed, while `startsWith` goes character by character.
 */
function isPlainDelta(text: string, start: number, end: number): boolean {
  return (
    text.slice(start, start + DELTA_HEAD.length) === DELTA_HEAD &&
    text.charCodeAt(end - 1) === CLOSING_BRACE &&
    text.indexOf('\n', start + DELTA_HEAD.length) === end
  );
}

const PROMPT_COUNTS: readonly string[] = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * Records are cumulative, so the higher count is the later one. A null is ignored; a value that is not a count is kept.
 * The prompt may first be an estimate: its last value counts, unless it is zero.
 */
function mergeUsage(before: JsonObject, after: JsonObject): JsonObject {
  const merged: JsonObject = { ...before };
  const isRestated = PROMPT_COUNTS.some((name) => isCount(after[name]) && after[name] > 0);
  for (const [name, value] of Object.entries(after)) {
    const known = merged[name];
    const isLastWord = isRestated && PROMPT_COUNTS.includes(name);
    if (isCount(known) && isCount(value) && !isLastWord) merged[name] = Math.max(known, value);
    else if (value !== null) merged[name] = value;
  }
  return merged;
}

const hasTooMany = (json: JsonObject): boolean => Object.keys(json).length > ENDING_MEMBERS_MAX;

/** Clients fail on a count that is missing or not a number. */
function withCounts(usage: JsonObject): JsonObject {
  return {
    ...withoutMoney(usage),
    ...Object.fromEntries(COUNTS.map((name) => [name, isCount(usage[name]) ? usage[name] : 0])),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
