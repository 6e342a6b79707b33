// The reservation of a running stream: it counts the streamed text by our estimate and reserves more when the first
// part runs out, because the upstream's own count comes only at the end. An output limit that the caller set has been
// reserved in full and is never extended: an answer that goes clearly beyond it is cut there.

import type { Candidate } from '../../canonical/model.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { shownWordBytes } from '../../dialects/shown-words.ts';
import type { StreamOutput, StreamPipe } from '../../dialects/stream-pipe.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Ledger, Reservation } from '../../modules/ledger/ledger.ts';
import { priceUsage } from '../../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Call } from '../call.ts';
import {
  completionMultiplier,
  heldOutputTokens,
  OUTPUT_TOKENS_DEFAULT,
  outputTerms,
  ownLimitBytes,
  promptTokensOf,
} from './output-terms.ts';

const BYTES_PER_TOKEN = 4;
/** Ordinary answers end long before this part of what their limit could come to, so their words are never looked at. */
const COUNTED_FROM = 0.25;
/** The last of a balance is reserved in smaller steps. */
const LAST_STEP_TOKENS = 256;

export class GrowingReservation {
  readonly #call: Call;
  readonly #candidate: Candidate;
  readonly #reservation: Reservation;
  readonly #ledger: Ledger;
  #coveredTokens: number;
  readonly #ownLimitBytes: number;
  #wordBytes = 0;
  /** What an answer is charged by that was ended for its length, up to what was held; null for others. */
  usageOfCut: Usage | null = null;

  constructor(call: Call, candidate: Candidate, reservation: Reservation, ledger: Ledger) {
    this.#call = call;
    this.#candidate = candidate;
    this.#reservation = reservation;
    this.#ledger = ledger;
    this.#coveredTokens = this.#heldTokens();
    this.#ownLimitBytes = ownLimitBytes(call.request);
  }

  /** What the stream has delivered, by our estimate. */
  delivered(pipe: StreamPipe): Usage {
    const { operation, unitsMax } = this.#call.request;
    return {
      ...zeroUsage,
      promptTokens: promptTokensOf(this.#call.request, this.#candidate),
      completionTokens: streamedTokens(pipe),
      // The pictures of a conversation come at its end, so a stream that was cut has shown none.
      ...(operation === 'chat' ? {} : { units: unitsMax }),
    };
  }

  /** False when the account cannot carry more output. */
  cover(pipe: StreamPipe): boolean | Promise<boolean> {
    const tokens = streamedTokens(pipe);
    // Operations that are not counted in tokens have been reserved in full.
    if (tokens === 0 || tokens < this.#coveredTokens) return true;
    // One piece of a fast upstream may be larger than a step: all that has come is reserved, and a step more.
    const missing = tokens - this.#coveredTokens;
    const extended = this.#extendBy(missing + OUTPUT_TOKENS_DEFAULT);
    if (extended === false) return this.#extendBy(missing + LAST_STEP_TOKENS);
    if (extended === true) return true;
    return extended.then((isHeld) => isHeld || this.#extendBy(missing + LAST_STEP_TOKENS));
  }

  /**
   * Ends the answer of an upstream that does not keep to the caller's own limit; true where it has. `output` is what the
   * client has just been sent.
   */
  cutBeyondLimit(pipe: StreamPipe, output: StreamOutput): boolean {
    if (pipe.contentBytes < this.#ownLimitBytes * COUNTED_FROM || pipe.hasFinished) return false;
    this.#wordBytes += shownWordBytes(this.#call.request.format, output);
    if (this.#wordBytes <= this.#ownLimitBytes) return false;
    pipe.cut?.();
    this.usageOfCut = pipe.usage ?? this.delivered(pipe);
    return true;
  }

  #extendBy(tokens: number): boolean | Promise<boolean> {
    const extended = this.#ledger.extend(this.#reservation, this.#costOf(tokens));
    if (extended instanceof Promise) return extended.then((isHeld) => this.#extended(isHeld, tokens));
    return this.#extended(extended, tokens);
  }

  #extended(isHeld: boolean, tokens: number): boolean {
    if (isHeld) this.#coveredTokens += tokens;
    return isHeld;
  }

  #heldTokens(): number {
    const { request } = this.#call;
    const candidate = this.#candidate;
    if (!outputTerms(request, candidate).isOpen) return Number.POSITIVE_INFINITY;
    const heldNanoUsd = this.#reservation.amountNanoUsd();
    return heldOutputTokens(request, candidate, heldNanoUsd) * request.choiceCount;
  }

  #costOf(completionTokens: number): NanoUsd {
    const candidate = this.#candidate;
    const { costNanoUsd } = priceUsage({ ...zeroUsage, completionTokens }, candidate.prices, {
      completionMultiplier: completionMultiplier(this.#call.request, candidate),
    });
    return costNanoUsd;
  }

  /** A cap that is used up is named, because its remedy differs; otherwise the balance was used up. */
  exhaustion(): ApiError {
    const refusal = this.#reservation.refusal();
    if (refusal !== null && refusal.code !== 'insufficient_credits') return refusal;
    const message = 'Your credits ran out while the answer was streaming. Top up and try again.';
    return new ApiError('insufficient_credits', message);
  }
}

/** Each frame counts as one token at least. */
function streamedTokens(pipe: StreamPipe): number {
  return Math.max(pipe.frameCount, Math.ceil(pipe.contentBytes / BYTES_PER_TOKEN));
}
