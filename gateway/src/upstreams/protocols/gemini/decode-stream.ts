// The frames of a streamed answer as stream parts. Each repeats the usage so far, and there is no end mark: the finish is
// given out with the frame that states it, and a usage that still grows after that is given out again.

import type { FinishReason } from '../../../canonical/answer.ts';
import type { Citation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../../../canonical/stream-part.ts';
import { describeForLog } from '../../failure.ts';
import { readExactJsonObject } from '../../read-json-object.ts';
import { type SseFrame, SseFrames } from '../../sse-frames.ts';
import { CandidateReader } from './candidate-reader.ts';
import { readUsage, withSearches } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { readPiece } from './read-answer.ts';
import { readCitations } from './read-citations.ts';
import { readLogprobs } from './read-logprobs.ts';

/** A picture comes in one frame. */
const FRAME_BYTES_MAX = 32 * 1024 * 1024;

export function createGeminiStreamDecoder(): StreamDecoder {
  return new GeminiStreamDecoder();
}

class GeminiStreamDecoder implements StreamDecoder {
  readonly #frames = new SseFrames(FRAME_BYTES_MAX);
  readonly #reader = new CandidateReader();
  #parts: StreamPart[] = [];
  readonly #cited = new Set<string>();
  #queryCount = 0;
  #isFinished = false;
  #isOver = false;

  push(chunk: Buffer): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.push(chunk));
    return this.#takeParts();
  }

  end(): readonly StreamPart[] {
    if (!this.#isOver) this.#readAll(this.#frames.end());
    if (!this.#isOver) {
      this.#reader.close(this.#parts);
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

  #readAll(frames: readonly SseFrame[]): void {
    for (const { data } of frames) {
      // Not of this protocol, but some that copy it end so.
      if (data === '[DONE]') continue;
      // The arguments of a call are a part of this very JSON.
      const json = readExactJsonObject(data);
      if (json === null) this.#fail({ kind: 'malformed', detail: 'a frame is no usable JSON object', status: null });
      else this.#readFrame(json);
      if (this.#isOver) return;
    }
    if (this.#frames.isOversize) {
      this.#fail({ kind: 'oversize', detail: 'a frame or the stream is over its limit', status: null });
    }
  }

  #readFrame(json: JsonObject): void {
    if (isJsonObject(json.error)) {
      const detail = describeForLog(describeError(json.error));
      this.#fail({ kind: 'upstream-error', detail, status: statusOfError(json.error) });
      return;
    }
    const piece = readPiece(json);
    if (piece === null) {
      this.#fail({ kind: 'malformed', detail: 'a frame that is no answer', status: null });
      return;
    }
    this.#queryCount = Math.max(this.#queryCount, piece.queryCount);
    const problem = this.#reader.read(piece.parts, json.responseId, this.#parts);
    if (problem !== null) {
      this.#fail({ kind: 'malformed', detail: problem, status: null });
      return;
    }
    const tokens = piece.candidate === null ? [] : readLogprobs(piece.candidate);
    if (tokens.length > 0 && !this.#isFinished) this.#parts.push({ type: 'logprobs', tokens });
    if (piece.candidate !== null && !this.#isFinished) this.#cite(readCitations(piece.candidate, this.#reader.text));
    if (piece.native !== null && !this.#isFinished) this.#finish(piece.native, piece.isBlocked);
    const { usageMetadata } = json;
    if (this.#isFinished && usageMetadata !== undefined && usageMetadata !== null) {
      const usage = withSearches(readUsage(usageMetadata), this.#queryCount, json.modelVersion);
      this.#parts.push({ type: 'usage', usage });
    }
  }

  /** Some repeat with each frame what they have told already. */
  #cite(citations: readonly Citation[]): void {
    for (const citation of citations) {
      const key = JSON.stringify(citation);
      if (this.#cited.has(key)) continue;
      this.#cited.add(key);
      this.#parts.push({ type: 'citation', citation });
    }
  }

  #finish(native: string, isBlocked: boolean): void {
    this.#isFinished = true;
    this.#reader.finish(this.#parts);
    const reason: FinishReason = isBlocked ? 'content_filter' : mapFinishReason(native, this.#reader.hasCalls);
    this.#parts.push({ type: 'finish', reason, native, stopSequence: null });
  }

  #fail(fault: StreamFault): void {
    this.#isOver = true;
    this.#parts.push({ type: 'error', fault });
  }
}
