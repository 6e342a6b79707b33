// Shares the one thread between long tasks. A long task does its work in pieces and asks for a turn before each: one
// piece is done in each round of the event loop, however many wait, and the owners of the tasks take turns, so that an
// owner with a hundred long texts delays only itself. Where several wait, most of the time is left to other calls.

/** By owner; the order of the map is the order of turns. */
const waiting = new Map<string, (() => void)[]>();
let waitingCount = 0;
let isScheduled = false;

/** Resolves when the owner's next piece may be done; a piece should take well under a millisecond. */
export function takeTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    const queue = waiting.get(owner);
    if (queue === undefined) waiting.set(owner, [resolve]);
    else queue.push(resolve);
    waitingCount += 1;
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

/** How many owners would have their turn before a newcomer, each for at most a millisecond and the rest after it. */
export const ownersWaiting = (): number => waiting.size;

/**
 * After a piece the tasks rest: as long as it took where two wait, four times as long where five or more do. What they
 * leave behind for the garbage collector costs other calls more than their pieces, and comes less often. Time that
 * anything else takes counts as rest, and a round in which nothing else was done ends it: nobody is served by waiting.
 */
const REST_FACTOR_MAX = 4;
/** Shorter rests are saved up. */
const REST_MS_MIN = 4;
/** A piece that the system interrupted for long says nothing about the next. */
const REST_MS_MAX = 100;
/** A round of the event loop that took no longer was spent on asking the system whether there is anything to do. */
const EMPTY_ROUND_MS = 0.1;
/** How long they have to rest, and since when they do. */
let dueMs = 0;
let restingSinceMs = 0;

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  setImmediate(dueMs < REST_MS_MIN ? giveNext : rest);
}

function rest(): void {
  const restedMs = Math.max(0, performance.now() - restingSinceMs);
  restingSinceMs += restedMs;
  dueMs = restedMs <= EMPTY_ROUND_MS ? 0 : Math.max(0, dueMs - restedMs);
  isScheduled = false;
  schedule();
}

function giveNext(): void {
  isScheduled = false;
  const begunMs = performance.now();
  const restFactor = Math.min(waitingCount - 1, REST_FACTOR_MAX);
  dueMs = Math.max(0, dueMs - Math.max(0, begunMs - restingSinceMs));
  waitingCount -= 1;
  for (const [owner, queue] of waiting) {
    const resolve = queue.shift();
    // The owner that had its turn goes to the end of the line.
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    resolve?.();
    break;
  }
  // Runs when the owner's code, which goes on first, has done its piece.
  queueMicrotask(() => {
    restingSinceMs = performance.now();
    dueMs = Math.min(dueMs + Math.max(0, restingSinceMs - begunMs) * restFactor, REST_MS_MAX);
    schedule();
  });
}
