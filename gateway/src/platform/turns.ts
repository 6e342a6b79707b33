// Turns of the one thread that runs everything. Whoever has long work does it in pieces and asks for a turn before each:
// one piece is done in one round of the event loop, however many wait, and the owners of the work take turns, so that an
// owner with a hundred long texts waits for itself and not everybody for it.

/** By owner; the order of the map is the order of turns. */
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

/** Resolved when the owner's next piece may be done; it should take well under a millisecond. */
export function takeTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    const queue = waiting.get(owner);
    if (queue === undefined) waiting.set(owner, [resolve]);
    else queue.push(resolve);
    schedule();
  });
}

/** Those who would have their turns before a newcomer: as many milliseconds, at the most, as it would wait. */
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
