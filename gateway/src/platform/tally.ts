// Counters and histograms for what happens on every call. The metrics library sorts and joins the labels on each step,
// which costs as much as a tenth of a call; here a step is a look-up and an addition, and text is made when asked for.

/** Two labels at most: the first has few values (routes, providers), the second few more (statuses, outcomes). */
export class CounterTally {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly [string, string];
  readonly #counts = new Map<string, Map<string | number, number>>();

  constructor(name: string, help: string, labels: readonly [string, string]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  add(first: string, second: string | number): void {
    let counts = this.#counts.get(first);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }

  render(): string {
    const [firstLabel, secondLabel] = this.#labels;
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} counter`];
    for (const [first, counts] of this.#counts) {
      for (const [second, count] of counts) {
        const labels = `${firstLabel}="${escapeLabel(first)}",${secondLabel}="${escapeLabel(String(second))}"`;
        lines.push(`${this.#name}{${labels}} ${count}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }
}

type Distribution = { readonly counts: number[]; sum: number; count: number };

export class HistogramTally {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #distributions = new Map<string, Distribution>();

  /** `bounds` ascend; what is above the last one counts in the total alone. */
  constructor(options: Readonly<{ name: string; help: string; label: string; bounds: readonly number[] }>) {
    this.#name = options.name;
    this.#help = options.help;
    this.#label = options.label;
    this.#bounds = options.bounds;
  }

  observe(labelValue: string, value: number): void {
    let distribution = this.#distributions.get(labelValue);
    if (distribution === undefined) {
      distribution = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
      this.#distributions.set(labelValue, distribution);
    }
    const index = this.#bounds.findIndex((bound) => value <= bound);
    if (index !== -1) distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    distribution.sum += value;
    distribution.count += 1;
  }

  render(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`];
    for (const [labelValue, { counts, sum, count }] of this.#distributions) {
      const label = `${this.#label}="${escapeLabel(labelValue)}"`;
      let cumulative = 0;
      for (const [index, bound] of this.#bounds.entries()) {
        cumulative += counts[index] ?? 0;
        lines.push(`${this.#name}_bucket{${label},le="${bound}"} ${cumulative}`);
      }
      lines.push(`${this.#name}_bucket{${label},le="+Inf"} ${count}`);
      lines.push(`${this.#name}_sum{${label}} ${sum}`, `${this.#name}_count{${label}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
