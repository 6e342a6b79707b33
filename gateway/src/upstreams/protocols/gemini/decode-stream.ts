// Turns the frames of a streamed answer into stream parts. Each frame repeats the usage so far, and there is no end
// mark: the finish is given with the frame that states it, but text, sources, counts and another finish may still
// follow.

import type { FinishReason } from '../../../canonical/answer.ts';
import type { Citation } from '../../../canonical/conversation.ts';
import { finishReasonOf } from '../../../canonical/finish-reason.ts';
import { type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { isSaid } from '../../../canonical/says-something.ts';
import { statesError } from '../../../canonical/states-error.ts';
import type { StreamDecoder } from '../../../canonical/stream-part.ts';
import type { Usage } from '../../../canonical/usage.ts';
import { readExactJsonObject } from '../../../platform/read-json-object.ts';
import { describeForLog } from '../../failure.ts';
import { EventDecoder } from '../../frame-decoder.ts';
import { CandidateReader } from './candidate-reader.ts';
import { readUsage, statesNoCount, withSearches } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { isComplete, readPiece } from './read-answer.ts';
import { CITATIONS_MAX, readCitations } from './read-citations.ts';
import { readLogprobs } from './read-logprobs.ts';

/** A picture comes in one frame. */
const FRAME_BYTES_MAX = 32 * 1024 * 1024;

export function createGeminiStreamDecoder(): StreamDecoder {
  return new GeminiStreamDecoder();
}

class GeminiStreamDecoder extends EventDecoder {
  readonly #reader = new CandidateReader();
  readonly #told = new Set<string>();
  #found: readonly Citation[] = [];
  #recited: readonly Citation[] = [];
  #queryCount = 0;
  #native: string | null = null;
  #isBlocked = false;
  #reason: FinishReason | null = null;
  /** Something was said behind a finish, and so it was told. */
  #isUnsure = false;
  #wasUnsure = false;
  /** As stated last, or before the finish where nothing is stated from then on; undefined where nothing was. */
  #usage: Usage | null | undefined;
  /** How many searches the usage that was given has. */
  #queriesGiven = -1;

  constructor() {
    // The arguments of a call are a part of this very JSON.
    super(FRAME_BYTES_MAX, readExactJsonObject);
  }

  /** There is no end mark. */
  protected close(): void {
    this.#reader.finish(this.parts);
    if (this.#native !== null) this.done();
  }

  protected readEvent(json: JsonObject): void {
    const piece = readPiece(json);
    if (statesError(json.error) && !isComplete(piece, this.hasSpoken)) {
      const error = objectOrEmpty(json.error);
      this.fail('upstream-error', describeForLog(describeError(error)), statusOfError(error));
      return;
    }
    if (piece === null) {
      this.fail('malformed', 'a frame that is no answer');
      return;
    }
    this.#queryCount = Math.max(this.#queryCount, piece.queryCount);
    const partCount = this.parts.length;
    const problem = this.#reader.read(piece.parts, json.responseId, this.parts);
    if (problem !== null) {
      this.fail('malformed', problem);
      return;
    }
    if (this.#reason !== null && this.parts.slice(partCount).some(isSaid)) this.#isUnsure = true;
    const tokens = piece.candidate === null ? [] : readLogprobs(piece.candidate);
    if (tokens.length > 0) this.parts.push({ type: 'logprobs', tokens });
    if (piece.candidate !== null) this.#readSources(piece.candidate);
    this.#native = piece.native ?? this.#native;
    this.#isBlocked ||= piece.isBlocked;
    const stated = statesNoCount(json.usageMetadata) ? undefined : readUsage(json.usageMetadata);
    if (this.#native === null) {
      this.#usage = stated ?? this.#usage;
      return;
    }
    this.#tellSources();
    this.#tellFinish(this.#native);
    if (stated !== undefined) this.#usage = stated;
    else if (this.#usage === undefined || this.#queriesGiven === this.#queryCount) return;
    this.#queriesGiven = this.#queryCount;
    this.parts.push({ type: 'usage', usage: withSearches(this.#usage, this.#queryCount, json.modelVersion) });
  }

  /** Found sources are listed completely, with each frame or once; recited ones come with the text. */
  #readSources(candidate: JsonObject): void {
    const { found, recited } = readCitations(candidate, this.#reader.text);
    if (found.length > 0) this.#found = found;
    if (recited.length > 0) this.#recited = [...this.#recited, ...recited].slice(0, CITATIONS_MAX);
  }

  #tellSources(): void {
    for (const citation of [...this.#found, ...this.#recited]) {
      const key = JSON.stringify(citation);
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      this.parts.push({ type: 'citation', citation });
    }
  }

  /** Given once, unless it changes: some state it with every frame, and calls may come after it. */
  #tellFinish(native: string): void {
    const reason = this.#isBlocked ? 'content_filter' : finishReasonOf(native, this.#reader.hasCalls);
    const isUnsure = this.#isUnsure;
    if (reason === this.#reason && isUnsure === this.#wasUnsure) return;
    this.#reason = reason;
    this.#wasUnsure = isUnsure;
    this.parts.push({ type: 'finish', reason, native, stopSequence: null, ...(isUnsure ? { isUnsure } : {}) });
  }
}
