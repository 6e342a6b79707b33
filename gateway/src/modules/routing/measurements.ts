// Measurements of a route. An average forgets with time and not with the number of calls, so a route that was slow
// yesterday is not called slow today; a route that was not used for long counts as never measured.

const HALF_LIFE_MS = 60_000;
/** However many calls there are, a new one moves the average by at least this much. */
const WEIGHT_MIN = 0.1;
/** An older figure says nothing about the present. */
const STALE_MS = 600_000;

export class DecayingAverage {
  #value = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  add(sample: number, nowMs: number): void {
    this.addMany(sample, 1, nowMs);
  }

  /** As if this many samples had come now, each equal to their mean. */
  addMany(mean: number, count: number, nowMs: number): void {
    const ageMs = nowMs - this.#atMs;
    const first = ageMs > STALE_MS ? 1 : Math.max(WEIGHT_MIN, 1 - 2 ** (-ageMs / HALF_LIFE_MS));
    const weight = 1 - (1 - first) * (1 - WEIGHT_MIN) ** (count - 1);
    this.#value += (mean - this.#value) * weight;
    this.#atMs = nowMs;
  }

  /** Null when it has not been measured recently. */
  read(nowMs: number): number | null {
    return nowMs - this.#atMs > STALE_MS ? null : this.#value;
  }
}

const SAMPLES_MAX = 128;

/** The newest samples, for the percentiles that people read. */
export class RecentSamples {
  readonly #samples = new Float64Array(SAMPLES_MAX);
  #count = 0;

  add(sample: number): void {
    this.#samples[this.#count % SAMPLES_MAX] = sample;
    this.#count += 1;
  }

  percentile(share: number): number | null {
    const size = Math.min(this.#count, SAMPLES_MAX);
    if (size === 0) return null;
    const sorted = this.#samples.slice(0, size).sort();
    return sorted[Math.min(size - 1, Math.floor(size * share))] ?? null;
  }
}
