// A chat stream in the vendor-neutral form. The upstream is a stranger: whatever it sends becomes a part, and after the
// first part that ends the stream nothing more is given.

import type { Citation } from '../../../canonical/conversation.ts';
import { finishReasonOf, finishWordOf, isProvokedEnd } from '../../../canonical/finish-reason.ts';
import { isJsonObject, isSet, type JsonObject } from '../../../canonical/json.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statedError, statesError } from '../../../canonical/states-error.ts';
import type { DecoderWishes, StreamDecoder, StreamFault } from '../../../canonical/stream-part.ts';
import {
  listsFinds,
  quotesSources,
  statedUsage,
  type Usage,
  withSearchTrace,
  withStatedExtras,
} from '../../../canonical/usage.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { FrameDecoder } from '../../frame-decoder.ts';
import { type SseFrame, SseFrames } from '../../sse-frames.ts';
import { readUsage } from './convert-usage.ts';
import { DeltaReader, readPictures } from './delta-reader.ts';
import { failureInReport } from './failure-report.ts';
import { readSourceLists } from './read-annotations.ts';
import { readLogprobs } from './read-logprobs.ts';

const DETAIL_LENGTH_MAX = 500;
/** A picture comes in one frame. */
const PICTURE_BYTES_MAX = 32 * 1024 * 1024;

export function createChatStreamDecoder({ mayHoldPictures = false }: DecoderWishes = {}): StreamDecoder {
  return new ChatStreamDecoder(({ delta }) => delta, mayHoldPictures ? PICTURE_BYTES_MAX : undefined);
}

/** The old completions have their text without a delta around it. */
export function createCompletionStreamDecoder(): StreamDecoder {
  return new ChatStreamDecoder(({ text }) => ({ content: text }));
}

type DeltaOf = (choice: JsonObject) => unknown;

class ChatStreamDecoder extends FrameDecoder<SseFrame> {
  readonly #reader = new DeltaReader();
  readonly #deltaOf: DeltaOf;
  #hasFinished = false;
  #answerId: unknown;
  #choiceIndex: unknown;
  /** Upstreams with such lists repeat them in every frame; the last is complete. */
  #sources: readonly Citation[] = [];
  #areSourcesTold = false;
  #isSearchTraced = false;
  /** Usage that came before the finish waits: where every frame has one, only the last counts. */
  #waitingUsage: Readonly<{ usage: Usage | null }> | null = null;
  /** The answer has ended with an error; only what it used is waited for. */
  #failure: StreamFault | null = null;

  constructor(deltaOf: DeltaOf, frameBytesMax?: number) {
    super(new SseFrames(frameBytesMax));
    this.#deltaOf = deltaOf;
  }

  protected close(): void {
    this.#releaseUsage();
    if (this.#failure !== null) this.failWith(this.#failure);
  }

  protected readFrame({ event, data }: SseFrame): void {
    const text = data.trim();
    if (text === '') return;
    if (text === '[DONE]' && this.#failure !== null) this.close();
    else if (text === '[DONE]') {
      this.#reader.end(this.#answerId, this.parts);
      this.#releaseUsage();
      this.done();
    } else {
      const json = readJsonObject(text);
      if (json === null) this.#readLines(event, text);
      else this.#readObject(event, json);
    }
  }

  /** Frames that are separated by a single line break, as some upstreams send the last ones. */
  #readLines(event: string | null, text: string): void {
    if (!text.includes('\n')) {
      this.fail('malformed', 'a frame is not a JSON object, or nested too deeply');
      return;
    }
    for (const line of text.split('\n')) {
      if (!this.isOver) this.readFrame({ event, data: line });
    }
  }

  #readObject(event: string | null, json: JsonObject): void {
    this.#answerId ??= json.id;
    this.#readSources(json);
    this.#isSearchTraced ||= listsFinds(json);
    const choice = this.#readFirstChoice(json.choices);
    if (this.#failure === null) this.#readContent(event, json, choice);
    if (!this.isOver) this.#readUsage(statedUsage(json, choice), json);
    if (this.#failure !== null && this.#waitingUsage !== null) this.close();
  }

  #readContent(event: string | null, json: JsonObject, choice: JsonObject | null): void {
    if (choice !== null) this.#readChoice(json, choice);
    else if (statesError(json.error) || event === 'error') this.#failUpstream(json.error ?? json);
    else this.#readReport(json);
  }

  /** Only one choice can be shown in another format; the others are not asked for. Some upstreams count from one. */
  #readFirstChoice(choices: unknown): JsonObject | null {
    if (!Array.isArray(choices)) return null;
    const list = choices.filter(isJsonObject);
    this.#choiceIndex ??= list.some(({ index }) => index === 0) ? 0 : list[0]?.index;
    return list.find(({ index }) => (index ?? 0) === (this.#choiceIndex ?? 0)) ?? null;
  }

  /** Some upstreams send sources last of all, beside the usage. */
  #readSources(json: JsonObject): void {
    if (json.citations === undefined && json.search_results === undefined) return;
    this.#sources = readSourceLists(json);
    if (this.#hasFinished) this.#tellSources();
  }

  #tellSources(): void {
    if (this.#areSourcesTold || this.#sources.length === 0) return;
    this.#areSourcesTold = true;
    for (const citation of this.#sources) this.parts.push({ type: 'citation', citation });
  }

  /** Some upstreams report a failure in a chunk without choices. */
  #readReport(json: JsonObject): void {
    const failure = failureInReport(json);
    if (failure === null) return;
    if (failure.kind === 'rejected') this.fail('upstream-error', 'content_filter', 400);
    else this.fail('upstream-error', failure.detail, failure.kind === 'rate_limited' ? 429 : null);
  }

  #readChoice(json: JsonObject, choice: JsonObject): void {
    const delta = this.#deltaOf(choice);
    if (isJsonObject(delta)) this.#isSearchTraced ||= quotesSources(delta);
    const problem = isJsonObject(delta) ? this.#reader.read(delta, this.parts) : null;
    if (problem !== null) {
      this.fail('malformed', problem);
      return;
    }
    const pictures = isJsonObject(delta) ? readPictures(delta) : [];
    for (const picture of pictures) this.parts.push({ type: 'picture', picture });
    const tokens = readLogprobs(choice.logprobs);
    if (tokens.length > 0) this.parts.push({ type: 'logprobs', tokens });
    const word = finishWordOf(choice.finish_reason);
    if (word === null) {
      if (statesError(json.error)) this.#failUpstream(json.error);
      return;
    }
    const reason = finishReasonOf(word, this.#reader.hasToolCalls);
    if (reason === 'error') {
      const isProvoked = isProvokedEnd(word, choice.native_finish_reason);
      this.#failure = { ...faultOf(statedError(choice, json)), isEnd: true, ...(isProvoked ? { isProvoked } : {}) };
      return;
    }
    const native = typeof choice.native_finish_reason === 'string' ? choice.native_finish_reason : word;
    this.#tellSources();
    this.#reader.end(this.#answerId, this.parts);
    if (statesError(json.error) && !this.hasSpoken) {
      this.#failUpstream(json.error);
      return;
    }
    this.#hasFinished = true;
    this.parts.push({ type: 'finish', reason, native, stopSequence: null });
  }

  /** After the finish each record counts at once, because the connection may be lost before the end mark. */
  #readUsage(record: unknown, beside: JsonObject): void {
    if (isSet(record)) this.#waitingUsage = { usage: withStatedExtras(readUsage(record), beside) };
    if (this.#hasFinished) this.#releaseUsage();
  }

  #releaseUsage(): void {
    if (this.#waitingUsage === null) return;
    const usage = withSearchTrace(this.#waitingUsage.usage, this.#isSearchTraced);
    this.parts.push({ type: 'usage', usage });
    this.#waitingUsage = null;
  }

  #failUpstream(error: unknown): void {
    this.failWith(faultOf(error));
  }
}

function faultOf(error: unknown): StreamFault {
  const detail = JSON.stringify(error ?? null).slice(0, DETAIL_LENGTH_MAX);
  return { kind: 'upstream-error', detail, status: statedStatus(error) };
}
