// Turns the events of a streamed answer into stream parts. The last one states the reason, the usage, and an error
// where there was one.

import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, textOrNull } from '../../../canonical/json.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statedError } from '../../../canonical/states-error.ts';
import type { StreamDecoder } from '../../../canonical/stream-part.ts';
import { describeForLog } from '../../failure.ts';
import { EventDecoder } from '../../frame-decoder.ts';
import { readUsage } from './convert-usage.ts';
import { MessageReader } from './read-message.ts';

export function createCohereStreamDecoder(): StreamDecoder {
  return new CohereStreamDecoder();
}

class CohereStreamDecoder extends EventDecoder {
  readonly #reader = new MessageReader();

  protected close(): void {
    this.#reader.close(this.parts);
  }

  protected readEvent(event: JsonObject): void {
    const delta = objectOrEmpty(event.delta);
    const message = objectOrEmpty(delta.message);
    switch (event.type) {
      case 'content-start':
      case 'content-delta':
        this.#reader.add(message.content, this.parts);
        break;
      case 'tool-plan-delta':
        this.#reader.plan(message.tool_plan, this.parts);
        break;
      case 'tool-call-start':
        if (!this.#reader.startCall(message.tool_calls, this.parts)) {
          this.fail('malformed', 'a call that cannot be used');
        }
        break;
      case 'tool-call-delta':
        if (isJsonObject(message.tool_calls) && isJsonObject(message.tool_calls.function)) {
          this.#reader.addArguments(message.tool_calls.function, this.parts);
        }
        break;
      case 'citation-start':
        this.#reader.cite(message.citations, this.parts);
        break;
      case 'content-end':
      case 'tool-call-end':
        this.#reader.close(this.parts);
        break;
      case 'message-end':
        this.#finish(delta, statedError(delta, event));
        break;
      default:
        // The start of a message, and future events.
        break;
    }
  }

  /** With its end, what has been said stands, whatever is said beside it: as in a whole answer. */
  #finish({ finish_reason: word, usage }: JsonObject, error: unknown): void {
    if (error !== undefined && !(endsWell(word) && this.hasSpoken)) {
      this.fail('upstream-error', describeForLog(JSON.stringify(error)), statedStatus(error));
      return;
    }
    this.#reader.close(this.parts);
    const native = textOrNull(word);
    const reason = native !== null ? finishReasonOf(native) : this.#reader.hasCalls ? 'tool_calls' : 'stop';
    this.parts.push({ type: 'finish', reason, native, stopSequence: null });
    if (isJsonObject(usage)) this.parts.push({ type: 'usage', usage: readUsage(usage) });
    this.done();
  }
}
