// What a call holds and how that ends: settled, released or absorbed, exactly once, whichever comes first. Each ending
// writes the call's record, unless another leg goes on with the call; until that can be read, the call is among the
// open ones.

import type { AttemptEntry, GenerationRecord } from '../../canonical/generation.ts';
import type { Candidate } from '../../canonical/model.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import type { Bill } from '../../dialects/dialect.ts';
import type { Ledger, Reservation } from '../../modules/ledger/ledger.ts';
import type { Exposure } from '../../modules/limits/exposure.ts';
import type { OwnCalls } from '../../modules/limits/own-calls.ts';
import type { CallView, OpenCalls } from '../../modules/usage/open-calls.ts';
import type { UsualOutput } from '../../modules/usage/usual-output.ts';
import { assert } from '../../platform/assert.ts';
import { greaterOf, type NanoUsd, usdNumber } from '../../platform/money.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { Call } from '../call.ts';
import type { Selection } from '../route.ts';
import { mayUseAny } from './hosted-tools.ts';
import { estimateUnpaid, type Lost } from './lost-work.ts';
import { type Metered, meter } from './meter.ts';

export type MoneyServices = Readonly<{
  ledger: Ledger;
  openCalls: Pick<OpenCalls, 'open' | 'close'>;
  ownCalls: Pick<OwnCalls, 'note'>;
  usualOutput: UsualOutput;
  exposure: Pick<Exposure, 'add'>;
}>;

const NOTHING_USED: Bill = { usage: zeroUsage, costUsd: 0 };

/** What a call costs is estimated: some that are no attack cost this many times what was held. */
const HOLD_FACTOR = 2n;

type Covered = Readonly<{ chargedNanoUsd: NanoUsd; heldNanoUsd: NanoUsd }>;

export class CallMoney {
  readonly #call: Call;
  readonly #services: MoneyServices;
  readonly #first: Candidate | undefined;
  readonly reservation: Reservation;
  #isOver = false;

  /** `first` is the candidate that will be asked first; the record names it while no candidate has answered. */
  constructor(call: Call, services: MoneyServices, reservation: Reservation, first: Candidate | undefined) {
    this.#call = call;
    this.#services = services;
    this.#first = first;
    this.reservation = reservation;
    if (first === undefined) return;
    services.openCalls.open(call.generationId, () =>
      viewOf(recordOf(call, unanswered(first), zeroUsage, NO_COST), true),
    );
  }

  /** Charges what was used, or nothing where nothing billable was reported. `done` comes once that is durable. */
  bill(usage: Usage | null, ending: Ending, done: (bill: Bill) => void, failed: (error: unknown) => void): void {
    const { candidate } = ending;
    const { request } = this.#call;
    const metered = meter(usage, { request, candidate, reservedNanoUsd: this.reservation.amountNanoUsd() });
    if (metered === null) {
      this.release(ending);
      done(NOTHING_USED);
      return;
    }
    this.#settle(metered, ending, done, failed);
  }

  #settle(metered: Metered, ending: Ending, done: (bill: Bill) => void, failed: (error: unknown) => void): void {
    this.#isOver = true;
    const { ledger, openCalls, usualOutput } = this.#services;
    const { trace, quota, request, generationId } = this.#call;
    const { price, markupNanoUsd, usage, doubt } = metered;
    const record = recordOf(this.#call, ending, usage, {
      subtotalNanoUsd: price.subtotalNanoUsd,
      cacheDiscountNanoUsd: price.cacheDiscountNanoUsd,
      costNanoUsd: price.costNanoUsd,
      absorbedNanoUsd: doubt?.nanoUsd ?? 0n,
      absorbedReason: doubt?.reason ?? null,
      markupNanoUsd,
    });
    this.#count(ending.candidate);
    usualOutput.observe(ending.candidate.model.id, usage, request.isStream);
    trace?.beginSettlement(ending, usage);
    const heldNanoUsd = this.reservation.amountNanoUsd();
    // The price list of a charge of zero is not kept.
    const list = price.costNanoUsd === 0n ? undefined : price.list;
    const close = (): void => openCalls.close(generationId, null);
    try {
      ledger.settle(this.reservation, record, list, ({ chargedNanoUsd }) => {
        trace?.settled();
        this.#countUses(ending.candidate, record, { chargedNanoUsd, heldNanoUsd });
        const bill = { usage, costUsd: usdNumber(chargedNanoUsd) };
        const end = (): void => {
          close();
          done(bill);
        };
        // A client may call again as soon as it has its answer, at any process, so the quota is written before the
        // client is told.
        if (quota === null) end();
        else quota.end(true).then(end, failed);
      });
    } catch (error) {
      close();
      failed(error);
    }
  }

  /**
   * A caller who was charged as far as the balance went has done nothing wrong, unless tools that the provider runs, and
   * runs as often as it likes, have made the call cost many times its hold: then the rest counts as unpaid.
   */
  #countUses(candidate: Candidate, record: GenerationRecord, { chargedNanoUsd, heldNanoUsd }: Covered): void {
    const { request } = this.#call;
    const beyondNanoUsd = record.costNanoUsd - greaterOf(chargedNanoUsd, heldNanoUsd * HOLD_FACTOR);
    if (beyondNanoUsd <= 0n || request.operation !== 'chat') return;
    if (mayUseAny(request, candidate)) this.#services.exposure.add(record, beyondNanoUsd, 'exhausted');
  }

  /** Returns the whole reservation. Safe to call again: only the first ending counts. */
  release(ending: Ending | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.trace?.released(ending, null);
    if (ending !== null) this.#count(ending.candidate);
    this.#leave(ending === null ? null : recordOf(this.#call, ending, zeroUsage, NO_COST));
  }

  /** Ends a call that broke without a decision on its money: everything is released, and the record says only that. */
  abort(): void {
    this.release(this.#first === undefined ? null : unanswered(this.#first));
  }

  /**
   * As `release`, for a call on which the upstream has worked: the cost, by its usage or by our estimate, is recorded
   * as absorbed.
   */
  absorb(ending: Ending, lost: Lost | null): void {
    if (lost === null) this.release(ending);
    if (lost === null || this.#isOver) return;
    this.#isOver = true;
    const { reason, works } = lost;
    this.#call.trace?.released(ending, reason);
    const { candidate } = ending;
    this.#count(candidate);
    const usualTokens = this.#services.usualOutput.tokensOf(candidate.model.id, this.#call.request.isStream);
    const heldNanoUsd = this.reservation.amountNanoUsd();
    const unpaid = estimateUnpaid(this.#call, candidate, works, { usualTokens, heldNanoUsd });
    this.#leave(recordOf(this.#call, ending, zeroUsage, { ...NO_COST, ...unpaid, absorbedReason: reason }));
  }

  #count({ own }: Candidate): void {
    if (own !== undefined) this.#services.ownCalls.note(this.#call.caller);
  }

  #leave(record: ReturnType<typeof recordOf> | null): void {
    this.#services.ledger.release(this.reservation, record);
    this.#services.openCalls.close(this.#call.generationId, record === null ? null : viewOf(record, false));
  }
}

// The record of a call as it ends, and what others may see of it while it runs.

/** How an attempt ended in the log of its call; every other end is the kind of a failure. */
export const ANSWERED = 'answered';

/** What is known of the attempt that answered, or of the last one that failed. */
export type Ending = Readonly<{
  candidate: Candidate;
  upstreamStatus: number;
  finishReason: string | null;
  firstTokenMs: number | null;
  attempts: number;
  /** Null when the first attempt was the only one and answered. */
  attemptLog: readonly AttemptEntry[] | null;
  isFailover: boolean;
}>;

export type Money = Pick<
  GenerationRecord,
  'subtotalNanoUsd' | 'cacheDiscountNanoUsd' | 'costNanoUsd' | 'absorbedNanoUsd' | 'absorbedReason' | 'markupNanoUsd'
>;

export const NO_COST: Money = {
  subtotalNanoUsd: 0n,
  cacheDiscountNanoUsd: 0n,
  costNanoUsd: 0n,
  absorbedNanoUsd: 0n,
  absorbedReason: null,
  markupNanoUsd: 0n,
};

type Tried = Readonly<{ attempt: Attempt | null; log: readonly AttemptEntry[] }>;

export function endingOf({ attempt, log }: Tried, selection: Selection, firstTokenMs: number | null): Ending {
  assert(attempt !== null, 'an attempt was made');
  const { candidate, status } = attempt;
  const isOrdinary = log.length === 1 && log[0]?.outcome === ANSWERED;
  return {
    candidate,
    upstreamStatus: status,
    finishReason: attempt.pipe?.finishReason ?? null,
    firstTokenMs,
    attempts: log.length,
    // The record itself says the same where there was one attempt.
    attemptLog: isOrdinary ? null : [...log],
    isFailover: candidate.offered !== selection.firstChoice,
  };
}

/** The share of a free quota that an unanswered call took has been given back. */
export function withoutShare(ending: Ending): Ending {
  const { freeShare: _given, ...candidate } = ending.candidate;
  return { ...ending, candidate };
}

export function recordOf(call: Call, ending: Ending, usage: Usage, money: Money): GenerationRecord {
  const { caller, request } = call;
  const { candidate } = ending;
  return {
    id: call.generationId,
    accountId: caller.accountId,
    userId: caller.userId,
    keyId: caller.keyId,
    operation: request.operation,
    modelId: candidate.model.id,
    providerName: candidate.provider.name,
    upstreamModel: candidate.upstreamModel,
    appName: call.appName,
    finishReason: ending.finishReason,
    upstreamStatus: ending.upstreamStatus,
    isStream: request.isStream || request.isShownAsStream === true,
    isFailover: ending.isFailover,
    createdAtMs: call.startedAtMs,
    durationMs: call.elapsedMs(),
    firstTokenMs: ending.firstTokenMs,
    usage,
    subtotalNanoUsd: money.subtotalNanoUsd,
    cacheDiscountNanoUsd: money.cacheDiscountNanoUsd,
    costNanoUsd: money.costNanoUsd,
    absorbedNanoUsd: money.absorbedNanoUsd,
    absorbedReason: money.absorbedReason,
    markupNanoUsd: money.markupNanoUsd,
    freeUnits: candidate.freeShare?.units ?? 0,
    attempts: ending.attempts,
    attemptLog: ending.attemptLog,
    autoDecision: call.auto,
    reviews: call.reviews.entries,
  };
}

/** The ending of a call that no candidate has answered yet. */
export const unanswered = (candidate: Candidate): Ending => ({
  candidate,
  upstreamStatus: 0,
  finishReason: null,
  firstTokenMs: null,
  attempts: 0,
  attemptLog: [],
  isFailover: false,
});

/** Leaves out the cost, which is zero, so that the view can be sent to other processes. */
function viewOf(record: GenerationRecord, isOpen: boolean): CallView {
  const { id, accountId, userId, keyId, operation, modelId, providerName, appName, finishReason, upstreamStatus } =
    record;
  const { isStream, isFailover, createdAtMs, durationMs, firstTokenMs, attemptLog, autoDecision, reviews } = record;
  const what = {
    id,
    accountId,
    userId,
    keyId,
    operation,
    modelId,
    providerName,
    appName,
    finishReason,
    upstreamStatus,
  };
  const how = { isStream, isFailover, createdAtMs, durationMs, firstTokenMs, attemptLog, autoDecision, reviews };
  return { ...what, ...how, isOpen };
}
