// Shares the one thread between long tasks. A long task does its work in pieces and asks for a turn before each: one
// piece is done in each round of the event loop, however many wait, and the owners of the tasks take turns, so that an
// owner with a hundred long texts delays only itself. Where several very long ones wait, most of the time is left to
// other calls.

/** A piece that waits, and whether the tasks rest after it. */
type Piece = Readonly<{ begin: () => void; hasRest: boolean }>;

/** By owner; the order of the map is the order of turns. */
const waiting = new Map<string, Piece[]>();
let waitingCount = 0;
let isScheduled = false;

/** Resolves when the owner's next piece may be done; a piece should take well under a millisecond. */
export function takeTurn(owner: string, hasRest = true): Promise<void> {
  return new Promise((begin) => {
    const queue = waiting.get(owner);
    if (queue === undefined) waiting.set(owner, [{ begin, hasRest }]);
    else queue.push({ begin, hasRest });
    waitingCount += 1;
    schedule();
  });
}

/** A long task: it tells before each piece how much that is, and waits for a turn where enough was done since the last. */
export class LongTask {
  readonly pieceMax: number;
  readonly #owner: string;
  #done = 0;
  #doneInAll = 0;

  constructor(owner: string, pieceMax: number) {
    this.#owner = owner;
    this.pieceMax = pieceMax;
  }

  /** Undefined where the piece may be done at once. */
  before(amount: number): Promise<void> | undefined {
    this.#done += amount;
    this.#doneInAll += amount;
    if (this.#done <= this.pieceMax) return undefined;
    this.#done = amount;
    return takeTurn(this.#owner, this.#doneInAll > RESTLESS_MAX);
  }
}

/** How many owners would have their turn before a newcomer, each for at most a millisecond and the rest after it. */
export const ownersWaiting = (): number => waiting.size;

/**
 * What a long prompt comes to, in characters or bytes. Its pieces are followed by no rest: most of those who send one
 * are honest, and would wait for each other while the process has nothing else to do.
 */
const RESTLESS_MAX = 131_072;

/**
 * After a piece of a longer task all rest: as long as it took where two wait, four times as long where five or more do.
 * What they leave behind for the garbage collector costs other calls more than their pieces, and comes less often. Time
 * that anything else has taken meanwhile counts as rest.
 */
const REST_FACTOR_MAX = 4;
/** Shorter rests than a timer can keep are saved up. */
const REST_MS_MIN = 4;
/** A piece that the system interrupted for long says nothing about the next. */
const REST_MS_MAX = 100;
/** How long they have to rest, and since when they do. */
let dueMs = 0;
let restingSinceMs = 0;

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  if (dueMs < REST_MS_MIN) setImmediate(giveNext);
  else setTimeout(giveNext, dueMs);
}

function giveNext(): void {
  isScheduled = false;
  const begunMs = performance.now();
  let restFactor = 0;
  dueMs = Math.max(0, dueMs - Math.max(0, begunMs - restingSinceMs));
  waitingCount -= 1;
  for (const [owner, queue] of waiting) {
    const piece = queue.shift();
    // The owner that had its turn goes to the end of the line.
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    piece?.begin();
    if (piece?.hasRest === true) restFactor = Math.min(waitingCount, REST_FACTOR_MAX);
    break;
  }
  // Runs when the owner's code, which goes on first, has done its piece.
  queueMicrotask(() => {
    restingSinceMs = performance.now();
    dueMs = Math.min(dueMs + Math.max(0, restingSinceMs - begunMs) * restFactor, REST_MS_MAX);
    schedule();
  });
}
