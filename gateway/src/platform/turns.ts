// Shares the one thread between long tasks. A long task does its work in pieces and asks for a turn before each: one
// piece is done in each round of the event loop, however many wait, and the owners of the tasks take turns, so that an
// owner with a hundred long texts delays only itself.

/** By owner; the order of the map is the order of turns. */
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

/** Resolves when the owner's next piece may be done; a piece should take well under a millisecond. */
export function takeTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    const queue = waiting.get(owner);
    if (queue === undefined) waiting.set(owner, [resolve]);
    else queue.push(resolve);
    schedule();
  });
}

/** A long task: it tells before each piece how much that is, and waits for a turn where enough was done since the last. */
export class LongTask {
  readonly pieceMax: number;
  readonly #owner: string;
  #done = 0;

  constructor(owner: string, pieceMax: number) {
    this.#owner = owner;
    this.pieceMax = pieceMax;
  }

  /** Undefined where the piece may be done at once. */
  before(amount: number): Promise<void> | undefined {
    this.#done += amount;
    if (this.#done <= this.pieceMax) return undefined;
    this.#done = amount;
    return takeTurn(this.#owner);
  }
}

/** How many owners would have their turn before a newcomer: at most as many milliseconds of waiting. */
export const ownersWaiting = (): number => waiting.size;

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  setImmediate(giveNext);
}

function giveNext(): void {
  isScheduled = false;
  for (const [owner, queue] of waiting) {
    const resolve = queue.shift();
    // The owner that had its turn goes to the end of the line.
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    resolve?.();
    break;
  }
  schedule();
}
