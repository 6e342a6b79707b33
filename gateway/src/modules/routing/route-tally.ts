// What was counted of a route since its last take, for its history: plain sums, because every call adds to them.

export type TallySums = Readonly<{
  calls: number;
  failures: number;
  latencyMsSum: number;
  latencyCount: number;
  tokensPerSecondSum: number;
  speedCount: number;
}>;

export class RouteTally {
  #calls = 0;
  #failures = 0;
  #latencyMsSum = 0;
  #latencyCount = 0;
  #tokensPerSecondSum = 0;
  #speedCount = 0;

  ended(isFailure: boolean): void {
    this.#calls += 1;
    if (isFailure) this.#failures += 1;
  }

  latency(latencyMs: number): void {
    this.#latencyMsSum += latencyMs;
    this.#latencyCount += 1;
  }

  speed(tokensPerSecond: number): void {
    this.#tokensPerSecondSum += tokensPerSecond;
    this.#speedCount += 1;
  }

  /** Null when nothing has happened since the last time. */
  take(): TallySums | null {
    if (this.#calls === 0 && this.#latencyCount === 0) return null;
    const sums = {
      calls: this.#calls,
      failures: this.#failures,
      latencyMsSum: this.#latencyMsSum,
      latencyCount: this.#latencyCount,
      tokensPerSecondSum: this.#tokensPerSecondSum,
      speedCount: this.#speedCount,
    };
    this.#calls = 0;
    this.#failures = 0;
    this.#latencyMsSum = 0;
    this.#latencyCount = 0;
    this.#tokensPerSecondSum = 0;
    this.#speedCount = 0;
    return sums;
  }
}

export const addTallies = (left: TallySums, right: TallySums): TallySums => ({
  calls: left.calls + right.calls,
  failures: left.failures + right.failures,
  latencyMsSum: left.latencyMsSum + right.latencyMsSum,
  latencyCount: left.latencyCount + right.latencyCount,
  tokensPerSecondSum: left.tokensPerSecondSum + right.tokensPerSecondSum,
  speedCount: left.speedCount + right.speedCount,
});
