// A bounded map that forgets what was not used lately. A hit costs one look-up and moves nothing: when the recent half
// is full it becomes the older half, and whatever is used again is carried over.

export class RecentMap<Value> {
  readonly #halfSize: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();

  /** Holds at least half of `sizeMax` and never more than it. */
  constructor(sizeMax: number) {
    this.#halfSize = Math.ceil(sizeMax / 2);
  }

  get(key: string): Value | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const old = this.#older.get(key);
    if (old === undefined) return undefined;
    this.#older.delete(key);
    this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#halfSize && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: string): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  deleteWhere(isDoomed: (value: Value) => boolean): void {
    for (const half of [this.#recent, this.#older]) {
      for (const [key, value] of half) if (isDoomed(value)) half.delete(key);
    }
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }
}
