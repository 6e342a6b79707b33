// Counts how much of large answers is in memory: answers being collected, incomplete events of streams, and what waits
// for slow clients. An answer that finds no room fails, because if it waited it would keep the room that others wait
// for.

import type { ServerResponse } from 'node:http';
import { failureToApiError, noRoom } from '../upstreams/failure.ts';

/** For all answers of a process. A little more is in use for a moment, while an answer is read and written. */
const BYTES_MAX = 256 * 1024 * 1024;

/** An answer up to this size is not counted; nearly all answers are far smaller. */
const SMALL_BYTES_MAX = 1024 * 1024;

export class AnswerRoom {
  readonly #bytesMax: number;
  readonly #byOwner = new Map<string, number>();
  heldBytes = 0;

  constructor(bytesMax = BYTES_MAX) {
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

  /** Whether an answer that finds no room would have it if its owner had no others. */
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
  readonly #room: AnswerRoom;
  readonly #owner: string;
  #isClosed = false;
  #isOver = false;
  bytes = 0;
  /** There was no room because of other owners' answers, not because of its owner's other answers. */
  isCrowdedOut = false;

  constructor(room: AnswerRoom, owner: string) {
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

/** For an answer that is sent whole: it takes room until its client has read it. Throws a 503 where there is none. */
export function takeUntilClosed(room: AnswerRoom, owner: string, bytes: number, response: ServerResponse): void {
  const taken = new TakenRoom(room, owner);
  if (!taken.cover(bytes)) throw failureToApiError(noRoom(taken.isCrowdedOut));
  response.once('close', () => taken.giveBack());
}
