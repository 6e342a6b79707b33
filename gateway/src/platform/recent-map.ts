// A bounded map that drops entries that were not used recently. A hit costs one look-up and moves nothing: when the
// recent half is full it becomes the older half, and entries that are used again are carried over. Values may have
// tags, by which they are found without a search.

export type MapBounds<Value> = Readonly<{
  /**
   * The map holds at least half of this and never more: counted in values, or in their weights where those are given.
   */
  sizeMax: number;
  weightOf?(value: Value): number;
}>;

type RecentMapOptions<Value> = MapBounds<Value> & Readonly<{ tagsOf?(value: Value): readonly string[] }>;

type Half<Value> = {
  readonly values: Map<string, Value>;
  /** Keys by tag; most tags have one. Every key that is listed has a value with that tag. */
  readonly tagged: Map<string, string | Set<string>>;
  weight: number;
};

const newHalf = <Value>(): Half<Value> => ({ values: new Map(), tagged: new Map(), weight: 0 });

export class RecentMap<Value> {
  readonly #weightMax: number;
  readonly #halfWeight: number;
  readonly #weightOf: (value: Value) => number;
  readonly #tagsOf: (value: Value) => readonly string[];
  #recent = newHalf<Value>();
  #older = newHalf<Value>();

  constructor({ sizeMax, weightOf = () => 1, tagsOf = () => [] }: RecentMapOptions<Value>) {
    this.#weightMax = sizeMax;
    this.#halfWeight = Math.ceil(sizeMax / 2);
    this.#weightOf = weightOf;
    this.#tagsOf = tagsOf;
  }

  get(key: string): Value | undefined {
    const value = this.#recent.values.get(key);
    if (value !== undefined) return value;
    const old = this.#older.values.get(key);
    if (old === undefined) return undefined;
    this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const weight = this.#weightOf(value);
    if (this.#recent.weight + weight > this.#halfWeight) this.turn();
    const { values, tagged } = this.#recent;
    values.set(key, value);
    this.#recent.weight += weight;
    for (const tag of this.#tagsOf(value)) {
      const known = tagged.get(tag);
      if (known === undefined) tagged.set(tag, key);
      else if (typeof known !== 'string') known.add(key);
      else if (known !== key) tagged.set(tag, new Set([known, key]));
    }
    // A value that is heavier than a half replaces all others, and one that is too heavy for the map is not kept.
    if (this.#recent.weight + this.#older.weight > this.#weightMax) this.#older = newHalf();
    if (weight > this.#weightMax) this.#recent = newHalf();
  }

  delete(key: string): void {
    this.#deleteFrom(this.#recent, key);
    this.#deleteFrom(this.#older, key);
  }

  /** Everything that has the tag. */
  deleteTagged(tag: string): void {
    for (const half of [this.#recent, this.#older]) {
      const keys = half.tagged.get(tag);
      if (keys === undefined) continue;
      half.tagged.delete(tag);
      for (const key of typeof keys === 'string' ? [keys] : keys) this.#deleteFrom(half, key);
    }
  }

  /** Drops what was not used since the turn before this one. */
  turn(): void {
    this.#older = this.#recent;
    this.#recent = newHalf();
  }

  clear(): void {
    this.#recent = newHalf();
    this.#older = newHalf();
  }

  *values(): Iterable<Value> {
    yield* this.#recent.values.values();
    yield* this.#older.values.values();
  }

  get size(): number {
    return this.#recent.values.size + this.#older.values.size;
  }

  /** Tags of the values that are kept. */
  get tagCount(): number {
    return this.#recent.tagged.size + this.#older.tagged.size;
  }

  #deleteFrom(half: Half<Value>, key: string): void {
    const value = half.values.get(key);
    if (value === undefined) return;
    half.values.delete(key);
    half.weight -= this.#weightOf(value);
    // A half in which values come and go is never replaced by another, so nothing may be left of them.
    for (const tag of this.#tagsOf(value)) unlist(half.tagged, tag, key);
  }
}

function unlist(tagged: Map<string, string | Set<string>>, tag: string, key: string): void {
  const keys = tagged.get(tag);
  if (keys === key) tagged.delete(tag);
  else if (typeof keys === 'object' && keys.delete(key) && keys.size === 0) tagged.delete(tag);
}
