// Lets only a number of tasks run at a time; the others wait for their turn, in the order in which they came.

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
