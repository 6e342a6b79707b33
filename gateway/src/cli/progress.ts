// Shows the progress of long work on the last line of a terminal. Without a terminal nothing is shown: a bar in a log
// file is noise, and scripts read standard output.

/** Replaces the line that is being drawn; an empty text removes it. */
export type DrawLine = (text: string) => void;

export type Progress = Readonly<{
  /** This many steps of the total are done. */
  step(label: string, done: number, total: number): void;
  /** After a moment shows that something is being awaited, unless there is a bar already. */
  during<Result>(label: string, work: Promise<Result>): Promise<Result>;
  clear(): void;
}>;

const BAR_WIDTH = 24;
const TICK_MS = 1_000;

export function createProgress(drawLine: DrawLine | undefined): Progress {
  let isDrawn = false;
  let hasBar = false;
  const draw = (text: string): void => {
    isDrawn = text !== '';
    drawLine?.(text);
  };
  return {
    step(label, done, total) {
      hasBar = true;
      draw(`${label} ${bar(done, total)} ${done} of ${total}`);
    },
    async during(label, work) {
      if (drawLine === undefined) return work;
      let seconds = 0;
      const ticking = setInterval(() => {
        seconds += TICK_MS / 1_000;
        if (!hasBar) draw(`${label}: ${seconds} s`);
      }, TICK_MS);
      try {
        return await work;
      } finally {
        clearInterval(ticking);
      }
    },
    clear() {
      if (isDrawn) draw('');
    },
  };
}

function bar(done: number, total: number): string {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((Math.min(done, total) * BAR_WIDTH) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}
