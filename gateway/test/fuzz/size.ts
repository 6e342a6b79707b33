// How much is fuzzed: a moment in an ordinary run, as long as wanted by `npm run fuzz`.

const seconds = Number(process.env.TOLLGATE_FUZZ_SECONDS ?? '0');

/** Of this run; printed by `npm run fuzz`, which can be given it again. */
export const SEED = Number(process.env.TOLLGATE_FUZZ_SEED ?? '1');

/** Goes on while there is time left; the least is done however slow the machine is. */
export function createBudget(runsMin: number): () => boolean {
  const untilMs = performance.now() + seconds * 1_000;
  let runs = 0;
  return () => {
    runs += 1;
    return runs <= runsMin || performance.now() < untilMs;
  };
}

export const TIMEOUT_MS = seconds * 1_000 + 120_000;

/** Only a long run tells how much it did. */
export function report(name: string, runs: number): void {
  if (seconds > 0) process.stdout.write(`${name}: ${runs} inputs, seed ${SEED}\n`);
}
