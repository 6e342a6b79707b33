// Which choices of a chat stream have begun and which have ended. All that were asked for make a whole answer. Some
// upstreams give fewer, which only their own end of the stream can tell from a stream that broke between two choices.

export class StreamChoices {
  readonly #askedCount: number;
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();

  constructor(askedCount: number) {
    this.#askedCount = askedCount;
  }

  /** Each of several may call tools or not, so their frames are all parsed. */
  get areSeveral(): boolean {
    return this.#askedCount > 1;
  }

  /** True the first time. */
  begin(index: number): boolean {
    if (this.#begun.has(index)) return false;
    this.#begun.add(index);
    return true;
  }

  /** Of one that has begun. */
  end(index: number): void {
    this.#ended.add(index);
  }

  /** All that have begun. */
  get haveEnded(): boolean {
    return this.#ended.size > 0 && this.#ended.size === this.#begun.size;
  }

  get areComplete(): boolean {
    return this.haveEnded && this.#ended.size >= this.#askedCount;
  }

  /** The first one where none has begun. */
  unended(): readonly number[] {
    return this.#begun.size === 0 ? [0] : [...this.#begun].filter((index) => !this.#ended.has(index));
  }
}
