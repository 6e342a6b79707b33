// The events of a streamed answer as stream parts. The last one states the reason, the usage, and an error where there
// was one.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../../../canonical/stream-part.ts';
import { describeForLog } from '../../failure.ts';
import { readJsonObject } from '../../read-json-object.ts';
import { type SseFrame, SseFrames } from '../../sse-frames.ts';
import { readUsage } from './convert-usage.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { MessageReader } from './read-message.ts';

export function createCohereStreamDecoder(): StreamDecoder {
  return new CohereStreamDecoder();
}

class CohereStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames();
  readonly #reader = new MessageReader();
  #parts: StreamPart[] = [];
  #isOver = false;

  push(chunk: Buffer): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.push(chunk));
    return this.#takeParts();
  }

  end(): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.end());
    if (!this.#isOver) this.#reader.close(this.#parts);
    this.#isOver = true;
    return this.#takeParts();
  }

  #takeParts(): readonly StreamPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #readAll(frames: readonly SseFrame[]): void {
    for (const { data } of frames) {
      if (data === '[DONE]') continue;
      const json = readJsonObject(data);
      if (json === null) this.#fail({ kind: 'malformed', detail: 'a frame is no usable JSON object', status: null });
      else this.#readEvent(json);
      if (this.#isOver) return;
    }
    if (this.#frames.isOversize) {
      this.#fail({ kind: 'oversize', detail: 'a frame or the stream is over its limit', status: null });
    }
  }

  #readEvent(event: JsonObject): void {
    const delta = isJsonObject(event.delta) ? event.delta : {};
    const message = isJsonObject(delta.message) ? delta.message : {};
    switch (event.type) {
      case 'content-start':
      case 'content-delta':
        this.#reader.add(message.content, this.#parts);
        break;
      case 'tool-plan-delta':
        this.#reader.plan(message.tool_plan, this.#parts);
        break;
      case 'tool-call-start':
        if (!this.#reader.startCall(message.tool_calls, this.#parts)) {
          this.#fail({ kind: 'malformed', detail: 'a call that cannot be used', status: null });
        }
        break;
      case 'tool-call-delta':
        if (isJsonObject(message.tool_calls) && isJsonObject(message.tool_calls.function)) {
          this.#reader.addArguments(message.tool_calls.function, this.#parts);
        }
        break;
      case 'citation-start':
        this.#reader.cite(message.citations, this.#parts);
        break;
      case 'content-end':
      case 'tool-call-end':
        this.#reader.close(this.#parts);
        break;
      case 'message-end':
        this.#finish(delta);
        break;
      default:
        // The start of a message, and whatever the protocol learns next.
        break;
    }
  }

  #finish({ finish_reason: word, usage, error }: JsonObject): void {
    if (typeof error === 'string' && error !== '') {
      this.#fail({ kind: 'upstream-error', detail: describeForLog(error), status: null });
      return;
    }
    this.#reader.close(this.#parts);
    const native = typeof word === 'string' ? word : null;
    const reason = native !== null ? mapFinishReason(native) : this.#reader.hasCalls ? 'tool_calls' : 'stop';
    this.#parts.push({ type: 'finish', reason, native, stopSequence: null });
    if (isJsonObject(usage)) this.#parts.push({ type: 'usage', usage: readUsage(usage) });
    this.#parts.push({ type: 'done' });
    this.#isOver = true;
  }

  #fail(fault: StreamFault): void {
    this.#isOver = true;
    this.#parts.push({ type: 'error', fault });
  }
}
