// Time is passed in, because windows, leases and deadlines are tested by moving it. `nowMs` is the wall clock (UTC
// windows, records); `monotonicMs` is for durations and deadlines and never jumps.

export type Clock = Readonly<{
  nowMs(): number;
  monotonicMs(): number;
  /** Calls back every `intervalMs` until the returned function is called. Never keeps the process alive by itself. */
  every(intervalMs: number, run: () => void): () => void;
  sleep(durationMs: number): Promise<void>;
}>;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  },
  sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
};
