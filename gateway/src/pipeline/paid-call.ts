// The life of a call that has been admitted and whose money is held, read from top to bottom: candidates are tried
// until one answers, the answer goes to the client as it comes, and the call ends once. A finish leaves only after its
// settlement is durable, so a client that saw it has paid; what one that left before pays is decided by `isChargedFor`.

import { zeroUsage } from '../canonical/usage.ts';
import type { Bill } from '../dialects/dialect.ts';
import type { StreamOutput, StreamPipe } from '../dialects/stream-pipe.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { failureToApiError } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { Attempt } from './attempts/attempt.ts';
import { AttemptLoop, type LoopOwner, type LoopServices } from './attempts/attempt-loop.ts';
import { isWhole, type WholeAnswer } from './attempts/attempt-parts.ts';
import { type Call, type CallFailure, named } from './call.ts';
import { ClientStream, pushSuccessHeaders, type StreamOwner, sendAnswer } from './client.ts';
import type { Funding } from './fund.ts';
import { endOf, isChargedFor, judge, reasonOf, reasonOfBreak, statedFor } from './guard.ts';
import type { KeepAlive } from './keep-alive.ts';
import {
  ANSWERED,
  CallMoney,
  type Ending,
  endingOf,
  type MoneyServices,
  unanswered,
  withoutShare,
} from './money/call-money.ts';
import { GrowingReservation } from './money/growing-reservation.ts';
import { type AbsorbedReason, lostIn, unreadWork } from './money/lost-work.ts';

export type PaidCallServices = LoopServices &
  MoneyServices &
  Readonly<{ keepAlive: KeepAlive; catalog: Pick<Catalog, 'current'> }>;

/** `trying` until a candidate answers, `streaming` and `completing` while its answer passes, `ending` once billed. */
type Phase = 'trying' | 'streaming' | 'completing' | 'failed' | 'ending' | 'over';

export class PaidCall implements LoopOwner, StreamOwner {
  readonly #exchange: Exchange;
  readonly #client: ClientStream;
  readonly #call: Call;
  readonly #funding: Funding;
  readonly #services: PaidCallServices;
  readonly #money: CallMoney;
  readonly #loop: AttemptLoop;
  #phase: Phase = 'trying';
  #growing: GrowingReservation | null = null;
  #firstTokenMs: number | null = null;
  #isExtending = false;
  #resolve: (failure: CallFailure | null) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(exchange: Exchange, call: Call, funding: Funding, services: PaidCallServices) {
    this.#exchange = exchange;
    this.#client = new ClientStream(exchange, call.generationId, this);
    this.#call = call;
    this.#funding = funding;
    this.#services = services;
    this.#money = new CallMoney(call, services, funding.reservation, funding.selection.candidates[0]);
    this.#loop = new AttemptLoop(call, funding, services, this);
  }

  /** Resolves when the response has ended, however it ended, or with the reason why no candidate has answered. */
  run(): Promise<CallFailure | null> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      // A client that left during an earlier stage has closed already, and is not heard of again.
      if (this.#exchange.response.destroyed) return this.onSpent();
      this.#exchange.response.once('close', this.#onClose);
      if (this.#call.request.isStream) this.#services.keepAlive.add(this.#client);
      this.#loop.next();
    });
  }

  onFailed(attempt: Attempt, failure: UpstreamFailure): void {
    this.#loop.failed(attempt, failure);
  }

  onSpent(): void {
    this.#leaveTrying('failed', null);
    const { error, log } = this.#loop;
    const pipe = this.pipe();
    if (!this.#client.hasBegun || pipe === null) this.#close({ error, attempts: log });
    else {
      this.fail();
      this.#endWith(pipe, error);
    }
  }

  /** Ends with a record and no answer. What an upstream did all the same has a cost, which is absorbed. */
  fail(): void {
    const [first] = this.#funding.selection.candidates;
    if (first === undefined) return;
    const ending = this.#loop.attempt === null ? unanswered(first) : withoutShare(this.#ending());
    this.#money.absorb(ending, lostIn(this.#call, this.#loop.failures));
  }

  /** Ends without a record, where another leg goes on with the call. */
  forget(): void {
    this.#money.release(null);
  }

  #leaveTrying(phase: Phase, attempt: Attempt | null): void {
    this.#phase = phase;
    this.#loop.leave(attempt?.candidate ?? null);
  }

  onAnswered(attempt: Attempt, answer: WholeAnswer): void {
    this.#loop.decided(attempt, ANSWERED);
    this.#leaveTrying('ending', attempt);
    this.#loop.served(attempt, answer.usage);
    pushSuccessHeaders(this.#exchange, this.#call, attempt.candidate);
    judge(this.#call, answer, (judged) => this.#bill(attempt, answer, judged), this.onCrashed);
  }

  #bill(attempt: Attempt, answer: WholeAnswer, judged: WholeAnswer | ApiError): void {
    const finishReason = judged instanceof ApiError ? 'content_filter' : answer.finishReason;
    const ending = { ...this.#ending(), finishReason };
    this.#money.bill(answer.usage, ending, (bill) => this.#show(attempt, judged, bill), this.onCrashed);
  }

  #show(attempt: Attempt, answer: WholeAnswer | ApiError, bill: Bill): void {
    try {
      if (answer instanceof ApiError) throw named(answer, this.#call);
      const sending = sendAnswer(this.#exchange, { call: this.#call, candidate: attempt.candidate, answer, bill });
      if (sending === undefined) this.#close(null);
      else sending.then(() => this.#close(null), this.onCrashed);
    } catch (error) {
      this.onCrashed(error);
    }
  }

  onOpened(attempt: Attempt, pipe: StreamPipe, output: StreamOutput): void {
    this.#loop.decided(attempt, ANSWERED);
    this.#leaveTrying('streaming', attempt);
    this.#firstTokenMs = this.#call.elapsedMs();
    pushSuccessHeaders(this.#exchange, this.#call, attempt.candidate);
    this.#client.begin(pipe);
    const { candidate } = attempt;
    this.#growing = new GrowingReservation(this.#call, candidate, this.#money.reservation, this.#services.ledger);
    this.onOutput(output);
  }

  onOutput(output: StreamOutput): void {
    const pipe = this.pipe();
    if (this.#phase !== 'streaming' || pipe === null) return;
    this.#client.write(output);
    if (pipe.fault !== null && !isWhole(pipe)) this.#breakOff(pipe, ...endOf(pipe.fault));
    else if (pipe.fault !== null || pipe.isDone) this.#conclude(pipe);
    else if (this.#growing?.cutBeyondLimit(pipe, output) === true) this.#conclude(pipe);
    else this.#extendWhenNeeded(pipe);
  }

  onBroken(failure: UpstreamFailure): void {
    const pipe = this.pipe();
    if (this.#phase !== 'streaming' || pipe === null) return;
    if (isWhole(pipe)) this.#conclude(pipe);
    else this.#breakOff(pipe, reasonOfBreak(failure), failureToApiError(failure));
  }

  pipe(): StreamPipe | null {
    return this.#loop.attempt?.pipe ?? null;
  }

  onBlocked(): void {
    this.#loop.attempt?.pause();
  }

  onDrained(): void {
    if (!this.#client.isBlocked && !this.#isExtending && this.#phase === 'streaming') this.#loop.attempt?.resume();
  }

  /** Nothing is read while more is being reserved: only reserved output may be streamed. Behind its end is none. */
  #extendWhenNeeded(pipe: StreamPipe): void {
    const extended = this.#growing?.cover(pipe) ?? true;
    if (extended === true) return;
    this.#isExtending = true;
    this.#loop.attempt?.pause();
    const decide = (isHeld: boolean): void => {
      this.#isExtending = false;
      if (this.#phase !== 'streaming') return;
      if (isHeld || (pipe.hasFinished && !pipe.hasUsage)) this.onDrained();
      else if (isWhole(pipe)) this.#conclude(pipe);
      else this.#breakOff(pipe, 'exhausted', this.#growing?.exhaustion() ?? null);
    };
    if (extended === false) decide(false);
    else extended.then(decide, () => decide(false));
  }

  #conclude(pipe: StreamPipe): void {
    const completion = pipe.complete?.();
    if (completion === undefined) {
      this.#settle(pipe);
      return;
    }
    // A client that leaves now has not got what it would pay for.
    this.#phase = 'completing';
    const decide = (error: ApiError | null): void => {
      if (this.#phase !== 'completing') return;
      if (error === null) this.#settle(pipe);
      else this.#breakOff(pipe, reasonOf(error), error);
    };
    completion.then(decide, () => decide(new ApiError('pipeline_error', 'The answer was not completed. Try again.')));
  }

  /** From here on the charge stands whether or not the client stays. */
  #settle(pipe: StreamPipe): void {
    this.#phase = 'ending';
    const cut = this.#growing?.usageOfCut ?? null;
    if (cut === null) this.#loop.attempt?.resume();
    else this.#loop.attempt?.cancel();
    if (this.#loop.attempt !== null) this.#loop.served(this.#loop.attempt, pipe.usage);
    const fail = (): void => this.#endWith(pipe, new ApiError('http_500', 'The call could not be billed. Try again.'));
    const finish = ({ usage: billed, costUsd }: Bill): void => {
      this.#client.end(pipe.finale(billed, costUsd));
      this.#close(null);
    };
    this.#money.bill(cut ?? pipe.usage, this.#ending(), finish, fail);
  }

  /** The client's connection closed. This also follows a normal end, when nothing is left to stop. */
  readonly #onClose = (): void => {
    this.#loop.attempt?.letGo('closed');
    const pipe = this.pipe();
    if (this.#phase === 'trying') this.#abandonTrying(this.#loop.attempt);
    else if (pipe === null || (this.#phase !== 'streaming' && this.#phase !== 'completing')) return;
    else if (pipe.raw === undefined) this.#breakOff(pipe, 'abandoned', null);
    else this.#chargeFile(pipe);
  };

  #abandonTrying(attempt: Attempt | null): void {
    if (attempt === null || attempt.isDecided) {
      this.onSpent();
      return;
    }
    attempt.cancel();
    this.#loop.decided(attempt, 'abandoned');
    this.#leaveTrying('ending', attempt);
    const lost = { reason: 'abandoned', works: [unreadWork(this.#call)] } as const;
    this.#money.absorb({ ...this.#ending(), upstreamStatus: 0 }, lost);
    this.#close(null);
  }

  /** A file is charged as soon as its first bytes have been sent. */
  #chargeFile(pipe: StreamPipe): void {
    this.#phase = 'ending';
    this.#loop.attempt?.cancel();
    const close = (): void => this.#close(null);
    this.#money.bill(pipe.usage, this.#ending(), close, close);
  }

  /** Cuts a stream before its end. Whether it is charged, by what was stated or delivered, `guard.ts` decides. */
  #breakOff(pipe: StreamPipe, reason: AbsorbedReason, error: ApiError | null): void {
    this.#phase = 'ending';
    this.#loop.attempt?.cancel();
    const stated = statedFor(reason, pipe);
    const delivered = stated ?? this.#growing?.delivered(pipe) ?? zeroUsage;
    const terms = this.#services.catalog.current();
    const isCharged = stated !== null || isChargedFor(reason, delivered, this.#client.isDropped, terms);
    const end = (): void => (error === null ? this.#close(null) : this.#endWith(pipe, error, isCharged));
    if (isCharged) this.#money.bill(delivered, this.#ending(), end, end);
    else {
      this.#money.absorb(this.#ending(), { reason, works: [{ estimated: delivered, reported: pipe.usage }] });
      end();
    }
  }

  #endWith(pipe: StreamPipe, error: ApiError, isCharged = false): void {
    if (pipe.raw === undefined) this.#client.fail(pipe.failure(error), isCharged);
    else this.#client.cut();
    this.#close(null);
  }

  #close(failure: CallFailure | null): void {
    if (failure === null) this.#phase = 'over';
    else this.#exchange.response.off('close', this.#onClose);
    this.#services.keepAlive.remove(this.#client);
    this.#loop.attempt?.letGo('over');
    this.#resolve(failure);
  }

  /** A bug of ours: everything is released, and the handler that called answers the client. */
  readonly onCrashed = (error: unknown): void => {
    this.#loop.leave(null);
    this.#loop.attempt?.cancel();
    this.#phase = 'over';
    this.#money.abort();
    this.#services.keepAlive.remove(this.#client);
    this.#loop.attempt?.letGo('over');
    this.#reject(error);
  };

  #ending(): Ending {
    return endingOf(this.#loop, this.#funding.selection, this.#firstTokenMs);
  }
}
