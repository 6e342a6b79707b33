// What filters and guards have decided about one call, for its record. A stream's rule may be hit again and again and is noted
// once; how many notes there can be is bounded, as they come from rules and services of strangers.

import type { ReviewEntry, ReviewNotes } from '../canonical/generation.ts';

const ENTRIES_MAX = 32;

export class CallReviews implements ReviewNotes {
  #entries: ReviewEntry[] | null = null;

  /** Null while there are none. */
  get entries(): readonly ReviewEntry[] | null {
    return this.#entries;
  }

  note(entry: ReviewEntry): void {
    this.#entries ??= [];
    if (this.#entries.length < ENTRIES_MAX && !this.#entries.some((known) => isSame(known, entry)))
      this.#entries.push(entry);
  }
}

const isSame = (one: ReviewEntry, other: ReviewEntry): boolean =>
  one.by === other.by && one.name === other.name && one.of === other.of && one.outcome === other.outcome;
