// One try at a provider, from the request that it gets to how it went. It collects a whole answer or carries a stream,
// reports to the health of its route, and tells its call each thing once. Until a stream has something for the client,
// the call can still go on to the next candidate after a failure; from then on it stays with this one.

import type { IncomingHttpHeaders } from 'node:http';
import type { AttemptEntry } from '../../canonical/generation.ts';
import type { StreamOutput, StreamPipe } from '../../dialects/stream-pipe.ts';
import { assert } from '../../platform/assert.ts';
import { TakenRoom } from '../../platform/memory-room.ts';
import { PIECE_BYTES } from '../../platform/piece-bytes.ts';
import { failureOfProvider, failureOfTransport, isProviderFailure, noRoom, withUsed } from '../../upstreams/failure.ts';
import type { Reframer, UpstreamFailure } from '../../upstreams/protocol.ts';
import type { Flight, Receiver, Transport, TransportFailure } from '../../upstreams/transport/receiver.ts';
import { renderContext } from '../call.ts';
import type { RoutedCandidate } from '../route.ts';
import { type AttemptParts, isWhole, type WholeAnswer } from './attempt-parts.ts';
import { type PreparedAttempt, prepareAttempt } from './prepare-attempt.ts';
import { isTransient, unlessMissing, withoutWords } from './retry.ts';

const ERROR_BYTES_MAX = 64 * 1024;
const NO_FLIGHT: Flight = { pause() {}, resume() {}, cancel() {} };

export class Attempt implements Receiver {
  readonly #parts: AttemptParts<Attempt>;
  readonly candidate: RoutedCandidate;
  readonly isRetry: boolean;
  readonly #prepared: PreparedAttempt;
  readonly startedMs: number;
  status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Null where the whole answer is collected before it is shown. */
  readonly pipe: StreamPipe | null;
  /** Null where the upstream's bytes need no new framing. */
  readonly #reframer: Reframer | null;
  /** A whole answer; or, where a stream was expected, an error or another body that came instead. */
  #chunks: Buffer[] | null;
  #bytes = 0;
  readonly #held: TakenRoom;
  #isOpen = false;
  #isOver = false;
  #isReceiving = false;
  #flight: Flight = NO_FLIGHT;

  constructor(parts: AttemptParts<Attempt>) {
    this.#parts = parts;
    this.candidate = parts.candidate;
    this.isRetry = parts.isRetry;
    this.startedMs = parts.clock.monotonicMs();
    this.#held = new TakenRoom(parts.room, parts.call.caller.accountId);
    this.#prepared = prepareAttempt(parts);
    this.#reframer = this.#prepared.codec.createReframer?.(this.#prepared.request) ?? null;
    const { call, candidate } = parts;
    const { dialect, request } = call;
    if (request.isStream) {
      assert(dialect.openPipe !== undefined, `${dialect.operation} has no streams`);
      this.pipe = dialect.openPipe(this.#prepared.codec, renderContext(call, candidate.model));
      this.#chunks = null;
    } else {
      this.pipe = null;
      this.#chunks = [];
    }
  }

  /** The attempt has answered, opened its stream or failed. */
  get isDecided(): boolean {
    return this.#isOver || this.#isOpen;
  }

  send(transport: Transport): void {
    const { trace } = this.#parts;
    this.#flight = (trace === null ? transport : trace.through(transport)).send(this.#prepared.call, this);
  }

  /** What is left of an answer that is over is read, whoever waits: its connection carries other calls afterwards. */
  pause(): void {
    if (!this.#isOver) this.#flight.pause();
  }

  resume(): void {
    this.#flight.resume();
  }

  /** The client or the loop gave the attempt up; that says nothing about the health of the provider. */
  cancel(): void {
    this.#flight.cancel();
    if (this.#isOver) return;
    this.#giveUp();
    this.#parts.health.dropped();
    this.#parts.trace?.decided(this.status, 'abandoned');
  }

  onStart(status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.#headers = headers;
    if (this.pipe === null) return;
    const { raw } = this.pipe;
    const type = headers['content-type'] ?? '';
    const isTaken = raw === undefined ? type.startsWith(this.#prepared.streamType) : raw.accepts(type);
    if (status !== 200 || !isTaken) this.#chunks = [];
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return;
    const { pipe } = this;
    if (this.#chunks !== null) this.#collect(this.#chunks, chunk);
    else if (pipe !== null && this.#cover(pipe.keptBytes + (this.#reframer?.keptBytes ?? 0) + chunk.length)) {
      this.#push(pipe, this.#reframer === null ? chunk : this.#reframer.push(chunk));
    }
  }

  #collect(chunks: Buffer[], chunk: Buffer): void {
    this.#bytes += chunk.length + PIECE_BYTES;
    if (this.pipe === null ? this.#cover(this.#bytes) : this.#bytes <= ERROR_BYTES_MAX) chunks.push(chunk);
  }

  /** This much of the answer is in memory now. False where there is no room for it; the attempt has failed then. */
  #cover(bytes: number): boolean {
    return this.#held.cover(bytes) || this.#refuse();
  }

  /** As `#cover`, for this much more than before. */
  hold(bytes: number): boolean {
    return !this.#isOver && (this.#held.take(bytes) || this.#refuse());
  }

  #refuse(): false {
    this.#flight.cancel();
    this.#break(noRoom(this.#held.isCrowdedOut));
    return false;
  }

  /** The client has the answer or is gone; or the call is over. */
  letGo(end: 'closed' | 'over'): void {
    if (!this.#isReceiving) this.#held.letGo(end);
  }

  onEnd(): void {
    if (this.#chunks !== null) {
      this.#collected(this.#chunks);
      return;
    }
    const { pipe } = this;
    if (pipe === null) return;
    if (this.#reframer !== null) this.#push(pipe, this.#reframer.end());
    const output = pipe.end();
    // Where a format has no end mark, the end of the body completes the answer.
    if (!this.#isOpen || output.length > 0 || pipe.isDone || pipe.fault !== null) this.#advance(pipe, output);
    const detail = this.#isOpen ? 'the stream ended before its usage record' : 'the stream ended without content';
    this.#break({ kind: 'malformed', detail });
  }

  onFail(failure: TransportFailure): void {
    if (this.pipe !== null && this.#reframer !== null && !this.#isOver) this.#push(this.pipe, this.#reframer.release());
    this.#break(failureOfTransport(failure));
  }

  #break(failure: UpstreamFailure): void {
    if (this.pipe === null || !this.#isOpen) this.#fail(failure);
    else {
      this.#streamOver(this.pipe, failure);
      this.#parts.owner.onBroken(failure);
    }
  }

  /** What the record of the call keeps of this attempt. */
  entry(outcome: string, nowMs: number): AttemptEntry {
    const { provider, upstreamModel } = this.candidate;
    return { provider: provider.name, upstreamModel, durationMs: nowMs - this.startedMs, outcome, status: this.status };
  }

  #push(pipe: StreamPipe, bytes: Buffer): void {
    if (bytes.length > 0) this.#advance(pipe, pipe.push(bytes));
  }

  #advance(pipe: StreamPipe, output: StreamOutput): void {
    if (this.#isOpen) {
      // First, because the call cancels what has failed, and a cancelled attempt says nothing about its route.
      this.#look(pipe);
      this.#parts.owner.onOutput(output);
      return;
    }
    const failure = isWhole(pipe) ? null : failureOfProvider(pipe.fault);
    if (failure !== null && output.length === 0) {
      this.#flight.cancel();
      this.#fail(failure);
    } else if (output.length > 0 || pipe.hasFinished || pipe.isDone || pipe.fault !== null) this.#open(pipe, output);
  }

  #open(pipe: StreamPipe, output: StreamOutput): void {
    this.#isOpen = true;
    const { health, trace, clock, owner } = this.#parts;
    const nowMs = clock.monotonicMs();
    health.opened(nowMs - this.startedMs, nowMs);
    trace?.decided(this.status, null);
    this.#look(pipe);
    owner.onOpened(this, pipe, output);
  }

  /** Whether what has just come has ended the stream, for the health of the route. */
  #look(pipe: StreamPipe): void {
    if (pipe.fault !== null || pipe.isDone) this.#streamOver(pipe, failureOfProvider(pipe.fault));
  }

  #streamOver(pipe: StreamPipe, failure: UpstreamFailure | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { health, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (failure === null || isWhole(pipe)) {
      health.succeeded(pipe.usage?.completionTokens ?? null, nowMs, nowMs);
    } else if (isProviderFailure(failure)) health.failed(failure, nowMs);
    else health.dropped();
  }

  #collected(chunks: readonly Buffer[]): void {
    const [first] = chunks;
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    this.#chunks = null;
    const { codec, request } = this.#prepared;
    if (this.status !== 200) {
      const failure = codec.decodeError(this.status, this.#headers, body, request);
      this.#fail(this.candidate.hasOtherWay ? unlessMissing(failure, this.status) : failure);
      return;
    }
    const decoded = codec.decode?.({ headers: this.#headers, body }, request, this.candidate);
    if (decoded?.kind === 'failure') this.#fail(decoded.failure);
    else if (this.pipe !== null) this.#fail({ kind: 'malformed', detail: 'the answer is no stream' });
    else {
      assert(decoded !== undefined, `${request.operation} has no whole answers`);
      this.#receive(decoded);
    }
  }

  /** Some answers need work of the dialect before they count as answers. */
  #receive(answer: WholeAnswer): void {
    const { call, candidate, owner } = this.#parts;
    const context = renderContext(call, candidate.model);
    const receiving = call.dialect.receive?.(answer.answer, answer.usage, context, this) ?? null;
    if (receiving === null) {
      this.#answered(answer);
      return;
    }
    this.#isReceiving = true;
    receiving.then(
      (received) => {
        this.#received();
        if (received.kind === 'answer') this.#answered({ ...answer, ...received });
        else {
          const { code, publicMessage, detail } = received;
          this.#fail({ kind: 'malformed', code, publicMessage, detail });
        }
      },
      (error: unknown) => {
        this.#received();
        owner.onCrashed(error);
      },
    );
  }

  #received(): void {
    this.#isReceiving = false;
    if (this.#isOver) this.#giveUp();
  }

  /** The answer is not needed. A dialect that works on it does so to the end. */
  #giveUp(): void {
    this.#isOver = true;
    if (this.#isReceiving) return;
    this.#chunks = null;
    this.#held.giveBack();
  }

  #answered(answer: WholeAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { health, trace, clock, owner } = this.#parts;
    health.succeeded(answer.usage?.completionTokens ?? null, this.startedMs, clock.monotonicMs());
    trace?.decided(this.status, null);
    trace?.end();
    owner.onAnswered(this, answer);
  }

  #fail(told: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#giveUp();
    const { health, trace, clock, isRetry, owner, candidate } = this.#parts;
    const failure = withoutWords(withUsed(told, this.pipe?.usage ?? null), candidate.own);
    if (isRetry && isTransient(failure)) health.dropped();
    else if (isProviderFailure(failure)) health.failed(failure, clock.monotonicMs());
    else health.declined();
    trace?.decided(this.status, failure.kind);
    owner.onFailed(this, failure);
  }
}
