// Counts how much memory large things take: answers until their clients have them, bodies until their calls are over. What
// finds no room is refused, because if it waited it would keep the room that others wait for. Each owner leaves some to
// the others.

/** What is no larger is not counted; nearly everything is far smaller. */
export const SMALL_BYTES_MAX = 1024 * 1024;

export class MemoryRoom {
  readonly #bytesMax: number;
  readonly #byOwner = new Map<string, number>();
  heldBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * False where there is no room. An owner may have as much as stays free for the others: half of the room while it is
   * alone, a third when there are two. So some room is always left for the next owner.
   */
  take(owner: string, bytes: number): boolean {
    const ofOwner = this.#of(owner) + bytes;
    if (ofOwner > this.#bytesMax - this.heldBytes - bytes) return false;
    this.#byOwner.set(owner, ofOwner);
    this.heldBytes += bytes;
    return true;
  }

  /** Whether what finds no room would have it if its owner had nothing else. */
  isCrowdedBy(owner: string, bytes: number): boolean {
    const ofOthers = this.heldBytes - this.#of(owner);
    return bytes <= this.#bytesMax - ofOthers - bytes;
  }

  giveBack(owner: string, bytes: number): void {
    const left = this.#of(owner) - bytes;
    if (left === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, left);
    this.heldBytes -= bytes;
  }

  #of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }
}

/** What one answer has of the room. */
export class TakenRoom {
  readonly #room: MemoryRoom;
  readonly #owner: string;
  #isClosed = false;
  #isOver = false;
  bytes = 0;
  /** There was no room because of other owners' answers, not because of its owner's other answers. */
  isCrowdedOut = false;

  constructor(room: MemoryRoom, owner: string) {
    this.#room = room;
    this.#owner = owner;
  }

  /**
   * Has room for this much from now on, and no more than that. A stream asks before it takes what has come: a large
   * event counts until more is read, which is not before its client has got it.
   */
  cover(bytes: number): boolean {
    const needed = bytes > SMALL_BYTES_MAX ? bytes : 0;
    if (needed > this.bytes) return this.take(needed - this.bytes);
    if (needed < this.bytes) this.#room.giveBack(this.#owner, this.bytes - needed);
    this.bytes = needed;
    return true;
  }

  take(bytes: number): boolean {
    if (!this.#room.take(this.#owner, bytes)) {
      this.isCrowdedOut = !this.#room.isCrowdedBy(this.#owner, this.bytes + bytes);
      return false;
    }
    this.bytes += bytes;
    return true;
  }

  /** An answer is needed until its response is closed and its call is over, whichever comes last. */
  letGo(end: 'closed' | 'over'): void {
    if (end === 'closed') this.#isClosed = true;
    else this.#isOver = true;
    if (this.#isClosed && this.#isOver) this.giveBack();
  }

  giveBack(): void {
    this.cover(0);
  }
}
