// Whether the server answers, for readiness and admission. Statements report what they saw; a probe on its own
// connection checks when a connection was lost, when a statement waits for long, or when nothing was heard for a while.
// A server that hangs counts as away like one that refuses, and everything that waits for it gets an error.

import type { Clock } from '../clock.ts';
import { asError, type Logger } from '../logger.ts';
import { Roster, type RosterMember } from '../roster.ts';

const TICK_MS = 250;
const QUIET_MS = 5_000;
/** A statement that waits for this long starts a probe; most take a few milliseconds. */
const SLOW_MS = 400;

export type Reachability = Readonly<{
  isReachable(): boolean;
  /**
   * Registers a statement, which is told if the server is found to be away before its end. Call the result when the
   * statement ends.
   */
  begin(onAway: (error: Error) => void): () => void;
  succeeded(): void;
  /** No connection could be made. */
  failed(error: unknown): void;
  /** One connection was lost, which may mean nothing: the server is probed. */
  doubt(): void;
  close(): void;
}>;

type Waiting = RosterMember & Readonly<{ sinceMs: number; onAway: (error: Error) => void }>;

/** Has the code of a lost connection, because callers must treat it as one. */
export const awayError = (cause?: unknown): Error =>
  Object.assign(new Error('the database is away', { cause }), { code: '08006' });

type ReachabilityInput = Readonly<{
  probe: () => Promise<void>;
  clock: Clock;
  logger: Logger;
  onAway?: () => void;
}>;

class Watch implements Reachability {
  readonly #input: ReachabilityInput;
  readonly #stop: () => void;
  #waiting = new Roster<Waiting>();
  #isReachable = true;
  #isProbing = false;
  #isClosed = false;
  #lastContactMs: number;

  constructor(input: ReachabilityInput) {
    this.#input = input;
    this.#lastContactMs = input.clock.monotonicMs();
    this.#stop = input.clock.every(TICK_MS, () => this.#tick());
  }

  readonly isReachable = (): boolean => this.#isReachable;

  begin(onAway: (error: Error) => void): () => void {
    const entry = { place: -1, sinceMs: this.#input.clock.monotonicMs(), onAway };
    this.#waiting.add(entry);
    return () => this.#waiting.remove(entry);
  }

  succeeded(): void {
    const { clock, logger } = this.#input;
    this.#lastContactMs = clock.monotonicMs();
    if (this.#isReachable) return;
    this.#isReachable = true;
    logger.info({}, 'database is back');
  }

  failed(error: unknown): void {
    if (!this.#isReachable) return;
    this.#isReachable = false;
    this.#input.logger.error({ error: asError(error) }, 'database is away');
    const waiting = this.#waiting;
    this.#waiting = new Roster();
    waiting.each(({ onAway }) => onAway(awayError(error)));
    this.#input.onAway?.();
  }

  doubt(): void {
    this.#lastContactMs = Number.NEGATIVE_INFINITY;
    this.#ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #tick(): void {
    const nowMs = this.#input.clock.monotonicMs();
    let isSlow = false;
    this.#waiting.each(({ sinceMs }) => {
      if (nowMs - sinceMs >= SLOW_MS) isSlow = true;
    });
    if (!this.#isReachable || nowMs - this.#lastContactMs >= (isSlow ? SLOW_MS : QUIET_MS)) this.#ask();
  }

  #ask(): void {
    if (this.#isProbing || this.#isClosed) return;
    this.#isProbing = true;
    const { probe, clock } = this.#input;
    const askedMs = clock.monotonicMs();
    probe()
      .then(
        () => this.succeeded(),
        // One probe that failed while statements were answered proves nothing about the server.
        (error: unknown) => (this.#lastContactMs > askedMs ? undefined : this.failed(error)),
      )
      .finally(() => {
        this.#isProbing = false;
      });
  }
}

export const watchReachability = (input: ReachabilityInput): Reachability => new Watch(input);
