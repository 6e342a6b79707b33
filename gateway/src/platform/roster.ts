// Members that are under way, in no order. A `Set` will not do: V8 links each table that a set has outgrown to the next
// one, and as soon as one of them is in the old generation, everything that was ever in the set survives every young
// collection and is copied by it. A roster keeps nothing of members that have left.

/** Something that is in at most one roster. */
export type RosterMember = {
  /** Its place in the roster, set by the roster. */
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

  /** Does nothing for one that is not in it. */
  remove(member: Each): void {
    if (this.#members[member.place] !== member) return;
    const last = this.#members.pop() as Each;
    if (last === member) return;
    this.#members[member.place] = last;
    last.place = member.place;
  }

  /** Members may leave during the visit. */
  each(visit: (member: Each) => void): void {
    for (let index = this.#members.length - 1; index >= 0; index -= 1) {
      const member = this.#members[index];
      if (member !== undefined) visit(member);
    }
  }
}
