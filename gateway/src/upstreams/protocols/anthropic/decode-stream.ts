// The events of a streamed message as stream parts. The finish and the usage are given out with the event that states
// them, not at the end mark: a connection lost in between has still brought the whole answer, and it is charged.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../../../canonical/stream-part.ts';
import { describeForLog } from '../../failure.ts';
import { readJsonObject } from '../../read-json-object.ts';
import { type SseFrame, SseFrames } from '../../sse-frames.ts';
import { UsageTally } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { StreamBlocks } from './stream-blocks.ts';
import { mapStopReason } from './to-answer.ts';

export function createMessageStreamDecoder(): StreamDecoder {
  return new MessageStreamDecoder();
}

class MessageStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #tally = new UsageTally();
  readonly #blocks = new StreamBlocks();
  #parts: StreamPart[] = [];
  /** The records of `message_delta` are the final ones; the one at the start only knows the prompt. */
  #hasFinalRecord = false;
  #isUsageSent = false;
  #isFinished = false;
  #isOver = false;

  push(chunk: Buffer): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.push(chunk));
    return this.#takeParts();
  }

  end(): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.end());
    if (!this.#isOver) this.#blocks.closeAll(this.#parts);
    this.#isOver = true;
    return this.#takeParts();
  }

  #takeParts(): readonly StreamPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #readAll(frames: readonly SseFrame[]): void {
    for (const frame of frames) {
      this.#readFrame(frame);
      if (this.#isOver) return;
    }
    if (this.#frames.isOversize) {
      this.#fail({ kind: 'oversize', detail: 'a frame or the stream is over its limit', status: null });
    }
  }

  #readFrame({ event, data }: SseFrame): void {
    // Not of this protocol, but some upstreams that copy it end so.
    if (data === '[DONE]') return;
    const json = readJsonObject(data);
    if (json === null) this.#fail({ kind: 'malformed', detail: 'a frame is no usable JSON object', status: null });
    else this.#readEvent(typeof json.type === 'string' ? json.type : event, json);
  }

  #readEvent(type: string | null, json: JsonObject): void {
    switch (type) {
      case 'message_start':
        this.#tally.add(isJsonObject(json.message) ? json.message.usage : undefined);
        break;
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        if (!this.#isFinished) this.#readBlockEvent(type, json);
        break;
      case 'message_delta':
        this.#readMessageDelta(json);
        break;
      case 'message_stop':
        // With a final record the answer is whole, though its upstream does not say why it ended.
        if (this.#hasFinalRecord) this.#finish(null, null);
        else this.#blocks.closeAll(this.#parts);
        this.#sendUsage();
        this.#parts.push({ type: 'done' });
        this.#isOver = true;
        break;
      case 'error': {
        const detail = describeForLog(describeError(json.error));
        this.#fail({ kind: 'upstream-error', detail, status: statusOfError(json.error) });
        break;
      }
      default:
        // Pings, and whatever the protocol learns next.
        break;
    }
  }

  #readBlockEvent(type: string, json: JsonObject): void {
    const index = Number.isSafeInteger(json.index) ? (json.index as number) : 0;
    if (type === 'content_block_stop') this.#blocks.stop(index, this.#parts);
    else if (type === 'content_block_delta') {
      if (isJsonObject(json.delta)) this.#blocks.delta(index, json.delta, this.#parts);
    } else if (!isJsonObject(json.content_block) || !this.#blocks.start(index, json.content_block, this.#parts)) {
      this.#fail({ kind: 'malformed', detail: 'a content block that cannot be used', status: null });
    }
  }

  #readMessageDelta(json: JsonObject): void {
    if (json.usage !== undefined && json.usage !== null) {
      this.#tally.add(json.usage);
      this.#hasFinalRecord = true;
    }
    const delta = isJsonObject(json.delta) ? json.delta : {};
    if (typeof delta.stop_reason === 'string') {
      this.#finish(delta.stop_reason, typeof delta.stop_sequence === 'string' ? delta.stop_sequence : null);
    }
    // Some upstreams repeat the running count before the model has finished; that is not the usage yet.
    if (this.#isFinished) this.#sendUsage();
  }

  /** Without a reason of the upstream's own, what came before tells the two ordinary endings apart. */
  #finish(native: string | null, stopSequence: string | null): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#blocks.closeAll(this.#parts);
    const reason = native !== null ? mapStopReason(native) : this.#blocks.hasTools ? 'tool_calls' : 'stop';
    this.#parts.push({ type: 'finish', reason, native, stopSequence });
  }

  #sendUsage(): void {
    if (this.#isUsageSent || !this.#hasFinalRecord) return;
    this.#isUsageSent = true;
    this.#parts.push({ type: 'usage', usage: this.#tally.usage });
  }

  #fail(fault: StreamFault): void {
    this.#isOver = true;
    this.#parts.push({ type: 'error', fault });
  }
}
