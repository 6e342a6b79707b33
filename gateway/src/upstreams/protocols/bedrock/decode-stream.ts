// Turns the messages of a streamed Converse answer into stream parts. The finish comes before the usage, each in its
// own message; with both, the answer is complete.

import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, textOrNull } from '../../../canonical/json.ts';
import { statesError } from '../../../canonical/states-error.ts';
import type { StreamDecoder } from '../../../canonical/stream-part.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { type EventMessage, EventStreamFrames } from '../../event-stream-frames.ts';
import { describeForLog } from '../../failure.ts';
import { FrameDecoder } from '../../frame-decoder.ts';
import { ContentReader } from './content-reader.ts';
import { readUsage } from './convert-usage.ts';
import { statusOfException } from './exceptions.ts';

export function createConverseStreamDecoder(): StreamDecoder {
  return new ConverseStreamDecoder();
}

class ConverseStreamDecoder extends FrameDecoder<EventMessage> {
  readonly #frames: EventStreamFrames;
  readonly #reader = new ContentReader();
  #isFinished = false;

  constructor() {
    const frames = new EventStreamFrames();
    super(frames);
    this.#frames = frames;
  }

  protected close(): void {
    if (this.#frames.isCut) this.fail('malformed', 'the stream ended amid a message');
    else {
      this.#reader.finish(this.parts);
      if (this.#isFinished) this.done();
    }
  }

  protected readFrame({ headers, payload }: EventMessage): void {
    const json = readJsonObject(payload);
    if (headers[':message-type'] !== 'event') {
      const name = headers[':exception-type'] ?? headers[':error-code'] ?? 'unnamed';
      const words = json?.message ?? headers[':error-message'] ?? '-';
      const detail = describeForLog(`${name} ${typeof words === 'string' ? words : '-'}`);
      this.fail('upstream-error', detail, statusOfException(name));
    } else if (json === null) this.fail('malformed', 'a message is no usable JSON object');
    else if (this.#isFailed(json)) this.fail('upstream-error', describeForLog(JSON.stringify(json.error)));
    else this.#readEvent(headers[':event-type'], json);
  }

  /** With its end, what has been said stands, whatever is said beside it: as in a whole answer. */
  #isFailed(json: JsonObject): boolean {
    const isComplete = this.hasSpoken && (this.#isFinished || endsWell(json.stopReason));
    return statesError(json.error) && !isComplete;
  }

  #readEvent(type: string | undefined, json: JsonObject): void {
    switch (type) {
      case 'contentBlockStart':
        if (!this.#reader.start(json.contentBlockIndex, json.start, this.parts)) {
          this.fail('malformed', 'a content block that cannot be used');
        }
        break;
      case 'contentBlockDelta':
        if (isJsonObject(json.delta)) this.#reader.delta(json.contentBlockIndex, json.delta, this.parts);
        break;
      case 'contentBlockStop':
        this.#reader.close(this.parts);
        break;
      case 'messageStop':
        this.#finish(json.stopReason);
        break;
      case 'metadata':
        if (isJsonObject(json.usage)) this.parts.push({ type: 'usage', usage: readUsage(json.usage) });
        if (this.#isFinished) this.done();
        break;
      default:
        // The start of a message, and future messages.
        break;
    }
  }

  #finish(stopReason: unknown): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#reader.finish(this.parts);
    const native = textOrNull(stopReason);
    const reason = native !== null ? finishReasonOf(native) : this.#reader.hasCalls ? 'tool_calls' : 'stop';
    this.parts.push({ type: 'finish', reason, native, stopSequence: null });
  }
}
