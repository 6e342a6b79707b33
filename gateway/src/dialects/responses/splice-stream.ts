// Passes a stream of the same format through. Only events that contain the response are rewritten; everything else is
// sent as the bytes that came, ordinary deltas without being parsed. Text is handled as latin1, one character per byte,
// so that splitting a multi-byte character over two reads cannot damage it.

import { isToolCall } from '../../canonical/finish-reason.ts';
import { isJsonObject, isSet, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { usesIn } from '../../canonical/response-uses.ts';
import { holdsText } from '../../canonical/says-something.ts';
import { statedStatus } from '../../canonical/stated-status.ts';
import { statedError, statesError } from '../../canonical/states-error.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';
import { NO_UNITS, type Units, type Usage, withStatedExtras, withUnits } from '../../canonical/usage.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { WholeEvents } from '../../platform/whole-events.ts';
import { keepUsageMembers } from '../keep-usage-members.ts';
import { encodeLatin1, parseEventData, readEvent } from '../sent-event.ts';
import type { RenderContext, StreamPipe } from '../stream-pipe.ts';
import { completeItem } from './complete-items.ts';
import { escapeNonAscii, eventFrame, failureFrames, RESPONSES_KEEP_ALIVE_FRAME } from './frames.ts';
import { adoptResponse } from './render-response.ts';
import { renderResponsesUsage } from './render-usage.ts';
import { createResponseWriter, outcomeOf } from './response-object.ts';

/** The last event repeats the whole answer, the instructions and the tools, and an image may be inside. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;
/** Safety: an upstream that closes an item and then goes on without another must not fill the memory. */
const HELD_LENGTH_MAX = 2 * EVENT_BYTES_MAX;
/** Unescaped it is always a key: inside a string its quotes would carry backslashes. */
const DELTA_KEY = '"delta":"';
/** What an event states with it is never passed on. */
const ERROR_KEY = '"error"';

/** It is written on a line of its own, where a line end would let the upstream forge other lines. */
const EVENT_TYPE = /^[\w.-]{1,128}$/;
/** Named heartbeats make clients fail, and our own comment lines keep the connection alive. */
const HEARTBEATS = new Set(['keepalive', 'heartbeat', 'ping']);

export class ResponsesStreamSplicer implements StreamPipe {
  readonly #context: RenderContext;
  readonly #readUsage: (value: unknown) => Usage | null;
  readonly #events = new WholeEvents(EVENT_BYTES_MAX);
  /** How frames of the current run of deltas begin; they pass on sight. */
  #deltaStart: string | null = null;
  /** Frames from the event that closed an item on: sent when another follows, or with the finale. */
  #held = '';
  #isCut = false;
  /** The last event up to the usage, which is added when the charge is known. */
  #terminal: string | null = null;
  #rawUsage: unknown = null;
  /** The response in the last event, which says more than the usage. */
  #last: JsonObject | null = null;
  /** Tools that the provider ran. */
  #uses: Units = NO_UNITS;
  #lastFrame = '';
  #hasCalls = false;

  readonly keepAliveFrame = RESPONSES_KEEP_ALIVE_FRAME;
  frameCount = 0;
  contentBytes = 0;
  isDone = false;
  /** Until then every frame is read. */
  hasSpoken = false;
  finishReason: string | null = null;
  fault: StreamFault | null = null;

  constructor(context: RenderContext, readUsage: (value: unknown) => Usage | null) {
    this.#context = context;
    this.#readUsage = readUsage;
  }

  push(chunk: Buffer): string {
    if (this.isDone || this.fault !== null) return '';
    const text = this.#events.push(chunk);
    if (this.#events.isOversize) this.#fail('oversize', 'an event is over its limit');
    return text === '' ? '' : this.#pass(text);
  }

  end(): string {
    if (this.isDone || this.fault !== null) return '';
    const rest = this.#events.end();
    return rest === '' ? '' : this.#pass(rest);
  }

  get keptBytes(): number {
    return this.#events.keptBytes + this.#held.length;
  }

  get hasFinished(): boolean {
    return this.#terminal !== null;
  }

  get hasUsage(): boolean {
    return this.#rawUsage !== null;
  }

  get usage(): Usage | null {
    return withStatedExtras(withUnits(this.#readUsage(this.#rawUsage), this.#uses), this.#last);
  }

  cut(): void {
    this.#isCut = true;
    this.isDone = true;
    this.finishReason = 'length';
  }

  finale(usage: Usage, costUsd: number): string {
    const bill = encode(keepUsageMembers(renderResponsesUsage({ usage, costUsd }), this.#rawUsage));
    const terminal = this.#terminal ?? this.#syntheticTerminal();
    return `${this.#held}${terminal}"usage":${bill}}}\n\n`;
  }

  failure(error: ApiError): string {
    const frames = failureFrames(error, this.#nextSequenceNumber(), createResponseWriter(this.#context));
    return escapeNonAscii(frames);
  }

  /** Whole frames only. A run of deltas is passed on in one piece. */
  #pass(text: string): string {
    let output = '';
    let runStart = 0;
    let position = 0;
    const mayFail = text.includes(ERROR_KEY);
    while (true) {
      const end = text.indexOf('\n\n', position);
      if (end === -1) break;
      if (!mayFail && this.#isKnownDelta(text, position, end)) {
        this.#countDelta(text, position);
        if (this.#held !== '') {
          output += text.slice(runStart, position) + this.#releaseHeld();
          runStart = position;
        }
        this.#lastFrame = text.slice(position, end);
      } else {
        output += text.slice(runStart, position) + this.#frame(text.slice(position, end));
        runStart = end + 2;
        if (this.isDone || this.fault !== null) return output;
      }
      position = end + 2;
    }
    return output + text.slice(runStart);
  }

  /** Slices are compared because V8 compares whole strings at memory speed. */
  #isKnownDelta(text: string, start: number, end: number): boolean {
    const known = this.#deltaStart;
    return known !== null && text.slice(start, start + known.length) === known && text.charCodeAt(end - 1) === 0x7d;
  }

  /** Measures up to the quote that ends the delta. */
  #countDelta(text: string, start: number): void {
    this.frameCount += 1;
    const key = text.indexOf(DELTA_KEY, start);
    if (key === -1) return;
    const valueStart = key + DELTA_KEY.length;
    let end = text.indexOf('"', valueStart);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.contentBytes += Math.max(0, end - valueStart);
  }

  #releaseHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** A frame that has to be parsed. */
  #frame(frame: string): string {
    const data = readEvent(frame)?.data;
    if (data === undefined) return '';
    if (data === '[DONE]') return this.#fail('malformed', 'the stream ended before its last event');
    const event = parseEventData(data);
    if (event === null) return this.#fail('malformed', 'an event is no usable JSON object');
    const { type } = event;
    const error = statedError(event);
    if (error !== undefined && type !== 'response.completed' && type !== 'response.incomplete') {
      return this.#failUpstream(error);
    }
    // Without a proper type it is no event of this format, and clients fail on it.
    if (typeof type !== 'string' || !EVENT_TYPE.test(type) || HEARTBEATS.has(type)) return '';
    if (type === 'error') return this.#failUpstream(event);
    const shown = withoutEmptyError(event, frame);
    const output = type.endsWith('.delta')
      ? this.#delta(shown, type, event.delta)
      : this.#otherEvent(shown, type, event);
    // An event that failed the stream was not sent, so its number is not the last one.
    if (this.fault === null) this.#lastFrame = shown;
    return output;
  }

  #delta(frame: string, type: string, said: unknown): string {
    this.hasSpoken ||= holdsText(said);
    if (this.hasSpoken) this.#deltaStart = learnStart(frame, type);
    this.#countDelta(frame, 0);
    return `${this.#releaseHeld()}${frame}\n\n`;
  }

  #otherEvent(frame: string, type: string, event: JsonObject): string {
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(type, event);
      case 'response.failed':
      case 'response.cancelled':
        return this.#endFailed(objectOrEmpty(event.response));
      case 'response.output_item.added':
        return `${this.#releaseHeld()}${frame}\n\n`;
      case 'response.output_item.done': {
        const released = this.#releaseHeld();
        this.#noteItem(event.item);
        this.#held = this.#closing(event, frame);
        return released;
      }
      default: {
        const text = isJsonObject(event.response) ? this.#rewrite(type, event, event.response) : `${frame}\n\n`;
        if (this.#held === '') return text;
        this.#held += text;
        return this.#held.length > HELD_LENGTH_MAX ? this.#fail('oversize', 'too much is held') : '';
      }
    }
  }

  #rewrite(type: string, event: JsonObject, response: JsonObject): string {
    return `event: ${type}\ndata: ${encode({ ...event, response: adoptResponse(response, this.#context) })}\n\n`;
  }

  /** The last word on an item, which some clients read alone. */
  #closing(event: JsonObject, frame: string): string {
    const index = Number.isSafeInteger(event.output_index) ? Number(event.output_index) : 0;
    const item = completeItem(event.item, this.#context.id, index);
    return item === event.item ? `${frame}\n\n` : `event: ${event.type}\ndata: ${encode({ ...event, item })}\n\n`;
  }

  #noteItem(item: unknown): void {
    if (isToolCall(item)) this.#hasCalls = true;
    this.hasSpoken ||= holdsText(item);
  }

  #finish(type: string, event: JsonObject): string {
    const { response, error: _error, ...envelope } = event;
    if (!isJsonObject(response)) return this.#fail('malformed', 'the last event has no response');
    // With its end, what has been said stands, whatever is said beside it: as in a whole answer.
    const error = statedError(event, response);
    if (error !== undefined && !this.hasSpoken && !holdsText(response.output)) return this.#failUpstream(error);
    this.#count(response);
    const head = encode(envelope);
    const body = encode({ ...adoptResponse(response, this.#context), usage: undefined });
    // Both texts end with their closing brace, which here comes after the usage.
    this.#terminal = `event: ${type}\ndata: ${head.slice(0, -1)},"response":${body.slice(0, -1)},`;
    this.finishReason = this.#readFinishReason(type, response.incomplete_details);
    this.isDone = true;
    return '';
  }

  #count(response: JsonObject): void {
    this.#rawUsage = response.usage ?? null;
    this.#last = response;
    this.#uses = usesIn(response);
  }

  /** What has been said before it is charged by what the upstream states, as at any other end. */
  #endFailed(response: JsonObject): string {
    this.#count(response);
    this.#failUpstream(response.error);
    if (this.fault !== null && this.hasSpoken) this.fault = { ...this.fault, isEnd: true };
    return '';
  }

  #readFinishReason(type: string, details: unknown): string {
    if (type === 'response.completed') return this.#hasCalls ? 'tool_calls' : 'stop';
    return isJsonObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
  }

  #fail(kind: StreamFault['kind'], detail: string, status: number | null = null): string {
    this.fault = { kind, detail, status };
    return '';
  }

  #failUpstream(error: unknown): string {
    return this.#fail('upstream-error', JSON.stringify(error ?? null).slice(0, 500), statedStatus(error));
  }

  /** Only for a stream that the gateway itself has cut; its client still gets an ending. */
  #syntheticTerminal(): string {
    const outcome = outcomeOf(this.#isCut ? 'length' : 'stop');
    const response = createResponseWriter(this.#context)(outcome, [], null);
    const frame = eventFrame(`response.${outcome.status}`, this.#nextSequenceNumber(), `"response":${response}`);
    return escapeNonAscii(frame.slice(0, frame.lastIndexOf('"usage":')));
  }

  #nextSequenceNumber(): number {
    const match = /"sequence_number":\s*(\d{1,9})\b/.exec(this.#lastFrame);
    return match === null ? this.frameCount : Number(match[1]) + 1;
  }
}

/** Clients take even an error without a word for one. */
function withoutEmptyError(event: JsonObject, frame: string): string {
  if (!isSet(event.error) || statesError(event.error)) return frame;
  delete event.error;
  return `event: ${event.type}\ndata: ${encode(event)}`;
}

/** Null when frames of this kind do not show their type at the beginning. */
function learnStart(frame: string, type: string): string | null {
  const candidates = [`event: ${type}\ndata: {`, `data: {"type":"${type}",`];
  return candidates.find((start) => frame.startsWith(start)) ?? null;
}

const encode = (json: unknown): string => encodeLatin1(JSON.stringify(json));

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (position - first) % 2 === 1;
}
