// The reservation of a running stream: how much has been streamed by our estimate, and more reserved when the first part
// runs out. The upstream's own count comes only at the end, so until then text stands for tokens. A
// caller's own limit has been held whole, and is never extended.

import type { Candidate } from '../canonical/model.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { StreamPipe } from '../dialects/stream-pipe.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import { priceUsage } from '../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import { completionMultiplier, heldOutputTokens, OUTPUT_TOKENS_DEFAULT, outputTerms } from './reserve.ts';

const BYTES_PER_TOKEN = 4;
/** The last of a balance is used in smaller steps. */
const LAST_STEP_TOKENS = 256;

export class GrowingReservation {
  readonly #call: Call;
  readonly #candidate: Candidate;
  readonly #reservation: Reservation;
  readonly #ledger: Ledger;
  #coveredTokens: number;

  constructor(call: Call, candidate: Candidate, reservation: Reservation, ledger: Ledger) {
    this.#call = call;
    this.#candidate = candidate;
    this.#reservation = reservation;
    this.#ledger = ledger;
    this.#coveredTokens = this.#heldTokens();
  }

  /** What has come of the stream, by our estimate. */
  delivered(pipe: StreamPipe): Usage {
    const { operation, promptTokensEstimate, unitsMax } = this.#call.request;
    return {
      ...zeroUsage,
      promptTokens: promptTokensEstimate,
      completionTokens: streamedTokens(pipe),
      // The pictures of a conversation are shown at its end, which has not come.
      ...(operation === 'chat' ? {} : { units: unitsMax }),
    };
  }

  /** False when the account cannot carry more output. */
  cover(pipe: StreamPipe): boolean | Promise<boolean> {
    const tokens = streamedTokens(pipe);
    // What is not counted in tokens has been held as a whole beforehand.
    if (tokens === 0 || tokens < this.#coveredTokens) return true;
    // A fast upstream's one piece may be more than a step: all that has come is held, and a step beyond it.
    const missing = tokens - this.#coveredTokens;
    const extended = this.#extendBy(missing + OUTPUT_TOKENS_DEFAULT);
    if (extended === false) return this.#extendBy(missing + LAST_STEP_TOKENS);
    if (extended === true) return true;
    return extended.then((isHeld) => isHeld || this.#extendBy(missing + LAST_STEP_TOKENS));
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

  /** A cap that is used up has a remedy of its own; without one it was the balance. */
  exhaustion(): ApiError {
    const refusal = this.#reservation.refusal();
    if (refusal !== null && refusal.code !== 'insufficient_credits') return refusal;
    const message = 'Your credits ran out while the answer was streaming. Top up and try again.';
    return new ApiError('insufficient_credits', message);
  }
}

/** A frame is at least a token. */
function streamedTokens(pipe: StreamPipe): number {
  return Math.max(pipe.frameCount, Math.ceil(pipe.contentBytes / BYTES_PER_TOKEN));
}
