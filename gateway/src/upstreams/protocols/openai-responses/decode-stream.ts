// Turns the events of a streamed response into stream parts. Blocks begin and end with the content of an item and not
// with the item itself, so an item that has no place in other formats gives no parts.

import { isToolCall } from '../../../canonical/finish-reason.ts';
import {
  isJsonObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  textOrNothing,
  textOrNull,
} from '../../../canonical/json.ts';
import { usesIn } from '../../../canonical/response-uses.ts';
import { holdsText } from '../../../canonical/says-something.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statedError } from '../../../canonical/states-error.ts';
import type { DecoderWishes, StreamDecoder } from '../../../canonical/stream-part.ts';
import { withStatedExtras, withUnits } from '../../../canonical/usage.ts';
import { describeForLog } from '../../failure.ts';
import { EventDecoder } from '../../frame-decoder.ts';
import { readAnnotations } from '../openai/read-annotations.ts';
import { readLogprobs } from '../openai/read-logprobs.ts';
import { readUsage } from './convert-usage.ts';
import { readFinishReason } from './finish-reason.ts';
import { isOwnItem, namespaceOf, readOwn, readOwnAnnotations, readSummary } from './to-answer.ts';

/** The last event repeats the whole answer, the instructions and the tools. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;

type Block =
  | { type: 'text'; citationCount: number }
  | { type: 'reasoning'; hasText: boolean }
  | { type: 'call'; index: number; text: string };

export function createResponseStreamDecoder({ keepsBlocks = false }: DecoderWishes = {}): StreamDecoder {
  return new ResponseStreamDecoder(keepsBlocks);
}

class ResponseStreamDecoder extends EventDecoder {
  /** By the item's place in the output. */
  readonly #open = new Map<unknown, Block>();
  /** Places whose item was announced, and those whose text has come. */
  readonly #begun = new Set<unknown>();
  readonly #said = new Set<unknown>();
  /** Of messages whose text has not begun. */
  readonly #own = new Map<unknown, JsonObject>();
  #hasItems = false;
  #callCount = 0;
  readonly #keepsBlocks: boolean;
  /** What has come in pieces of an item that only this format has. */
  #writtenLength = 0;

  constructor(keepsBlocks: boolean) {
    super(EVENT_BYTES_MAX);
    this.#keepsBlocks = keepsBlocks;
  }

  /** A stream without its last event has not said what it was. */
  protected close(): void {}

  protected readEvent(event: JsonObject): void {
    const place = event.output_index;
    const error = statedError(event);
    const kind = error === undefined || isLast(event) ? event.type : 'error';
    switch (kind) {
      case 'response.output_item.added':
        this.#openItem(place, event.item);
        break;
      case 'response.output_item.done':
        this.#closeItem(place, event.item);
        break;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#textDelta(place, event.delta);
        break;
      case 'response.output_text.annotation.added':
        this.#cite(place, [event.annotation]);
        break;
      case 'response.reasoning_summary_part.added':
        this.#separateSummary(place);
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#reasoningDelta(place, event.delta);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#callDelta(place, event.delta);
        break;
      case 'response.output_text.done':
      case 'response.refusal.done':
        if (!this.#said.has(place)) this.#textDelta(place, event.text ?? event.refusal);
        break;
      case 'response.function_call_arguments.done':
        this.#callDone(place, event.arguments);
        break;
      case 'response.custom_tool_call_input.done':
        this.#callDone(place, event.input);
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(event.response, error);
        break;
      case 'response.failed':
        this.#endFailed(objectOrEmpty(event.response));
        break;
      case 'error':
        this.#failUpstream(isJsonObject(event.error) ? event.error : event);
        break;
      default:
        if (typeof event.delta === 'string') this.#writtenLength += event.delta.length;
        break;
    }
  }

  #openItem(place: unknown, item: unknown): void {
    if (!isJsonObject(item)) return;
    this.#hasItems = true;
    if (place !== undefined) this.#begun.add(place);
    if (item.type === 'reasoning') {
      this.#open.set(place, { type: 'reasoning', hasText: false });
      this.parts.push({ type: 'reasoning-start', itemId: textOrNothing(item.id) });
    } else if (isToolCall(item)) this.#openCall(place, item);
    else this.#noteOwn(place, item);
  }

  #noteOwn(place: unknown, item: JsonObject): void {
    const { own } = this.#keepsBlocks ? readOwn(item) : {};
    if (own !== undefined) this.#own.set(place, own);
  }

  #openCall(place: unknown, item: JsonObject): void {
    const { type, call_id: id, name } = item;
    if (typeof id !== 'string' || typeof name !== 'string') {
      this.fail('malformed', 'a call without an id or a name');
      return;
    }
    const index = this.#callCount;
    this.#callCount += 1;
    this.#open.set(place, { type: 'call', index, text: '' });
    const own = this.#keepsBlocks ? readOwn(item) : {};
    const plain = type === 'custom_tool_call' ? { isPlain: true } : {};
    this.parts.push({ type: 'tool-input-start', index, id, name, ...namespaceOf(item), ...own, ...plain });
  }

  #textDelta(place: unknown, text: unknown): void {
    if (typeof text !== 'string') return;
    this.#hasItems = true;
    this.#said.add(place);
    if (this.#open.get(place)?.type !== 'text') {
      this.#open.set(place, { type: 'text', citationCount: 0 });
      this.parts.push({ type: 'text-start', own: this.#own.get(place) });
      this.#own.delete(place);
    }
    this.parts.push({ type: 'text-delta', text });
  }

  /** The parts of a summary are paragraphs. */
  #separateSummary(place: unknown): void {
    const block = this.#open.get(place);
    if (block?.type === 'reasoning' && block.hasText) this.parts.push({ type: 'reasoning-delta', text: '\n\n' });
  }

  #reasoningDelta(place: unknown, text: unknown): void {
    const block = this.#open.get(place);
    if (block?.type !== 'reasoning' || typeof text !== 'string') return;
    block.hasText = true;
    this.parts.push({ type: 'reasoning-delta', text });
  }

  #callDelta(place: unknown, text: unknown): void {
    const block = this.#open.get(place);
    if (block?.type !== 'call' || typeof text !== 'string') return;
    block.text += text;
    this.parts.push({ type: 'tool-input-delta', index: block.index, text });
  }

  /** Some upstreams send the arguments only here, and not in the whole item. */
  #callDone(place: unknown, text: unknown): void {
    const block = this.#open.get(place);
    if (block?.type === 'call' && block.text === '') this.#callDelta(place, text);
  }

  #cite(place: unknown, annotations: unknown): void {
    const block = this.#open.get(place);
    const read = this.#keepsBlocks ? readOwnAnnotations : readAnnotations;
    for (const citation of read(annotations)) {
      if (block?.type === 'text') block.citationCount += 1;
      this.parts.push({ type: 'citation', citation });
    }
  }

  /** Some upstreams send an item only when it is complete. */
  #closeItem(place: unknown, item: unknown): void {
    const whole = objectOrEmpty(item);
    if (!this.#open.has(place) && !this.#begun.has(place)) this.#openItem(place, whole);
    if (this.isOver) return;
    if (isOwnItem(whole)) {
      if (this.#keepsBlocks) this.parts.push({ type: 'block', block: whole, writtenLength: this.#writtenLength });
      this.#writtenLength = 0;
      return;
    }
    const blocks = whole.type === 'message' && Array.isArray(whole.content) ? whole.content.filter(isJsonObject) : [];
    if (!this.#said.has(place)) for (const { text, refusal } of blocks) this.#textDelta(place, text ?? refusal);
    const block = this.#open.get(place);
    if (block === undefined) return;
    if (block.type === 'text') this.#closeText(place, block.citationCount, blocks);
    else if (block.type === 'call') this.#closeCall(block.index, block.text, whole.arguments ?? whole.input);
    else {
      if (!block.hasText) this.#reasoningDelta(place, readSummary(whole) || undefined);
      const encrypted = whole.encrypted_content;
      const encryptedContent = textOrNothing(encrypted);
      this.parts.push({ type: 'reasoning-end', encryptedContent });
    }
    this.#open.delete(place);
    // Where items are not numbered, the next one has the same place.
    if (place === undefined) this.#said.delete(place);
  }

  /** Sources and log probabilities may come only with the complete text. */
  #closeText(place: unknown, citationCount: number, blocks: readonly JsonObject[]): void {
    if (citationCount === 0) for (const { annotations } of blocks) this.#cite(place, annotations);
    const tokens = blocks.flatMap(({ logprobs }) => readLogprobs(logprobs));
    if (tokens.length > 0) this.parts.push({ type: 'logprobs', tokens });
    this.parts.push({ type: 'text-end' });
  }

  /** Some upstreams do not stream the arguments and send them all at the end. */
  #closeCall(index: number, streamed: string, whole: unknown): void {
    if (streamed === '' && typeof whole === 'string' && whole !== '') {
      this.parts.push({ type: 'tool-input-delta', index, text: whole });
    }
    this.parts.push({ type: 'tool-input-end', index });
  }

  #finish(response: unknown, beside: unknown): void {
    if (!isJsonObject(response)) {
      this.fail('malformed', 'the last event has no response');
      return;
    }
    const error = beside ?? statedError(response);
    if (error !== undefined && !this.hasSpoken && !holdsText(response.output)) {
      this.#failUpstream(error);
      return;
    }
    for (const place of [...this.#open.keys()]) this.#closeItem(place, null);
    const items = listOrEmpty(response.output);
    if (!this.#hasItems) {
      for (const [place, item] of items.entries()) if (!this.isOver) this.#closeItem(place, item);
    }
    if (this.isOver) return;
    const reason = readFinishReason(response) ?? 'stop';
    const isCalling = reason === 'stop' && this.#callCount > 0;
    const native = textOrNull(response.status);
    this.parts.push({ type: 'finish', reason: isCalling ? 'tool_calls' : reason, native, stopSequence: null });
    this.#count(response);
    this.done();
  }

  #count(response: JsonObject): void {
    const { usage } = response;
    if (usage === undefined || usage === null) return;
    const counted = withUnits(readUsage(usage), usesIn(response));
    this.parts.push({ type: 'usage', usage: withStatedExtras(counted, response) });
  }

  #endFailed(response: JsonObject): void {
    this.#count(response);
    this.#failUpstream(response.error, this.hasSpoken);
  }

  #failUpstream(error: unknown, isEnd = false): void {
    const detail = describeForLog(JSON.stringify(error ?? null));
    this.failWith({ kind: 'upstream-error', detail, status: statedStatus(error), ...(isEnd ? { isEnd } : {}) });
  }
}

/** Beside the end of a response an error does not take back what was said. */
const isLast = ({ type }: JsonObject): boolean => type === 'response.completed' || type === 'response.incomplete';
