// Lets only a number of tasks run at a time; the others wait for their turn, in the order in which they came, or in
// turns of those who want them.

import { Shares } from './shares.ts';

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

/** For reads of many megabytes from the database, which leave connections to those who need little. */
export const LARGE_READS = { atOnceMax: 3, ofOwnerMax: 1 };

type SharedGate = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;

/** An owner whose tasks hang leaves places to others, who need not wait behind the rest of that owner's tasks. */
export function createSharedGate({
  atOnceMax,
  ofOwnerMax,
}: Readonly<{ atOnceMax: number; ofOwnerMax: number }>): SharedGate {
  /** By owner; the order of the map is the order of turns. */
  const waiting = new Map<string, (() => void)[]>();
  const shares = new Shares(ofOwnerMax);
  let running = 0;
  const mayRun = (owner: string): boolean => running < atOnceMax && shares.hasRoom(owner);
  const begin = (owner: string): void => {
    shares.begin(owner);
    running += 1;
  };
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
      begin(owner);
      start?.();
      return;
    }
  };
  return async (owner, work) => {
    if (mayRun(owner)) begin(owner);
    else await wait(owner);
    try {
      return await work();
    } finally {
      shares.end(owner);
      running -= 1;
      next();
    }
  };
}
