// Answers that may be a few minutes old. A second request while an answer is being made waits for the same one; the
// least recently used are dropped when there are too many or they are too long.

import type { Clock } from '../../platform/clock.ts';

type AnswerCacheOptions = Readonly<{
  clock: Clock;
  ageMaxMs: number;
  answersMax: number;
  charactersMax: number;
}>;

type Entry = { readonly answer: Promise<string>; readonly madeMs: number; characters: number };

export class AnswerCache {
  readonly #options: AnswerCacheOptions;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(options: AnswerCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** An answer that fails is not kept. */
  get(name: string, make: () => Promise<string>): Promise<string> {
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#entries.get(name);
    if (known !== undefined) {
      this.#remove(name, known);
      if (nowMs - known.madeMs < this.#options.ageMaxMs) return this.#keep(name, known);
    }
    const entry: Entry = { answer: make(), madeMs: nowMs, characters: name.length };
    entry.answer.then(
      (text) => this.#measure(name, entry, text.length),
      () => this.#remove(name, entry),
    );
    return this.#keep(name, entry);
  }

  #keep(name: string, entry: Entry): Promise<string> {
    this.#entries.set(name, entry);
    this.#characters += entry.characters;
    this.#shrink();
    return entry.answer;
  }

  /** The length is known only now; the entry may have been dropped meanwhile. */
  #measure(name: string, entry: Entry, characters: number): void {
    if (this.#entries.get(name) !== entry) return;
    entry.characters += characters;
    this.#characters += characters;
    this.#shrink();
  }

  #remove(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    this.#characters -= entry.characters;
  }

  #shrink(): void {
    const { answersMax, charactersMax } = this.#options;
    for (const [name, entry] of this.#entries) {
      if (this.#entries.size <= answersMax && this.#characters <= charactersMax) return;
      this.#remove(name, entry);
    }
  }
}
