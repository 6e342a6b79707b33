// The only upstream I/O: sends a call to a provider and passes the answer, piece by piece, to a receiver. Timeouts are
// one coarse sweep over all flights, because a timer per call costs more than the rest of its bookkeeping.

import { Readable } from 'node:stream';
import { type buildConnector, type Dispatcher, errors } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { Roster, type RosterMember } from '../../platform/roster.ts';
import { readAnswerHeaders } from './answer-headers.ts';
import { Tokens } from './authorization.ts';
import { createContentDecoder } from './content-decoder.ts';
import { Pools } from './pools.ts';
import type { Flight, Receiver, Transport, TransportCall, TransportFailure } from './receiver.ts';
import { postForm, signatureOf, signingFailure } from './sign-call.ts';

/** What flights need of the transport. */
type Carrier = Readonly<{
  /** Signs the call and sends it; `refused` is a token that must not be used again. */
  launch(flight: UpstreamFlight, call: TransportCall, refused: string | null): void;
  forget(flight: UpstreamFlight): void;
}>;

const SWEEP_INTERVAL_MS = 250;

class CancelledError extends Error {}

/**
 * Speaks the older of undici's two handler interfaces, which hands over the headers as they came. The newer one is an
 * adapter on top of it that makes an object of all of them.
 */
class UpstreamFlight implements Dispatcher.DispatchHandler, RosterMember {
  place = -1;
  readonly #call: TransportCall;
  readonly #receiver: Receiver;
  readonly #carrier: Carrier;
  /** Null until the call is on a connection. */
  #abort: ((error: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #decoder: ReturnType<typeof createContentDecoder> = null;
  #isOver = false;
  #isPaused = false;
  #hasStarted = false;
  #bytes = 0;
  readonly #startedMs: number;
  #lastActiveMs: number;

  constructor(call: TransportCall, receiver: Receiver, carrier: Carrier, nowMs: number) {
    this.#call = call;
    this.#receiver = receiver;
    this.#carrier = carrier;
    this.#startedMs = nowMs;
    this.#lastActiveMs = nowMs;
  }

  /** A token that was refused, for which the call is sent once more with another. */
  #refused: string | null = null;
  #isRenewing = false;
  #token = '';

  start(): void {
    this.#carrier.launch(this, this.#call, this.#refused);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The token of the call; kept in case it is refused. */
  set token(token: string) {
    this.#token = token;
  }

  /** The call could not be sent at all. */
  failToStart(failure: Omit<TransportFailure, 'isUnsent'>): void {
    this.#fail(failure);
  }

  /** Once, and only where a token may have expired early. */
  #mayRenew(status: number): boolean {
    return status === 401 && this.#token !== '' && this.#refused === null;
  }

  onConnect(abort: (error?: Error) => void): void {
    if (this.#isOver) abort(new CancelledError());
    else this.#abort = abort;
  }

  /** Here and in `onData`, false holds further data back until `resume` is called. */
  onHeaders(status: number, stated: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    if (!this.#isOver && status >= 200) this.#begin(status, stated);
    return !this.#isPaused;
  }

  #begin(status: number, stated: readonly Buffer[]): void {
    this.#isActive = true;
    if (this.#mayRenew(status)) {
      this.#isRenewing = true;
      return;
    }
    this.#hasStarted = true;
    const headers = readAnswerHeaders(stated);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      this.#decoder = createContentDecoder(encoding, {
        onData: (chunk) => this.#deliver(chunk),
        onEnd: () => this.#end(),
        onFail: (detail) => this.#fail({ kind: 'undecodable', detail }),
      });
      if (this.#decoder === null) {
        this.#fail({ kind: 'undecodable', detail: `content-encoding ${String(encoding).slice(0, 50)}` });
        return;
      }
    }
    this.#receiver.onStart(status, headers);
  }

  /** Set by traffic, cleared by the sweep: a write per chunk instead of a reading of the clock. */
  #isActive = false;

  /** The chunks of one read: the small pieces of an upstream are passed on together. */
  #gathered: Buffer[] | null = null;

  onData(chunk: Buffer): boolean {
    if (!this.#isOver && !this.#isRenewing) this.#take(chunk);
    return !this.#isPaused;
  }

  #take(chunk: Buffer): void {
    this.#isActive = true;
    if (this.#decoder !== null) this.#decoder.write(chunk);
    else if (this.#receiver.isCollecting) this.#deliver(chunk);
    else if (this.#gathered !== null) this.#gathered.push(chunk);
    else {
      this.#gathered = [chunk];
      // Runs when the parser has finished the read.
      process.nextTick(handOn, this);
    }
  }

  handOn(): void {
    const gathered = this.#gathered;
    if (gathered === null) return;
    this.#gathered = null;
    const [first] = gathered;
    this.#deliver(gathered.length === 1 && first !== undefined ? first : Buffer.concat(gathered));
  }

  onComplete(): void {
    if (this.#isRenewing) {
      this.#isRenewing = false;
      this.#refused = this.#token;
      this.start();
      return;
    }
    this.handOn();
    if (this.#decoder === null) this.#end();
    else this.#decoder.end();
  }

  onError(error: Error): void {
    this.handOn();
    this.#fail(describeFailure(error, this.#hasStarted));
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
    this.#decoder?.destroy();
    this.#abort?.(new CancelledError());
    this.#receiver.onFail({ ...failure, isUnsent: this.#abort === null });
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#carrier.forget(this);
    return true;
  }

  pause(): void {
    if (this.#isOver) return;
    this.#isPaused = true;
  }

  resume(): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    this.#isActive = true;
    if (wasPaused && !this.#isOver) this.#resume?.();
  }

  cancel(): void {
    if (!this.#finish()) return;
    this.#decoder?.destroy();
    this.#abort?.(new CancelledError());
  }

  sweep(nowMs: number): void {
    if (this.#isActive || this.#isPaused) {
      this.#isActive = false;
      this.#lastActiveMs = nowMs;
    }
    const { connectMs, firstByteMs, idleMs, totalMs } = this.#call.timeouts;
    const silentMs = nowMs - this.#lastActiveMs;
    if (nowMs - this.#startedMs > totalMs) this.#fail({ kind: 'overtime', detail: `over ${totalMs} ms in all` });
    else if (connectMs !== undefined && this.#abort === null && silentMs > connectMs) {
      this.#fail({ kind: 'timeout', detail: `not connected within ${connectMs} ms` });
    } else if (!this.#hasStarted && silentMs > firstByteMs) {
      this.#fail({ kind: 'timeout', detail: `no answer within ${firstByteMs} ms` });
    } else if (this.#hasStarted && silentMs > idleMs) {
      this.#fail({ kind: 'timeout', detail: `silent for ${idleMs} ms` });
    }
  }
}

const handOn = (flight: UpstreamFlight): void => flight.handOn();

function describeFailure(error: Error, hasStarted: boolean): Omit<TransportFailure, 'isUnsent'> {
  const detail = `${error.name}: ${error.message}`.slice(0, 300);
  if (error instanceof errors.ConnectTimeoutError) return { kind: 'timeout', detail };
  return { kind: hasStarted || error instanceof errors.SocketError ? 'reset' : 'unreachable', detail };
}

/** A call without a body is a question. */
function bodyOf({ body, method }: TransportCall): string | Buffer | Readable | null {
  if (method === 'GET') return null;
  return isInMemory(body) ? body : Readable.from(body.open(), { objectMode: false });
}

const isInMemory = (body: TransportCall['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body);

function headersOf({ headers, body, method }: TransportCall, signature: readonly string[]): string[] {
  const signed = headers.concat(signature);
  if (method !== 'GET' && !isInMemory(body)) signed.push('content-length', String(body.byteLength));
  return signed;
}

type TransportOptions = Readonly<{
  clock: Clock;
  /** Opens connections to customers' upstreams. */
  guardedConnect: buildConnector.connector;
}>;

const UNSIGNED: readonly string[] = [];

class UpstreamTransport implements Transport, Carrier {
  readonly #clock: Clock;
  readonly #pools: Pools;
  readonly #tokens: Tokens;
  readonly #flights = new Roster<UpstreamFlight>();
  readonly #stopSweep: () => void;

  constructor({ clock, guardedConnect }: TransportOptions) {
    this.#clock = clock;
    this.#pools = new Pools(guardedConnect);
    this.#tokens = new Tokens((url, form) => postForm(this, url, form), clock);
    this.#stopSweep = clock.every(SWEEP_INTERVAL_MS, () => {
      const nowMs = clock.monotonicMs();
      this.#flights.each((flight) => flight.sweep(nowMs));
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
    if (authorization === undefined) {
      this.#dispatch(flight, call, UNSIGNED);
      return;
    }
    const fail = (error: unknown): void => flight.failToStart(signingFailure(error));
    try {
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
    await this.#pools.destroy();
  }

  #dispatch(flight: UpstreamFlight, call: TransportCall, signature: readonly string[]): void {
    if (flight.isOver) return;
    const { pool, pathPrefix } = this.#pools.of(call.baseUrl, call.guardedFor ?? null);
    const path = pathPrefix + call.path;
    pool.dispatch(
      { path, method: call.method ?? 'POST', headers: headersOf(call, signature), body: bodyOf(call) },
      flight,
    );
  }
}

export const createTransport = (options: TransportOptions): Transport => new UpstreamTransport(options);
