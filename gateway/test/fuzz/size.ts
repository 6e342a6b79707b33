// How much is fuzzed: a moment in an ordinary run; with `npm run fuzz` as long or as many inputs as wanted. Inputs are
// made in blocks, each from its own number, so that several processes share the work and an interrupted run goes on
// where it was. Progress is kept in files, which `npm run fuzz` reads.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { Random } from './mutate.ts';

const variables = process.env;
const seconds = Number(variables.TOLLGATE_FUZZ_SECONDS ?? '0');
/** For each target. */
const inputs = Number(variables.TOLLGATE_FUZZ_INPUTS ?? '0');
/** For all targets of a family together. */
const TOTALS = {
  http: Number(variables.TOLLGATE_FUZZ_HTTP_TOTAL ?? '0'),
  decoder: Number(variables.TOLLGATE_FUZZ_DECODER_TOTAL ?? '0'),
};
const [share = 0, shares = 1] = (variables.TOLLGATE_FUZZ_SHARE ?? '0/1').split('/').map(Number);
const folder = variables.TOLLGATE_FUZZ_FOLDER ?? null;

/** Of this run; printed by `npm run fuzz`, which can be given it again. */
const SEED = Number(variables.TOLLGATE_FUZZ_SEED ?? '1');
const BLOCK_INPUTS = 1_000;
const NOTE_MS = 1_000;
/** After this time, work that waits in the process gets a turn. */
const TURN_MS = 50;

export type Share = Readonly<{
  name: string;
  family: keyof typeof TOTALS;
  /** Of a total of the family, from 0 to 1. */
  portion: number;
  /** In an ordinary run. */
  inputsLeast: number;
  /** How many inputs are tried at once. */
  atOnce: number;
}>;

const isOrdinary = seconds === 0 && inputs === 0 && TOTALS.http === 0;
/** Zero is no limit. */
export const TIMEOUT_MS = isOrdinary ? 600_000 : 0;

/** What one process has done of a target, in how much time of its own. */
type Progress = { name: string; family: string; seed: number; done: number; block: number; wanted: number; ms: number };

class Notes {
  readonly #file: string | null;
  readonly progress: Progress;
  #notedMs = performance.now();

  constructor({ name, family }: Share, wanted: number) {
    this.#file = folder === null ? null : join(folder, `${name.replaceAll(/\W+/g, '-')}.${share}.json`);
    const fresh = { name, family, seed: SEED, done: 0, block: share, wanted, ms: 0 };
    const isKnown = this.#file !== null && existsSync(this.#file);
    const kept = isKnown ? (JSON.parse(readFileSync(this.#file ?? '', 'utf8')) as Progress) : fresh;
    this.progress = { ...kept, wanted };
  }

  note(isLast = false): void {
    if (this.#file === null || (!isLast && performance.now() - this.#notedMs < NOTE_MS)) return;
    this.#notedMs = performance.now();
    mkdirSync(folder ?? '', { recursive: true });
    // An interruption finds the file from before or after this step.
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.progress));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Tries inputs until there are enough; an exception of `once` ends it. */
export async function fuzz(target: Share, once: (random: Random) => void | Promise<void>): Promise<void> {
  const total = isOrdinary ? target.inputsLeast : inputs || TOTALS[target.family] * target.portion;
  const wanted = seconds > 0 ? 0 : Math.ceil(total / shares);
  const notes = new Notes(target, wanted);
  const { progress } = notes;
  const untilMs = performance.now() + seconds * 1_000;
  const isEnough = (): boolean => (wanted > 0 ? progress.done >= wanted : performance.now() >= untilMs);
  let turnMs = performance.now();
  const endTurn = (): void => {
    const nowMs = performance.now();
    progress.ms += nowMs - turnMs;
    turnMs = nowMs;
  };

  const work = async (): Promise<void> => {
    while (!isEnough()) {
      const random = new Random(SEED, `${target.name} ${progress.block}`);
      progress.block += shares;
      for (let tried = 0; tried < BLOCK_INPUTS && !isEnough(); tried += 1) {
        const waiting = once(random);
        if (waiting !== undefined) await waiting;
        progress.done += 1;
        if (performance.now() - turnMs < TURN_MS) continue;
        endTurn();
        await nextRound();
        turnMs = performance.now();
        notes.note();
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: target.atOnce }, work));
  } finally {
    endTurn();
    notes.note(true);
  }
}
