// The only upstream I/O: sends a call to a provider and hands what comes back, piece by piece, to a receiver. Timeouts
// are one coarse sweep over all flights, because a timer per call costs more than the call's own bookkeeping.

import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors, Pool } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { createContentDecoder } from './content-decoder.ts';

export type TransportCall = Readonly<{
  baseUrl: string;
  path: string;
  headers: readonly string[];
  body: string | Buffer;
  timeouts: Readonly<{ firstByteMs: number; idleMs: number; totalMs: number }>;
  /** Bounds everything the upstream may send in answer, after decoding. */
  responseBytesMax: number;
}>;

export type TransportFailure = Readonly<{
  kind: 'unreachable' | 'reset' | 'timeout' | 'oversize' | 'undecodable';
  detail: string;
}>;

/** Exactly one of `onEnd` and `onFail` is called, last; neither after `cancel`. */
export type Receiver = {
  onStart(status: number, headers: IncomingHttpHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFail(failure: TransportFailure): void;
};

export type Flight = Readonly<{
  pause(): void;
  resume(): void;
  cancel(): void;
}>;

export type Transport = Readonly<{
  send(call: TransportCall, receiver: Receiver): Flight;
  close(): Promise<void>;
}>;

const SWEEP_INTERVAL_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_ORIGIN_MAX = 4_096;

class CancelledError extends Error {}

type Target = Readonly<{ pool: Pool; pathPrefix: string }>;

class UpstreamFlight implements Dispatcher.DispatchHandler {
  readonly #call: TransportCall;
  readonly #receiver: Receiver;
  readonly #onOver: (flight: UpstreamFlight) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #decoder: ReturnType<typeof createContentDecoder> = null;
  #isOver = false;
  #isPaused = false;
  #hasStarted = false;
  #bytes = 0;
  readonly #startedMs: number;
  #lastActiveMs: number;

  constructor(call: TransportCall, receiver: Receiver, nowMs: number, onOver: (flight: UpstreamFlight) => void) {
    this.#call = call;
    this.#receiver = receiver;
    this.#startedMs = nowMs;
    this.#lastActiveMs = nowMs;
    this.#onOver = onOver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(new CancelledError());
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver || status < 200) return;
    this.#hasStarted = true;
    this.#isActive = true;
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

  /** Set by traffic, cleared by the sweep: one write per chunk instead of one clock reading. */
  #isActive = false;

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#isActive = true;
    if (this.#decoder === null) this.#deliver(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#decoder === null) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
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

  #fail(failure: TransportFailure): void {
    if (!this.#finish()) return;
    this.#controller?.abort(new CancelledError());
    this.#receiver.onFail(failure);
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#onOver(this);
    return true;
  }

  pause(): void {
    if (this.#isOver) return;
    this.#isPaused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#isActive = true;
    if (!this.#isOver) this.#controller?.resume();
  }

  cancel(): void {
    if (!this.#finish()) return;
    this.#decoder?.destroy();
    this.#controller?.abort(new CancelledError());
  }

  sweep(nowMs: number): void {
    if (this.#isActive || this.#isPaused) {
      this.#isActive = false;
      this.#lastActiveMs = nowMs;
    }
    const { firstByteMs, idleMs, totalMs } = this.#call.timeouts;
    const silentMs = nowMs - this.#lastActiveMs;
    if (nowMs - this.#startedMs > totalMs) this.#fail({ kind: 'timeout', detail: `over ${totalMs} ms in all` });
    else if (!this.#hasStarted && silentMs > firstByteMs) {
      this.#fail({ kind: 'timeout', detail: `no answer within ${firstByteMs} ms` });
    } else if (this.#hasStarted && silentMs > idleMs) {
      this.#fail({ kind: 'timeout', detail: `silent for ${idleMs} ms` });
    }
  }
}

function describeFailure(error: Error, hasStarted: boolean): TransportFailure {
  const detail = `${error.name}: ${error.message}`.slice(0, 300);
  if (error instanceof errors.ConnectTimeoutError) return { kind: 'timeout', detail };
  return { kind: hasStarted || error instanceof errors.SocketError ? 'reset' : 'unreachable', detail };
}

export function createTransport(clock: Clock): Transport {
  const targets = new Map<string, Target>();
  const flights = new Set<UpstreamFlight>();
  const forget = (flight: UpstreamFlight): void => {
    flights.delete(flight);
  };
  const stopSweep = clock.every(SWEEP_INTERVAL_MS, () => {
    const nowMs = clock.monotonicMs();
    for (const flight of flights) flight.sweep(nowMs);
  });

  function targetOf(baseUrl: string): Target {
    let target = targets.get(baseUrl);
    if (target === undefined) {
      const url = new URL(baseUrl);
      const pool = new Pool(url.origin, {
        connections: CONNECTIONS_PER_ORIGIN_MAX,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: CONNECT_TIMEOUT_MS },
        maxHeaderSize: 16_384,
      });
      target = { pool, pathPrefix: url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '') };
      targets.set(baseUrl, target);
    }
    return target;
  }

  return {
    send(call, receiver) {
      const { pool, pathPrefix } = targetOf(call.baseUrl);
      const flight = new UpstreamFlight(call, receiver, clock.monotonicMs(), forget);
      flights.add(flight);
      pool.dispatch(
        { path: pathPrefix + call.path, method: 'POST', headers: call.headers as string[], body: call.body },
        flight,
      );
      return flight;
    },
    async close() {
      stopSweep();
      for (const flight of [...flights]) flight.cancel();
      await Promise.all([...targets.values()].map((target) => target.pool.destroy()));
    },
  };
}
