// The attempt loop: candidates in order until one answers. Nothing has been sent to the client yet while this runs, so a
// failure may move on to the next candidate; how each attempt went is reported to the health of its route.

import type { Model } from '../canonical/model.ts';
import type { Usage } from '../canonical/usage.ts';
import type { Reservation } from '../modules/ledger/ledger.ts';
import type { RouteAttempt } from '../modules/routing/route-attempt.ts';
import type { Routing } from '../modules/routing/routing.ts';
import { assert } from '../platform/assert.ts';
import { failureToApiError, isCallersFault, isProviderFailure } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { OpenStream } from './attempt-stream.ts';
import type { WholeAnswer } from './attempt-whole.ts';
import { type AttemptServices, Attempts, type Made } from './attempts.ts';
import type { Call } from './call.ts';
import type { Ending } from './completion.ts';
import { type FreePass, withoutShare } from './free-pass.ts';
import type { Presence } from './presence.ts';
import { refuseIsolated } from './refuse-route.ts';
import { isTransient, retryDelayMs, tellingFailure } from './retry.ts';
import type { RoutedCandidate, Selection } from './route.ts';
import { watchStream } from './watch-stream.ts';

export type Dispatched =
  | Readonly<{ kind: 'whole'; answer: WholeAnswer; ending: Ending }>
  | Readonly<{ kind: 'stream'; stream: OpenStream; ending: Ending }>
  | Readonly<{
      kind: 'failed';
      error: Error;
      /** How the telling attempt failed; null when nobody was asked. */
      failure: UpstreamFailure['kind'] | null;
      ending: Ending;
    }>
  | Readonly<{ kind: 'abandoned'; ending: Ending }>;

type DispatchFunding = Readonly<{
  reservation: Pick<Reservation, 'amountNanoUsd'>;
  selection: Selection;
  pass: FreePass | null;
}>;

export type DispatchServices = AttemptServices & Readonly<{ routing: Routing }>;

export async function dispatch(
  call: Call,
  funding: DispatchFunding,
  presence: Presence,
  services: DispatchServices,
): Promise<Dispatched> {
  const leave = services.routing.retryBudget.enter();
  let served: Model | null = null;
  try {
    const { reservation, selection } = funding;
    const attempts = new Attempts({ call, presence, reservation }, services, selection.earlierAttempts);
    const dispatched = await new Dispatch(funding, attempts, services, call.request.isStream).run();
    // A client that left has had the upstream work for it.
    if (dispatched.kind !== 'failed') served = dispatched.ending.candidate.model;
    return dispatched;
  } finally {
    funding.pass?.end(served);
    leave();
  }
}

class Dispatch {
  readonly #selection: Selection;
  readonly #pass: FreePass | null;
  readonly #attempts: Attempts;
  readonly #services: DispatchServices;
  readonly #isStream: boolean;
  readonly #failures: UpstreamFailure[] = [];
  #lastEnding: Ending | null = null;

  constructor(funding: DispatchFunding, attempts: Attempts, services: DispatchServices, isStream: boolean) {
    this.#selection = funding.selection;
    this.#pass = funding.pass;
    this.#attempts = attempts;
    this.#services = services;
    this.#isStream = isStream;
  }

  async run(): Promise<Dispatched> {
    let untried = this.#selection.candidates;
    for (let next = untried[0]; next !== undefined && !this.#attempts.isSpent; next = untried[0]) {
      untried = untried.slice(1);
      const candidate = this.#pass === null ? next : await this.#pass.admit(next);
      if (candidate === null) continue;
      const health = this.#services.routing.begin(candidate.offered, this.#isStream);
      if (health === null) continue;
      const made = await this.#make(candidate, health);
      const isWorthRetrying = !candidate.own && isTransient(made.outcome) && !this.#hasAvailable(untried);
      const dispatched =
        this.#conclude(candidate, made, health) ?? (isWorthRetrying ? await this.#retry(candidate) : null);
      if (dispatched !== null) return dispatched;
      // Whoever is asked next would say as much again.
      if (this.#failures.at(-1)?.kind === 'bound') break;
      // What one provider of a model refuses, its others refuse too; another model may well take it.
      if (this.#wasRefused()) untried = untried.filter(({ model }) => model !== candidate.model);
    }
    return this.#giveUp();
  }

  async #make(candidate: RoutedCandidate, health: RouteAttempt): Promise<Made> {
    try {
      return await this.#attempts.make(candidate);
    } catch (error) {
      health.dropped();
      throw error;
    }
  }

  /** Null when it failed again, or when there is no use any more: the failure has isolated the route, or time is up. */
  async #retry(candidate: RoutedCandidate): Promise<Dispatched | null> {
    const { routing, clock } = this.#services;
    const endRetry = routing.retryBudget.take();
    if (endRetry === null) return null;
    try {
      await clock.sleep(retryDelayMs(routing.random()));
      const health = this.#attempts.isSpent ? null : routing.begin(candidate.offered, this.#isStream);
      if (health === null) return null;
      const made = await this.#make(candidate, health);
      // The same failure twice is one failure of the route: this call has been counted already.
      if (isTransient(made.outcome)) health.dropped();
      return this.#conclude(candidate, made, health);
    } finally {
      endRetry();
    }
  }

  /** Tells the route how it did, and what to relay; null when the next candidate is to be tried. */
  #conclude(candidate: RoutedCandidate, { outcome, startedMs }: Made, health: RouteAttempt): Dispatched | null {
    const nowMs = this.#services.clock.monotonicMs();
    const ending = this.#endingOf(candidate, outcome);
    switch (outcome.kind) {
      case 'whole': {
        const { usage } = outcome.answer;
        health.succeeded(usage?.completionTokens ?? null, startedMs, nowMs);
        this.#served(candidate, usage);
        return { kind: 'whole', answer: outcome.answer, ending };
      }
      case 'stream':
        health.opened(nowMs - startedMs, nowMs);
        return { kind: 'stream', stream: this.#watch(outcome.stream, candidate, health), ending };
      case 'abandoned':
        health.dropped();
        return { kind: 'abandoned', ending };
      case 'failed':
        if (isProviderFailure(outcome.failure)) health.failed(outcome.failure, nowMs);
        else health.declined();
        this.#failures.push(outcome.failure);
        this.#lastEnding = ending;
        return null;
    }
  }

  #watch(stream: OpenStream, candidate: RoutedCandidate, health: RouteAttempt): OpenStream {
    const { clock } = this.#services;
    return watchStream(stream, (failure) => {
      const nowMs = clock.monotonicMs();
      if (failure !== null) {
        if (isProviderFailure(failure)) health.failed(failure, nowMs);
        return;
      }
      const { usage } = stream.pipe;
      health.succeeded(usage?.completionTokens ?? null, nowMs, nowMs);
      this.#served(candidate, usage);
    });
  }

  #served({ offered }: RoutedCandidate, usage: Usage | null): void {
    const { conversation } = this.#selection;
    if (conversation !== null) this.#services.routing.served(conversation, offered, usage);
  }

  #giveUp(): Dispatched {
    const failure = tellingFailure(this.#failures);
    if (failure !== null && this.#lastEnding !== null) {
      const error = failureToApiError(failure);
      return { kind: 'failed', error, failure: failure.kind, ending: withoutShare(this.#lastEnding) };
    }
    // Nobody was asked: all were isolated, or the client left, while the call waited for its reservation.
    const [first] = this.#selection.candidates;
    assert(first !== undefined, 'dispatch needs at least one candidate');
    const error = refuseIsolated(first.model, [{ reason: 'failing', waitMs: 1_000 }]);
    return { kind: 'failed', error, failure: null, ending: this.#endingOf(first, { kind: 'abandoned' }) };
  }

  #wasRefused(): boolean {
    const last = this.#failures.at(-1);
    return last !== undefined && isCallersFault(last);
  }

  #hasAvailable(candidates: readonly RoutedCandidate[]): boolean {
    return candidates.some(({ offered }) => this.#services.routing.isolation(offered) === null);
  }

  #endingOf(candidate: RoutedCandidate, outcome: AttemptOutcome): Ending {
    return {
      candidate,
      upstreamStatus: outcome.kind === 'abandoned' ? 0 : outcome.status,
      finishReason: null,
      firstTokenMs: null,
      attempts: this.#attempts.count,
      attemptLog: this.#attempts.log,
      isFailover: candidate.offered !== this.#selection.firstChoice,
    };
  }
}
