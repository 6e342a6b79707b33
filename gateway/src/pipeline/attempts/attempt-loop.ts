// Decides which candidate is asked next and when to stop. Candidates are asked in order; the last one left is asked
// once more after a transient failure. The whole call shares one bound on attempts and one on time.

import type { AttemptEntry } from '../../canonical/generation.ts';
import type { UpstreamTimeouts } from '../../canonical/model.ts';
import type { Usage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { GivenPictures } from '../../modules/media/given-pictures.ts';
import { isOfKey, type RingKey } from '../../modules/routing/keyring.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { failureToApiError, isCallersFault } from '../../upstreams/failure.ts';
import type { UpstreamFailure } from '../../upstreams/protocol.ts';
import type { Transport } from '../../upstreams/transport/receiver.ts';
import type { AnswerRoom } from '../answer-room.ts';
import type { Call } from '../call.ts';
import { fittedTo } from '../fit-context.ts';
import { forward, type Pseudonyms } from '../forward.ts';
import type { Funding } from '../fund.ts';
import { ANSWERED } from '../money/call-money.ts';
import { heldOutputTokens, withinFree, withinReservation } from '../money/output-terms.ts';
import type { RoutedCandidate } from '../route.ts';
import { Attempt } from './attempt.ts';
import type { AttemptOwner } from './attempt-parts.ts';
import { addressesFor, type BroughtPictures, bringPictures, NO_ADDRESSES, withPictures } from './bring-pictures.ts';
import { isTransient, refuseUnasked, retryDelayMs, tellingFailure } from './retry.ts';

export type LoopServices = Readonly<{
  transport: Transport;
  routing: Routing;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'upstreamAttempt'>;
  timeouts: UpstreamTimeouts;
  pseudonyms: Pseudonyms;
  givenPictures: GivenPictures;
  answerRoom: AnswerRoom;
}>;

/** What the loop tells its call besides what attempts tell it. */
export type LoopOwner = AttemptOwner<Attempt> &
  Readonly<{
    /** All candidates have failed, or no further attempt is allowed. */
    onSpent(): void;
  }>;

/** Bounds the whole call, however many providers and fallback models there are. */
const ATTEMPTS_MAX = 12;
/** All attempts together wait for a first byte as long as two of them might. */
const FIRST_BYTE_WAITS_MAX = 2;

export class AttemptLoop {
  readonly #call: Call;
  readonly #funding: Funding;
  readonly #services: LoopServices;
  readonly #owner: LoopOwner;
  readonly #startedMs: number;
  readonly #leaveBudget: () => void;
  readonly failures: UpstreamFailure[] = [];
  readonly log: AttemptEntry[];
  #untried: readonly RoutedCandidate[];
  #endRetry: (() => void) | null = null;
  /**
   * Pictures from the addresses that the caller gave, or the error why they cannot be fetched; null until a candidate
   * needs them.
   */
  #pictures: BroughtPictures = null;
  #fetching: AbortController | null = null;
  #isOver = false;
  /** The attempt under way; at the end the one that answered, or the last that failed. */
  attempt: Attempt | null = null;

  constructor(call: Call, funding: Funding, services: LoopServices, owner: LoopOwner) {
    const { candidates, earlierAttempts } = funding.selection;
    this.#call = call;
    this.#funding = funding;
    this.#services = services;
    this.#owner = owner;
    this.#startedMs = services.clock.monotonicMs();
    this.#untried = candidates;
    this.log = earlierAttempts === undefined ? [] : [...earlierAttempts];
    this.#leaveBudget = services.routing.retryBudget.enter();
  }

  /** Asks the next candidate. The owner is told how it went, or that no candidate is left. */
  next(): void {
    const { pass } = this.#funding;
    try {
      for (let next = this.#untried[0]; next !== undefined && !this.#isSpent(); next = this.#untried[0]) {
        this.#untried = this.#untried.slice(1);
        if (pass !== null) {
          pass.priced(next).then((priced) => this.#nextPriced(priced), this.#crash);
          return;
        }
        if (this.#ask(next)) return;
      }
      if (!this.#isOver) this.#owner.onSpent();
    } catch (error) {
      this.#crash(error);
    }
  }

  #nextPriced(candidate: RoutedCandidate | null): void {
    try {
      if (this.#isOver) return;
      if (candidate === null || !this.#ask(candidate)) this.next();
    } catch (error) {
      this.#crash(error);
    }
  }

  /**
   * Asks a candidate, with the pictures that its provider cannot fetch itself. False where the candidate cannot be
   * asked.
   */
  #ask(route: RoutedCandidate): boolean {
    const wanted = this.#pictures === null ? addressesFor(this.#call.request, route) : NO_ADDRESSES;
    if (wanted.length === 0) return this.#try(route, false);
    const { accountId } = this.#call.caller;
    this.#fetching = new AbortController();
    bringPictures(this.#services.givenPictures.fetch(accountId, wanted, this.#fetching.signal)).then((pictures) => {
      this.#pictures = pictures;
      this.#nextPriced(route);
    }, this.#crash);
    return true;
  }

  /** False where the route is isolated, or where the provider's protocol cannot express the request. */
  #try(route: RoutedCandidate, isRetry: boolean): boolean {
    const { routing, pseudonyms, clock, transport, answerRoom: room } = this.#services;
    const { request, caller } = this.#call;
    const { keysTried } = route;
    const health = routing.begin(route.offered, request.isStream, { accountId: caller.accountId, keysTried });
    if (health === null) return false;
    try {
      const candidate = health.ringKey === null ? route : withKey(route, health.ringKey);
      const call = withPictures(forward(this.#limited(candidate), candidate, pseudonyms), candidate, this.#pictures);
      const trace = call.trace?.beginAttempt(candidate) ?? null;
      const timeouts = this.#timeouts(candidate, clock.monotonicMs());
      const owner = this.#owner;
      this.attempt = new Attempt({ call, candidate, health, isRetry, timeouts, trace, clock, room, owner });
      this.attempt.send(transport);
    } catch (error) {
      health.dropped();
      if (!(error instanceof ApiError)) throw error;
      // The protocol of another provider may be able to express the request.
      const { code, message: publicMessage } = error;
      this.failures.push({ kind: 'unsupported', code, publicMessage, detail: 'it cannot be said to this provider' });
      // The same provider is not asked in another way, which would hide why this way failed.
      this.#untried = this.#untried.filter(({ offered }) => offered !== route.offered);
      return false;
    }
    return true;
  }

  /** The output limit that is sent upstream is no more than what is held pays for. */
  #limited(candidate: RoutedCandidate): Call {
    const { request } = this.#call;
    const heldTokens = heldOutputTokens(request, candidate, this.#funding.reservation.amountNanoUsd());
    const limited = withinReservation(withinFree(fittedTo(request, candidate), candidate), candidate, heldTokens);
    return limited === request ? this.#call : { ...this.#call, request: limited };
  }

  /** Notes how an attempt went, and goes on after a failure. */
  failed(attempt: Attempt, failure: UpstreamFailure): void {
    this.decided(attempt, failure.kind);
    this.failures.push(failure);
    const { provider, model, own, offered, keysTried } = attempt.candidate;
    const { accountId } = this.#call.caller;
    const key = keysTried === undefined ? {} : { key: keysTried.at(-1) };
    const what = { generationId: this.#call.generationId, provider: provider.name, ...key, model: model.id };
    const how = { status: attempt.status, failure: failure.kind, detail: failure.detail };
    this.#services.logger.warn({ ...what, ...how }, 'attempt failed');
    // Its reasoning was sealed for another account, or for other words: it is left out, and the model reasons again.
    if (failure.kind === 'rejected' && failure.isReasoningForeign && !attempt.candidate.omitsReasoning) {
      this.#untried = [{ ...attempt.candidate, omitsReasoning: true }, ...this.#untried];
      this.next();
      return;
    }
    if (isOfKey(failure) && this.#services.routing.hasOtherKey(offered, { accountId, keysTried })) {
      this.#untried = [attempt.candidate, ...this.#untried];
      this.next();
      return;
    }
    // The next candidate would give the same answer.
    if (failure.kind === 'bound') this.#untried = [];
    // When one provider of a model refuses a request as wrong, the model's other providers refuse it too; another model
    // may take it.
    if (isCallersFault(failure)) this.#untried = this.#untried.filter((candidate) => candidate.model !== model);
    // The same route is asked in another way only where the provider does not have this endpoint.
    if (failure.kind !== 'unsupported') this.#untried = this.#untried.filter((next) => next.offered !== offered);
    const isOnlyHope = own === undefined && !attempt.isRetry && isTransient(failure) && !this.#hasAvailable();
    this.#endRetry = isOnlyHope ? this.#services.routing.retryBudget.take() : null;
    if (this.#endRetry === null) this.next();
    else this.#retry(keysTried === undefined ? attempt.candidate : { ...attempt.candidate, keysTried: [] });
  }

  #hasAvailable(): boolean {
    const { accountId } = this.#call.caller;
    return this.#untried.some(({ offered }) => this.#services.routing.isolation(offered, accountId) === null);
  }

  /** Asks the same provider once more, unless the failure has isolated the route or time is up. */
  #retry(candidate: RoutedCandidate): void {
    const { routing, clock } = this.#services;
    clock.sleep(retryDelayMs(routing.random())).then(() => {
      try {
        if (!this.#isSpent() && this.#try(candidate, true)) return;
        this.#stopRetry();
        this.next();
      } catch (error) {
        this.#crash(error);
      }
    }, this.#crash);
  }

  #stopRetry(): void {
    this.#endRetry?.();
    this.#endRetry = null;
  }

  decided(attempt: Attempt, outcome: string): void {
    this.#stopRetry();
    this.log.push(attempt.entry(outcome, this.#services.clock.monotonicMs()));
    const form = attempt.pipe === null ? 'whole' : 'stream';
    this.#services.metrics.upstreamAttempt(attempt.candidate.provider.name, outcome === ANSWERED ? form : outcome);
  }

  /** Stops trying. A client that left has made the upstream work, so its free quota is used all the same. */
  leave(served: RoutedCandidate | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (served === null) this.#fetching?.abort();
    this.#leaveBudget();
    this.#stopRetry();
    this.#funding.pass?.end(served?.model ?? null);
  }

  /** The failure that a caller should hear of; null when nobody was asked. */
  get telling(): UpstreamFailure | null {
    return tellingFailure(this.failures);
  }

  /** What a caller is told. */
  get error(): ApiError {
    const { telling } = this;
    if (telling !== null) return failureToApiError(telling);
    // Nobody was asked: all were isolated, or the client left, while the call waited for its reservation.
    const [first, ...others] = this.#funding.selection.candidates;
    assert(first !== undefined, 'a call has at least one candidate');
    return refuseUnasked([first, ...others], this.#services.routing, this.#call.caller.accountId);
  }

  /** Keeps the conversation at the provider that has its prompt in the cache. */
  served({ candidate }: Attempt, usage: Usage | null): void {
    const { conversation } = this.#funding.selection;
    if (conversation !== null) this.#services.routing.served(conversation, candidate.offered, usage);
  }

  readonly #crash = (error: unknown): void => this.#owner.onCrashed(error);

  #isSpent(): boolean {
    if (this.#isOver || this.log.length >= ATTEMPTS_MAX) return true;
    const next = this.#untried[0] ?? this.attempt?.candidate;
    return this.#firstByteLeftMs(this.#waits(next), this.#services.clock.monotonicMs()) <= 0;
  }

  /** An operator may give a provider more time than others. */
  #waits(candidate: RoutedCandidate | undefined): UpstreamTimeouts {
    const own = candidate?.provider.timeouts;
    return own === undefined ? this.#services.timeouts : { ...this.#services.timeouts, ...own };
  }

  #firstByteLeftMs(waits: UpstreamTimeouts, nowMs: number): number {
    const eachMs = this.#call.request.isStream ? waits.streamFirstByteMs : waits.wholeFirstByteMs;
    return Math.min(eachMs * FIRST_BYTE_WAITS_MAX, waits.totalMs) - (nowMs - this.#startedMs);
  }

  /** Deadlines belong to the whole call: the time that one attempt has used is missing for the next. */
  #timeouts(candidate: RoutedCandidate, nowMs: number): UpstreamTimeouts {
    const waits = this.#waits(candidate);
    if (this.log.length === 0) return waits;
    const leftMs = this.#firstByteLeftMs(waits, nowMs);
    return {
      ...waits,
      wholeFirstByteMs: Math.min(waits.wholeFirstByteMs, leftMs),
      streamFirstByteMs: Math.min(waits.streamFirstByteMs, leftMs),
      totalMs: waits.totalMs - (nowMs - this.#startedMs),
    };
  }
}

const withKey = (candidate: RoutedCandidate, { name, provider }: RingKey): RoutedCandidate => ({
  ...candidate,
  provider,
  keysTried: [...(candidate.keysTried ?? []), name],
});
