// The end of a call's money: exactly one of settle and release, whatever happens first, a finished answer, a failure
// or a client that left. Both write the call's record with it; until that can be read, the call is among the open ones.

import type { AttemptEntry, GenerationRecord } from '../canonical/generation.ts';
import type { Candidate } from '../canonical/model.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import type { CallView, OpenCalls } from '../modules/usage/open-calls.ts';
import type { UsualOutput } from '../modules/usage/usual-output.ts';
import type { Clock } from '../platform/clock.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import { estimateUnpaid } from './estimate-unpaid.ts';
import type { Metered } from './meter.ts';

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

export type AbsorbedReason = 'abandoned' | 'exhausted' | 'interrupted' | 'oversize';

export type CompletionServices = Readonly<{
  ledger: Ledger;
  clock: Clock;
  openCalls: Pick<OpenCalls, 'open' | 'close'>;
  usualOutput: UsualOutput;
}>;

export class Completion {
  readonly #call: Call;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #openCalls: CompletionServices['openCalls'];
  readonly #usualOutput: UsualOutput;
  readonly #first: Candidate | undefined;
  readonly reservation: Reservation;
  #isOver = false;

  /** `first` is who will be asked first: all that is known of the answer while there is none. */
  constructor(call: Call, services: CompletionServices, reservation: Reservation, first: Candidate | undefined) {
    this.#call = call;
    this.#ledger = services.ledger;
    this.#clock = services.clock;
    this.#openCalls = services.openCalls;
    this.#usualOutput = services.usualOutput;
    this.#first = first;
    this.reservation = reservation;
    if (first === undefined) return;
    const view = (): CallView => viewOf(this.#record(unanswered(first), zeroUsage, FREE));
    this.#openCalls.open(call.generationId, () => ({ ...view(), isOpen: true }));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Charges the call; resolves with what was charged once that is durable. */
  async settle(metered: Metered, ending: Ending): Promise<NanoUsd> {
    this.#isOver = true;
    const { subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd } = metered.price;
    const record = this.#record(ending, metered.usage, {
      subtotalNanoUsd,
      cacheDiscountNanoUsd,
      costNanoUsd,
      absorbedNanoUsd: metered.doubt?.nanoUsd ?? 0n,
      absorbedReason: metered.doubt?.reason ?? null,
    });
    // A price that charged nothing is not worth keeping.
    const list = costNanoUsd === 0n ? undefined : metered.price.list;
    this.#usualOutput.observe(ending.candidate.model.id, metered.usage, this.#call.request.isStream);
    this.#call.trace?.beginSettlement(ending, metered.usage);
    try {
      const { chargedNanoUsd } = await this.#ledger.settle(this.reservation, record, list);
      this.#call.trace?.settled();
      await this.#call.onSettled?.();
      return chargedNanoUsd;
    } finally {
      this.#openCalls.close(record.id, null);
    }
  }

  /** Returns the whole reservation. Safe to call again: only the first ending counts. */
  release(ending: Ending | null, usage: Usage = zeroUsage): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.trace?.released(ending, null);
    const record = ending === null ? null : this.#record(ending, usage, FREE);
    this.#leave(record);
  }

  /** Whatever has gone wrong without anybody having said so: nothing stays held, and the record says no more. */
  abort(): void {
    this.release(this.#first === undefined ? null : unanswered(this.#first));
  }

  /** As release, but the upstream has worked: what that cost, by our estimate, is recorded as absorbed. */
  absorb(ending: Ending, estimated: Usage, reason: AbsorbedReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.trace?.released(ending, reason);
    const usualTokens = this.#usualOutput.tokensOf(ending.candidate.model.id, this.#call.request.isStream);
    const heldNanoUsd = this.reservation.amountNanoUsd();
    const absorbedNanoUsd = estimateUnpaid(this.#call, ending.candidate, { estimated, usualTokens, heldNanoUsd });
    const record = this.#record(ending, zeroUsage, { ...FREE, absorbedNanoUsd, absorbedReason: reason });
    this.#leave(record);
  }

  #leave(record: GenerationRecord | null): void {
    this.#ledger.release(this.reservation, record);
    this.#openCalls.close(this.#call.generationId, record === null ? null : viewOf(record));
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

/** Of a call that nobody has answered yet. */
const unanswered = (candidate: Candidate): Ending => ({
  candidate,
  upstreamStatus: 0,
  finishReason: null,
  firstTokenMs: null,
  attempts: 0,
  attemptLog: [],
  isFailover: false,
});

/** Without what it cost, which is nothing, so that it can be told to other processes. */
function viewOf(record: GenerationRecord): CallView {
  const { id, accountId, keyId, operation, modelId, providerName, appName, finishReason, upstreamStatus } = record;
  const { isStream, isFailover, createdAtMs, durationMs, firstTokenMs, attemptLog, autoDecision } = record;
  const what = { id, accountId, keyId, operation, modelId, providerName, appName, finishReason, upstreamStatus };
  return {
    ...what,
    isStream,
    isFailover,
    createdAtMs,
    durationMs,
    firstTokenMs,
    attemptLog,
    autoDecision,
    isOpen: false,
  };
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
