// Turns the events of a streamed message into stream parts. The finish and the usage are given with the event that
// states them, and not at the end mark: a connection that is lost in between has still brought the whole answer, which
// is charged.

import { endsWell, finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, textOrNull } from '../../../canonical/json.ts';
import { statedError } from '../../../canonical/states-error.ts';
import type { DecoderWishes, StreamDecoder } from '../../../canonical/stream-part.ts';
import { describeForLog } from '../../failure.ts';
import { EventDecoder } from '../../frame-decoder.ts';
import { UsageTally } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { StreamBlocks } from './stream-blocks.ts';
import { readOwnMembers } from './to-answer.ts';

export function createMessageStreamDecoder({ keepsBlocks = false }: DecoderWishes = {}): StreamDecoder {
  return new MessageStreamDecoder(keepsBlocks);
}

class MessageStreamDecoder extends EventDecoder {
  readonly #tally = new UsageTally();
  readonly #blocks: StreamBlocks;
  /** The records of `message_delta` are the final ones; the one at the start only knows the prompt. */
  #hasFinalRecord = false;
  #isUsageSent = false;
  #isFinished = false;
  readonly #keepsOwn: boolean;
  #own: JsonObject | null = null;

  constructor(keepsBlocks: boolean) {
    super();
    this.#blocks = new StreamBlocks(keepsBlocks);
    this.#keepsOwn = keepsBlocks;
  }

  override get keptBytes(): number {
    return super.keptBytes + this.#blocks.keptLength;
  }

  protected close(): void {
    this.#blocks.closeAll(this.parts);
  }

  protected readEvent(json: JsonObject, event: string | null): void {
    const type = typeof json.type === 'string' ? json.type : event;
    const error = statedError(json, json.message, json.delta);
    const kind = error === undefined || this.#isComplete(json) ? type : 'error';
    switch (kind) {
      case 'message_start':
        if (isJsonObject(json.message)) {
          this.#tally.add(json.message.usage);
          this.#readOwn(json.message);
        }
        break;
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        if (!this.#isFinished) this.#readBlockEvent(kind, json);
        break;
      case 'message_delta':
        this.#readMessageDelta(json);
        break;
      case 'message_stop':
        // With a final record the answer is complete, although the upstream does not say why it ended.
        if (this.#hasFinalRecord) this.#finish(null, null);
        else this.#blocks.closeAll(this.parts);
        this.#sendUsage();
        this.done();
        break;
      case 'error':
        this.fail('upstream-error', describeForLog(describeError(error)), statusOfError(error));
        break;
      default:
        // Pings, and future events.
        break;
    }
  }

  /** With its end, what has been said stands, whatever is said beside it: as in a whole answer. */
  #isComplete({ delta }: JsonObject): boolean {
    return this.hasSpoken && (this.#isFinished || endsWell(objectOrEmpty(delta).stop_reason));
  }

  #readBlockEvent(type: string, json: JsonObject): void {
    const index = Number.isSafeInteger(json.index) ? (json.index as number) : 0;
    if (type === 'content_block_stop') this.#blocks.stop(index, this.parts);
    else if (type === 'content_block_delta') {
      if (isJsonObject(json.delta)) this.#blocks.delta(index, json.delta, this.parts);
    } else if (!isJsonObject(json.content_block) || !this.#blocks.start(index, json.content_block, this.parts)) {
      this.fail('malformed', 'a content block that cannot be used');
    }
  }

  #readOwn(json: JsonObject): void {
    const own = this.#keepsOwn ? readOwnMembers(json) : null;
    if (own !== null) this.#own = { ...this.#own, ...own };
  }

  #readMessageDelta(json: JsonObject): void {
    if (json.usage !== undefined && json.usage !== null) {
      this.#tally.add(json.usage);
      this.#hasFinalRecord = true;
    }
    const delta = objectOrEmpty(json.delta);
    this.#readOwn(json);
    this.#readOwn(delta);
    if (typeof delta.stop_reason === 'string') {
      this.#finish(delta.stop_reason, textOrNull(delta.stop_sequence));
    }
    // Some upstreams repeat the running count before the model has finished; that is not the usage yet.
    if (this.#isFinished) this.#sendUsage();
  }

  /** Without the upstream's reason, what came before tells the two ordinary endings apart. */
  #finish(native: string | null, stopSequence: string | null): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#blocks.closeAll(this.parts);
    const reason = native !== null ? finishReasonOf(native) : this.#blocks.hasTools ? 'tool_calls' : 'stop';
    if (this.#own !== null) this.parts.push({ type: 'own', members: this.#own });
    this.parts.push({ type: 'finish', reason, native, stopSequence });
  }

  #sendUsage(): void {
    if (this.#isUsageSent || !this.#hasFinalRecord) return;
    this.#isUsageSent = true;
    this.parts.push({ type: 'usage', usage: this.#tally.usage });
  }
}
