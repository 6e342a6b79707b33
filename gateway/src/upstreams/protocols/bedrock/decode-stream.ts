// The messages of a streamed answer of Converse as stream parts. The finish comes before the usage, in messages of their
// own; when both are there, the answer is done.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../../../canonical/stream-part.ts';
import { type EventMessage, EventStreamFrames } from '../../event-stream-frames.ts';
import { describeForLog } from '../../failure.ts';
import { readJsonObject } from '../../read-json-object.ts';
import { ContentReader } from './content-reader.ts';
import { readUsage } from './convert-usage.ts';
import { statusOfException } from './exceptions.ts';
import { mapStopReason } from './map-stop-reason.ts';

export function createConverseStreamDecoder(): StreamDecoder {
  return new ConverseStreamDecoder();
}

class ConverseStreamDecoder implements StreamDecoder {
  readonly #frames = new EventStreamFrames();
  readonly #reader = new ContentReader();
  #parts: StreamPart[] = [];
  #isFinished = false;
  #isOver = false;

  push(chunk: Buffer): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.push(chunk));
    return this.#takeParts();
  }

  end(): readonly StreamPart[] {
    if (!this.#isOver && this.#frames.isCut) this.#fail('malformed', 'the stream ended amid a message');
    if (!this.#isOver) {
      this.#reader.finish(this.#parts);
      if (this.#isFinished) this.#parts.push({ type: 'done' });
    }
    this.#isOver = true;
    return this.#takeParts();
  }

  #takeParts(): readonly StreamPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #readAll(messages: readonly EventMessage[]): void {
    for (const message of messages) {
      this.#readMessage(message);
      if (this.#isOver) return;
    }
    const { fault } = this.#frames;
    if (fault !== null) this.#fail(fault === 'oversize' ? 'oversize' : 'malformed', `a message with a fault: ${fault}`);
  }

  #readMessage({ headers, payload }: EventMessage): void {
    const json = readJsonObject(payload);
    if (headers[':message-type'] !== 'event') {
      const name = headers[':exception-type'] ?? headers[':error-code'] ?? 'unnamed';
      const words = json?.message ?? headers[':error-message'] ?? '-';
      this.#failUpstream(name, `${name} ${typeof words === 'string' ? words : '-'}`);
    } else if (json === null) this.#fail('malformed', 'a message is no usable JSON object');
    else this.#readEvent(headers[':event-type'], json);
  }

  #readEvent(type: string | undefined, json: JsonObject): void {
    switch (type) {
      case 'contentBlockStart':
        if (!this.#reader.start(json.contentBlockIndex, json.start, this.#parts)) {
          this.#fail('malformed', 'a content block that cannot be used');
        }
        break;
      case 'contentBlockDelta':
        if (isJsonObject(json.delta)) this.#reader.delta(json.contentBlockIndex, json.delta, this.#parts);
        break;
      case 'contentBlockStop':
        this.#reader.close(this.#parts);
        break;
      case 'messageStop':
        this.#finish(json.stopReason);
        break;
      case 'metadata':
        if (isJsonObject(json.usage)) this.#parts.push({ type: 'usage', usage: readUsage(json.usage) });
        if (this.#isFinished) this.#done();
        break;
      default:
        // The start of a message, and whatever the protocol learns next.
        break;
    }
  }

  #finish(stopReason: unknown): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#reader.finish(this.#parts);
    const native = typeof stopReason === 'string' ? stopReason : null;
    const reason = native !== null ? mapStopReason(native) : this.#reader.hasCalls ? 'tool_calls' : 'stop';
    this.#parts.push({ type: 'finish', reason, native, stopSequence: null });
  }

  #done(): void {
    this.#isOver = true;
    this.#parts.push({ type: 'done' });
  }

  #fail(kind: StreamFault['kind'], detail: string): void {
    this.#isOver = true;
    this.#parts.push({ type: 'error', fault: { kind, detail, status: null } });
  }

  #failUpstream(name: string, words: string): void {
    this.#isOver = true;
    const fault: StreamFault = {
      kind: 'upstream-error',
      detail: describeForLog(words),
      status: statusOfException(name),
    };
    this.#parts.push({ type: 'error', fault });
  }
}
