// Lets only a number of tasks run at a time; the others wait for their turn, in the order in which they came, or in
// turns of those who want them.

export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createGate(atOnceMax: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running < atOnceMax) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  /** Gives the place to the next one who waits. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

export type SharedGate = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;

/** An owner whose tasks hang leaves places to others, who need not wait behind the rest of that owner's tasks. */
export function createSharedGate({
  atOnceMax,
  ofOwnerMax,
}: Readonly<{ atOnceMax: number; ofOwnerMax: number }>): SharedGate {
  /** By owner; the order of the map is the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  const runningOf = new Map<string, number>();
  let running = 0;
  const count = (owner: string, change: number): void => {
    const tasks = (runningOf.get(owner) ?? 0) + change;
    running += change;
    if (tasks === 0) runningOf.delete(owner);
    else runningOf.set(owner, tasks);
  };
  const mayRun = (owner: string): boolean => running < atOnceMax && (runningOf.get(owner) ?? 0) < ofOwnerMax;
  const wait = (owner: string): Promise<void> =>
    new Promise((resolve) => {
      const queue = waiting.get(owner) ?? [];
      waiting.set(owner, queue);
      queue.push(resolve);
    });
  const next = (): void => {
    for (const [owner, queue] of waiting) {
      if (!mayRun(owner)) continue;
      // An owner who had a turn goes to the end of the line.
      waiting.delete(owner);
      const start = queue.shift();
      if (queue.length > 0) waiting.set(owner, queue);
      count(owner, 1);
      start?.();
      return;
    }
  };
  return async (owner, work) => {
    if (mayRun(owner)) count(owner, 1);
    else await wait(owner);
    try {
      return await work();
    } finally {
      count(owner, -1);
      next();
    }
  };
}
