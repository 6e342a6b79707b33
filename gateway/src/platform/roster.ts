// Those that are under way, in no order. A `Set` would seem to do, but V8 links each table that a set has outgrown to the
// next one: as soon as one of them is in the old generation, all that was ever in the set survives every collection of
// the young one, and is copied by it. This keeps nothing of who has left.

/** Something that is in at most one roster. */
export type RosterMember = {
  /** Where it stands; the roster's own. */
  place: number;
};

export class Roster<Each extends RosterMember> {
  readonly #members: Each[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Each): void {
    member.place = this.#members.push(member) - 1;
  }

  /** Of one that is not in it nothing happens. */
  remove(member: Each): void {
    if (this.#members[member.place] !== member) return;
    const last = this.#members.pop() as Each;
    if (last === member) return;
    this.#members[member.place] = last;
    last.place = member.place;
  }

  /** Members may leave meanwhile. */
  each(visit: (member: Each) => void): void {
    for (let index = this.#members.length - 1; index >= 0; index -= 1) {
      const member = this.#members[index];
      if (member !== undefined) visit(member);
    }
  }
}
