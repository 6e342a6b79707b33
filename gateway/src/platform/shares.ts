// How many tasks of each owner are under way, where one whose tasks hang must leave places for the others. It only
// counts: whoever begins a task asks it first, and tells it of the beginning and the end.

export class Shares {
  readonly #ofOwnerMax: number;
  readonly #counts = new Map<string, number>();

  constructor(ofOwnerMax: number) {
    this.#ofOwnerMax = ofOwnerMax;
  }

  begin(owner: string): void {
    this.#counts.set(owner, this.of(owner) + 1);
  }

  end(owner: string): void {
    const count = this.of(owner) - 1;
    if (count <= 0) this.#counts.delete(owner);
    else this.#counts.set(owner, count);
  }

  hasRoom(owner: string): boolean {
    return this.of(owner) < this.#ofOwnerMax;
  }

  /** The owners who have no room for so many more. */
  without(room: number): readonly string[] {
    return [...this.#counts].filter(([, count]) => count + room > this.#ofOwnerMax).map(([owner]) => owner);
  }

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }

  /** Of these owners together; without them, of everybody. */
  ofAll(owners: Iterable<string> = this.#counts.keys()): number {
    let total = 0;
    for (const owner of owners) total += this.of(owner);
    return total;
  }
}
