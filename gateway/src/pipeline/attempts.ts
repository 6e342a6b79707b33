// The attempts of one call: makes them one by one, keeps a log of them, and knows when there may be no more. Deadlines
// are the call's own, so what one attempt has used is gone for the next.

import type { AttemptEntry } from '../canonical/generation.ts';
import type { Reservation } from '../modules/ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Transport } from '../upstreams/transport/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { attemptStream } from './attempt-stream.ts';
import { attemptWhole } from './attempt-whole.ts';
import type { Call } from './call.ts';
import { forward, type Pseudonyms } from './forward.ts';
import { withinFree, withinHold } from './output-terms.ts';
import type { UpstreamTimeouts } from './prepare-attempt.ts';
import type { Presence } from './presence.ts';
import { heldOutputTokens } from './reserve.ts';
import type { RoutedCandidate } from './route.ts';

export type AttemptServices = Readonly<{
  transport: Transport;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'upstreamAttempt'>;
  timeouts: UpstreamTimeouts;
  pseudonyms: Pseudonyms;
}>;

/** An attempt that has been made, and when it began. */
export type Made = Readonly<{ outcome: AttemptOutcome; startedMs: number }>;

/** Bounds the whole call, however many providers and fallback models there are. */
const ATTEMPTS_MAX = 12;
/** All attempts together wait for a first byte as long as two of them might. */
const FIRST_BYTE_WAITS_MAX = 2;

export class Attempts {
  readonly #call: Call;
  readonly #presence: Presence;
  readonly #services: AttemptServices;
  readonly #startedMs: number;
  readonly #reservation: Pick<Reservation, 'amountNanoUsd'>;
  readonly #log: AttemptEntry[];

  constructor(
    parts: Readonly<{ call: Call; presence: Presence; reservation: Pick<Reservation, 'amountNanoUsd'> }>,
    services: AttemptServices,
    earlier: readonly AttemptEntry[] = NO_ATTEMPTS,
  ) {
    this.#call = parts.call;
    this.#presence = parts.presence;
    this.#reservation = parts.reservation;
    this.#services = services;
    this.#startedMs = services.clock.monotonicMs();
    this.#log = [...earlier];
  }

  get count(): number {
    return this.#log.length;
  }

  /** Null when the only attempt answered: the call's record says the same. */
  get log(): readonly AttemptEntry[] | null {
    const isOrdinary = this.#log.length === 1 && this.#log[0]?.outcome === ANSWERED;
    return isOrdinary ? null : [...this.#log];
  }

  /** No further attempt may be made. */
  get isSpent(): boolean {
    if (this.#log.length >= ATTEMPTS_MAX || this.#presence.isGone) return true;
    return this.#firstByteLeftMs(this.#services.clock.monotonicMs()) <= 0;
  }

  async make(candidate: RoutedCandidate): Promise<Made> {
    const { clock, transport, metrics, logger } = this.#services;
    const startedMs = clock.monotonicMs();
    const call = forward(this.#limited(candidate), candidate, this.#services.pseudonyms);
    const attempt = call.request.isStream ? attemptStream : attemptWhole;
    const plan = { call, candidate, timeouts: this.#timeouts(startedMs) };
    const trace = call.trace?.beginAttempt(candidate) ?? null;
    const way = trace === null ? transport : trace.through(transport);
    const outcome = withoutWords(await attempt(plan, way, this.#presence), candidate);
    trace?.decided(outcome);
    this.#log.push(entryOf(candidate, outcome, clock.monotonicMs() - startedMs));
    metrics.upstreamAttempt(candidate.provider.name, outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind);
    if (outcome.kind === 'failed') logger.warn(describe(call, candidate, outcome), 'attempt failed');
    return { outcome, startedMs };
  }

  /** No more is asked for than what is held pays for. */
  #limited(candidate: RoutedCandidate): Call {
    const { request } = this.#call;
    const heldTokens = heldOutputTokens(request, candidate, this.#reservation.amountNanoUsd());
    const limited = withinHold(withinFree(request, candidate), candidate, heldTokens);
    return limited === request ? this.#call : { ...this.#call, request: limited };
  }

  #firstByteLeftMs(nowMs: number): number {
    const { streamFirstByteMs, wholeFirstByteMs, totalMs } = this.#services.timeouts;
    const eachMs = this.#call.request.isStream ? streamFirstByteMs : wholeFirstByteMs;
    return Math.min(eachMs * FIRST_BYTE_WAITS_MAX, totalMs) - (nowMs - this.#startedMs);
  }

  #timeouts(nowMs: number): UpstreamTimeouts {
    const { timeouts } = this.#services;
    if (this.#log.length === 0) return timeouts;
    const leftMs = this.#firstByteLeftMs(nowMs);
    return {
      wholeFirstByteMs: Math.min(timeouts.wholeFirstByteMs, leftMs),
      streamFirstByteMs: Math.min(timeouts.streamFirstByteMs, leftMs),
      idleMs: timeouts.idleMs,
      totalMs: timeouts.totalMs - (nowMs - this.#startedMs),
    };
  }
}

const ANSWERED = 'answered';
const NO_ATTEMPTS: readonly AttemptEntry[] = [];

/** What a customer's upstream says of a failure may be anything, its key included: it goes no further than here. */
function withoutWords(outcome: AttemptOutcome, { own }: RoutedCandidate): AttemptOutcome {
  if (own === undefined || outcome.kind !== 'failed') return outcome;
  const failure = { ...outcome.failure, detail: `at the own upstream ${own.byokKeyId}` };
  if (failure.kind !== 'rejected' || failure.code !== 'unknown_4xx') return { ...outcome, failure };
  // The only refusal that names a field, as the upstream spells it.
  return { ...outcome, failure: { ...failure, publicMessage: 'The upstream did not accept the request.' } };
}

function entryOf(candidate: RoutedCandidate, outcome: AttemptOutcome, durationMs: number): AttemptEntry {
  const { provider, upstreamModel } = candidate;
  const entry = { provider: provider.name, upstreamModel, durationMs };
  if (outcome.kind === 'abandoned') return { ...entry, outcome: outcome.kind, status: 0 };
  const isFailure = outcome.kind === 'failed';
  return { ...entry, outcome: isFailure ? outcome.failure.kind : ANSWERED, status: outcome.status };
}

function describe(call: Call, candidate: RoutedCandidate, outcome: Extract<AttemptOutcome, { kind: 'failed' }>) {
  return {
    generationId: call.generationId,
    provider: candidate.provider.name,
    model: candidate.model.id,
    status: outcome.status,
    failure: outcome.failure.kind,
    detail: outcome.failure.detail,
  };
}
