// How fast a route is: what was measured here, and what other processes have measured, counted alike. New measurements
// are kept apart until they are sent to the others, so that none is sent back.

import { DecayingAverage } from './measurements.ts';

/** A number of samples and their mean. */
type Batch = Readonly<{ mean: number; count: number }>;

/** What processes tell each other of a route. */
export type RouteMeasurements = Readonly<{
  streamLatencyMs: Batch | null;
  wholeLatencyMs: Batch | null;
  tokensPerSecond: Batch | null;
}>;

class Figure {
  readonly #average = new DecayingAverage();
  #freshSum = 0;
  #freshCount = 0;

  measure(sample: number, nowMs: number): void {
    this.#average.add(sample, nowMs);
    this.#freshSum += sample;
    this.#freshCount += 1;
  }

  hear(batch: Batch | null, nowMs: number): void {
    if (batch !== null) this.#average.addMany(batch.mean, batch.count, nowMs);
  }

  read(nowMs: number): number | null {
    return this.#average.read(nowMs);
  }

  takeFresh(): Batch | null {
    if (this.#freshCount === 0) return null;
    const batch = { mean: this.#freshSum / this.#freshCount, count: this.#freshCount };
    this.#freshSum = 0;
    this.#freshCount = 0;
    return batch;
  }
}

export class RouteFigures {
  readonly #streamLatency = new Figure();
  readonly #wholeLatency = new Figure();
  readonly #throughput = new Figure();

  measureLatency(latencyMs: number, isStream: boolean, nowMs: number): void {
    (isStream ? this.#streamLatency : this.#wholeLatency).measure(latencyMs, nowMs);
  }

  measureThroughput(tokensPerSecond: number, nowMs: number): void {
    this.#throughput.measure(tokensPerSecond, nowMs);
  }

  /**
   * A stream's first piece and a whole answer cannot be compared, so they are measured apart; without the wanted kind
   * the other is used.
   */
  latencyMs(isStream: boolean, nowMs: number): number | null {
    const stream = this.#streamLatency.read(nowMs);
    const whole = this.#wholeLatency.read(nowMs);
    return isStream ? (stream ?? whole) : (whole ?? stream);
  }

  tokensPerSecond(nowMs: number): number | null {
    return this.#throughput.read(nowMs);
  }

  /** What was measured here since the last time; null when nothing was. */
  takeFresh(): RouteMeasurements | null {
    const streamLatencyMs = this.#streamLatency.takeFresh();
    const wholeLatencyMs = this.#wholeLatency.takeFresh();
    const tokensPerSecond = this.#throughput.takeFresh();
    if (streamLatencyMs === null && wholeLatencyMs === null && tokensPerSecond === null) return null;
    return { streamLatencyMs, wholeLatencyMs, tokensPerSecond };
  }

  hear({ streamLatencyMs, wholeLatencyMs, tokensPerSecond }: RouteMeasurements, nowMs: number): void {
    this.#streamLatency.hear(streamLatencyMs, nowMs);
    this.#wholeLatency.hear(wholeLatencyMs, nowMs);
    this.#throughput.hear(tokensPerSecond, nowMs);
  }
}
