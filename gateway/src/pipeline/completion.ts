// The end of a call's money: exactly one of settle and release, whatever happens first, a finished answer, a failure
// or a client that left. Both write the call's record with it.

import type { AttemptEntry, GenerationRecord } from '../canonical/generation.ts';
import type { Candidate } from '../canonical/model.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import { priceUsage } from '../modules/ledger/price-usage.ts';
import type { Clock } from '../platform/clock.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import type { Metered } from './meter.ts';
import { completionMultiplier } from './reserve.ts';

/** What is known of the attempt that answered, or of the last one that failed. */
export type Ending = Readonly<{
  candidate: Candidate;
  upstreamStatus: number;
  finishReason: string | null;
  firstTokenMs: number | null;
  attempts: number;
  /** Null when the only attempt answered. */
  attemptLog: readonly AttemptEntry[] | null;
  isFailover: boolean;
}>;

export type AbsorbedReason = 'abandoned' | 'exhausted' | 'interrupted';

export class Completion {
  readonly #call: Call;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly reservation: Reservation;
  #isOver = false;

  constructor(call: Call, ledger: Ledger, clock: Clock, reservation: Reservation) {
    this.#call = call;
    this.#ledger = ledger;
    this.#clock = clock;
    this.reservation = reservation;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Charges the call; resolves with what was charged once that is durable. */
  async settle(metered: Metered, ending: Ending): Promise<NanoUsd> {
    this.#isOver = true;
    const { subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd } = metered.price;
    const record = this.#record(ending, metered.usage, { ...FREE, subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd });
    // A price that charged nothing is not worth keeping.
    const list = costNanoUsd === 0n ? undefined : metered.price.list;
    const settlement = await this.#ledger.settle(this.reservation, record, list);
    await this.#call.onSettled?.();
    return settlement.chargedNanoUsd;
  }

  /** Returns the whole reservation. Safe to call again: only the first ending counts. */
  release(ending: Ending | null, usage: Usage = zeroUsage): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const record = ending === null ? null : this.#record(ending, usage, FREE);
    this.#ledger.release(this.reservation, record);
  }

  /** As release, but the upstream has worked: what that cost, by our estimate, is recorded as absorbed. */
  absorb(ending: Ending, estimated: Usage, reason: AbsorbedReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { costNanoUsd } = priceUsage(estimated, ending.candidate.prices, {
      completionMultiplier: completionMultiplier(this.#call.request, ending.candidate),
    });
    const record = this.#record(ending, zeroUsage, {
      ...FREE,
      absorbedNanoUsd: costNanoUsd,
      absorbedReason: reason,
    });
    this.#ledger.release(this.reservation, record);
  }

  #record(ending: Ending, usage: Usage, money: Money): GenerationRecord {
    const { caller, request } = this.#call;
    return {
      id: this.#call.generationId,
      accountId: caller.accountId,
      userId: caller.userId,
      keyId: caller.keyId,
      operation: request.operation,
      modelId: ending.candidate.model.id,
      providerName: ending.candidate.provider.name,
      upstreamModel: ending.candidate.upstreamModel,
      appName: this.#call.appName,
      finishReason: ending.finishReason,
      upstreamStatus: ending.upstreamStatus,
      isStream: request.isStream || request.isShownAsStream === true,
      isFailover: ending.isFailover,
      createdAtMs: this.#call.startedAtMs,
      durationMs: Math.round(this.#clock.monotonicMs() - this.#call.startedMonotonicMs),
      firstTokenMs: ending.firstTokenMs,
      usage,
      ...money,
      freeUnits: ending.candidate.freeShare?.units ?? 0,
      attempts: ending.attempts,
      attemptLog: ending.attemptLog,
      autoDecision: this.#call.auto,
    };
  }
}

type Money = Pick<
  GenerationRecord,
  'subtotalNanoUsd' | 'cacheDiscountNanoUsd' | 'costNanoUsd' | 'absorbedNanoUsd' | 'absorbedReason'
>;

const FREE: Money = {
  subtotalNanoUsd: 0n,
  cacheDiscountNanoUsd: 0n,
  costNanoUsd: 0n,
  absorbedNanoUsd: 0n,
  absorbedReason: null,
};
