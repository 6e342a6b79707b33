// A bounded map that forgets what was not used lately. A hit costs one look-up and moves nothing: when the recent half
// is full it becomes the older half, and whatever is used again is carried over. Values may have tags, by which they are
// found without a look at the others.

type Half<Value> = Readonly<{
  values: Map<string, Value>;
  /** Keys by tag; most tags have one. A key that is gone from the values may still be here, and does no harm. */
  tagged: Map<string, string | Set<string>>;
}>;

const newHalf = <Value>(): Half<Value> => ({ values: new Map(), tagged: new Map() });

export class RecentMap<Value> {
  readonly #halfSize: number;
  readonly #tagsOf: (value: Value) => readonly string[];
  #recent = newHalf<Value>();
  #older = newHalf<Value>();

  /** Holds at least half of `sizeMax` and never more than it. */
  constructor(sizeMax: number, tagsOf: (value: Value) => readonly string[] = () => []) {
    this.#halfSize = Math.ceil(sizeMax / 2);
    this.#tagsOf = tagsOf;
  }

  get(key: string): Value | undefined {
    const value = this.#recent.values.get(key);
    if (value !== undefined) return value;
    const old = this.#older.values.get(key);
    if (old === undefined) return undefined;
    this.#older.values.delete(key);
    this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#recent.values.size >= this.#halfSize && !this.#recent.values.has(key)) {
      this.#older = this.#recent;
      this.#recent = newHalf();
    }
    const { values, tagged } = this.#recent;
    values.set(key, value);
    for (const tag of this.#tagsOf(value)) {
      const known = tagged.get(tag);
      if (known === undefined) tagged.set(tag, key);
      else if (typeof known !== 'string') known.add(key);
      else if (known !== key) tagged.set(tag, new Set([known, key]));
    }
  }

  delete(key: string): void {
    this.#recent.values.delete(key);
    this.#older.values.delete(key);
  }

  /** Everything that has the tag. */
  deleteTagged(tag: string): void {
    for (const { values, tagged } of [this.#recent, this.#older]) {
      const keys = tagged.get(tag);
      if (keys === undefined) continue;
      tagged.delete(tag);
      for (const key of typeof keys === 'string' ? [keys] : keys) values.delete(key);
    }
  }

  clear(): void {
    this.#recent = newHalf();
    this.#older = newHalf();
  }

  get size(): number {
    return this.#recent.values.size + this.#older.values.size;
  }
}
