// The only upstream I/O: sends a call to a provider and passes the answer, piece by piece, to a receiver. Timeouts are
// one coarse sweep over all flights, because a timer per call costs more than the rest of its bookkeeping.

import type { Clock } from '../../platform/clock.ts';
import type { ConnectionGuard } from '../../platform/outbound/outbound.ts';
import { Roster, type RosterMember } from '../../platform/roster.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import { Tokens } from './authorization.ts';
import { type CarriedCall, ConnectTimeout, type UpstreamConnection, type WireCall } from './connection.ts';
import { createContentDecoder } from './content-decoder.ts';
import type { Pool } from './pool.ts';
import { Pools } from './pools.ts';
import type { Flight, Receiver, Transport, TransportCall, TransportFailure } from './receiver.ts';
import { postForm, signatureOf, signingFailure } from './sign-call.ts';
import { wireCall } from './wire-call.ts';

/** What flights need of the transport. */
type Carrier = Readonly<{
  /** Signs the call and sends it; `refused` is a token that must not be used again. */
  launch(flight: UpstreamFlight, call: TransportCall, refused: string | null): void;
  forget(flight: UpstreamFlight): void;
}>;

const SWEEP_INTERVAL_MS = 250;

class UpstreamFlight implements CarriedCall, RosterMember {
  place = -1;
  readonly #call: TransportCall;
  readonly #receiver: Receiver;
  readonly #carrier: Carrier;
  /** Set before it is sent. */
  wire: WireCall = NOT_SIGNED;
  /** Null until the call is on a connection. */
  #connection: UpstreamConnection | null = null;
  #decoder: ReturnType<typeof createContentDecoder> = null;
  #isOver = false;
  #isPaused = false;
  /** Nothing more is read until the decoder has caught up. */
  #isDecoderFull = false;
  #hasStarted = false;
  /** Set by traffic, cleared by the sweep: a write per read instead of a reading of the clock. */
  #isActive = false;
  #bytes = 0;
  readonly #startedMs: number;
  #lastActiveMs: number;
  /** A token that was refused, for which the call is sent once more with another. */
  #refused: string | null = null;
  #isRenewing = false;
  /** It was sent, and is sent once more because the connection was closed as it came. */
  #hasCrossed = false;
  /** The token of the call; kept in case it is refused. */
  token = '';

  constructor(call: TransportCall, receiver: Receiver, carrier: Carrier, nowMs: number) {
    this.#call = call;
    this.#receiver = receiver;
    this.#carrier = carrier;
    this.#startedMs = nowMs;
    this.#lastActiveMs = nowMs;
  }

  start(): void {
    this.#carrier.launch(this, this.#call, this.#refused);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The call could not be sent at all. */
  failToStart(failure: Omit<TransportFailure, 'isUnsent'>): void {
    this.#fail(failure);
  }

  /** Once, and only where a token may have expired early. */
  #mayRenew(status: number): boolean {
    return status === 401 && this.token !== '' && this.#refused === null;
  }

  onDeparture(connection: UpstreamConnection): void {
    this.#connection = connection;
  }

  onCrossed(): boolean {
    const { method, isRepeatable } = this.#call;
    if (this.#isOver || this.#hasCrossed || (isRepeatable !== true && method !== 'GET')) return false;
    this.#hasCrossed = true;
    this.#connection = null;
    return true;
  }

  onHead(status: number, headers: AnswerHeaders): void {
    if (this.#isOver) return;
    this.#isActive = true;
    if (this.#mayRenew(status)) {
      this.#isRenewing = true;
      return;
    }
    this.#hasStarted = true;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      this.#decoder = createContentDecoder(encoding, {
        onData: (chunk) => this.#deliver(chunk),
        onEnd: () => this.#end(),
        onFail: (detail) => this.#fail({ kind: 'undecodable', detail }),
        onDrained: () => this.#onDecoderDrained(),
      });
      if (this.#decoder === null) {
        this.#fail({ kind: 'undecodable', detail: `content-encoding ${encoding.slice(0, 50)}` });
        return;
      }
    }
    this.#receiver.onStart(status, headers);
  }

  onBody(piece: Buffer): void {
    if (this.#isOver || this.#isRenewing) return;
    this.#isActive = true;
    if (this.#decoder === null) this.#deliver(piece);
    else if (!this.#decoder.write(piece)) {
      this.#isDecoderFull = true;
      this.#connection?.pause();
    }
  }

  #onDecoderDrained(): void {
    if (!this.#isDecoderFull) return;
    this.#isDecoderFull = false;
    this.#isActive = true;
    if (!this.#isOver && !this.#isPaused) this.#connection?.resume();
  }

  onComplete(): void {
    this.#connection = null;
    if (this.#isRenewing) {
      this.#isRenewing = false;
      this.#refused = this.token;
      this.start();
      return;
    }
    if (this.#decoder === null) this.#end();
    else this.#decoder.end();
  }

  onBroken(error: Error): void {
    this.#fail(describeFailure(error, this.#connection !== null));
  }

  #deliver(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#call.responseBytesMax) {
      this.#fail({ kind: 'oversize', detail: `more than ${this.#call.responseBytesMax} bytes` });
      return;
    }
    this.#receiver.onData(chunk);
  }

  #end(): void {
    if (this.#finish()) this.#receiver.onEnd();
  }

  #fail(failure: Omit<TransportFailure, 'isUnsent'>): void {
    if (!this.#finish()) return;
    const isUnsent = this.#connection === null && !this.#hasStarted && !this.#hasCrossed;
    this.#leave();
    this.#receiver.onFail({ ...failure, isUnsent });
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#carrier.forget(this);
    return true;
  }

  #leave(): void {
    this.#decoder?.destroy();
    this.#connection?.abort();
    this.#connection = null;
  }

  pause(): void {
    if (this.#isOver) return;
    this.#isPaused = true;
    this.#decoder?.pause();
    this.#connection?.pause();
  }

  resume(): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    this.#isActive = true;
    if (!wasPaused || this.#isOver) return;
    this.#decoder?.resume();
    if (!this.#isDecoderFull) this.#connection?.resume();
  }

  cancel(): void {
    if (this.#finish()) this.#leave();
  }

  sweep(nowMs: number): void {
    if (this.#isActive || this.#isPaused) {
      this.#isActive = false;
      this.#lastActiveMs = nowMs;
    }
    const { connectMs, firstByteMs, idleMs, totalMs } = this.#call.timeouts;
    const silentMs = nowMs - this.#lastActiveMs;
    if (nowMs - this.#startedMs > totalMs) this.#fail({ kind: 'overtime', detail: `over ${totalMs} ms in all` });
    else if (connectMs !== undefined && this.#connection === null && !this.#hasStarted && silentMs > connectMs) {
      this.#fail({ kind: 'timeout', detail: `not connected within ${connectMs} ms` });
    } else if (!this.#hasStarted && silentMs > firstByteMs) {
      this.#fail({ kind: 'timeout', detail: `no answer within ${firstByteMs} ms` });
    } else if (this.#hasStarted && silentMs > idleMs) {
      this.#fail({ kind: 'timeout', detail: `silent for ${idleMs} ms` });
    }
  }
}

function describeFailure(error: Error, isSent: boolean): Omit<TransportFailure, 'isUnsent'> {
  const detail = `${error.name}: ${error.message}`.slice(0, 300);
  if (error instanceof ConnectTimeout) return { kind: 'timeout', detail };
  return { kind: isSent ? 'reset' : 'unreachable', detail };
}

type TransportOptions = Readonly<{
  clock: Clock;
  /** Checks where connections to customers' upstreams lead. */
  guard: ConnectionGuard;
}>;

type Departure = Readonly<{ flight: UpstreamFlight; pool: Pool }>;

const UNSIGNED: readonly string[] = [];
const NOT_SIGNED: WireCall = { head: '', body: null };

class UpstreamTransport implements Transport, Carrier {
  readonly #clock: Clock;
  readonly #pools: Pools;
  readonly #tokens: Tokens;
  readonly #flights = new Roster<UpstreamFlight>();
  #departing: Departure[] = [];
  readonly #stopSweep: () => void;

  constructor({ clock, guard }: TransportOptions) {
    this.#clock = clock;
    this.#pools = new Pools(guard);
    this.#tokens = new Tokens((url, form) => postForm(this, url, form), clock);
    this.#stopSweep = clock.every(SWEEP_INTERVAL_MS, () => {
      const nowMs = clock.monotonicMs();
      this.#flights.each((flight) => flight.sweep(nowMs));
      this.#pools.sweep(SWEEP_INTERVAL_MS);
    });
  }

  send(call: TransportCall, receiver: Receiver): Flight {
    const flight = new UpstreamFlight(call, receiver, this, this.#clock.monotonicMs());
    this.#flights.add(flight);
    flight.start();
    return flight;
  }

  launch(flight: UpstreamFlight, call: TransportCall, refused: string | null): void {
    const { authorization } = call;
    const fail = (error: unknown): void => flight.failToStart(signingFailure(error));
    try {
      if (authorization === undefined) {
        this.#dispatch(flight, call, UNSIGNED);
        return;
      }
      const signature = signatureOf({ flight, refused, call, authorization }, this.#tokens, this.#clock.nowMs());
      if (signature instanceof Promise) signature.then((ready) => this.#dispatch(flight, call, ready)).catch(fail);
      else this.#dispatch(flight, call, signature);
    } catch (error) {
      fail(error);
    }
  }

  forget(flight: UpstreamFlight): void {
    this.#flights.remove(flight);
  }

  async close(): Promise<void> {
    this.#stopSweep();
    this.#flights.each((flight) => flight.cancel());
    this.#pools.destroy();
  }

  #dispatch(flight: UpstreamFlight, call: TransportCall, signature: readonly string[]): void {
    if (flight.isOver) return;
    const { pool, host, pathPrefix } = this.#pools.of(call.baseUrl, call.guardedFor ?? null);
    flight.wire = wireCall(call, signature, { host, pathPrefix });
    if (this.#departing.push({ flight, pool }) === 1) setImmediate(() => this.#depart());
  }

  /**
   * What the requests of one turn have become leaves together: every write wakes an upstream, whose answer would
   * otherwise have a turn of its own.
   */
  #depart(): void {
    const departing = this.#departing;
    this.#departing = [];
    for (const { flight, pool } of departing) if (!flight.isOver) pool.send(flight);
  }
}

export const createTransport = (options: TransportOptions): Transport => new UpstreamTransport(options);
