// Everything that reads a stranger's bytes, called by itself with mutations of kept samples: nothing is thrown except
// refusals, streams mean the same however they are cut, and an upstream's count is used only when it is valid.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepFinding, samplesOf } from './corpus.ts';
import { mutate, Random, wordsOf } from './mutate.ts';
import { fuzz, TIMEOUT_MS } from './size.ts';
import { TARGETS, type Target } from './targets.ts';

const INPUTS_LEAST = 400;
const LINES_OF_STACK = Error.stackTraceLimit;
const WEIGHTS = TARGETS.reduce((sum, { weight = 1 }) => sum + weight, 0);

beforeAll(() => {
  // Refusals are errors too, and most of their time would go into stack traces that nobody reads.
  Error.stackTraceLimit = 0;
});

afterAll(() => {
  Error.stackTraceLimit = LINES_OF_STACK;
});

/** Why an input is a finding, with the place; null when it is none. */
function findingOf({ run }: Target, bytes: Buffer, words: string): string | null {
  try {
    run(bytes, new Random(0, words));
    return null;
  } catch (error) {
    return error instanceof Error ? String(error.stack) : String(error);
  }
}

// In turns, so that an interrupted run has done a part of each.
test.concurrent.each(TARGETS)('FUZZ-2 FUZZ-3 $name', { timeout: TIMEOUT_MS }, async (target) => {
  const { name, corpus, run, weight = 1 } = target;
  const [seeds, words] = [samplesOf(corpus), wordsOf(target.words)];
  for (const seed of seeds) run(seed, new Random(0));
  let tried: Buffer = Buffer.alloc(0);
  try {
    await fuzz(
      { name, family: 'decoder', portion: weight / WEIGHTS, inputsLeast: INPUTS_LEAST, atOnce: 1 },
      (random) => {
        tried = mutate(random, seeds, words);
        run(tried, random);
      },
    );
  } catch (error) {
    Error.stackTraceLimit = LINES_OF_STACK;
    // Where the cut of a stream mattered, another cut may not show it: the message of the first time is kept.
    const again = Array.from({ length: 50 }, (_, turn) => findingOf(target, tried, String(turn)));
    const stack = again.find((found) => found !== null) ?? String(error);
    expect.fail(`${keepFinding(corpus, tried)}: ${String(error)}\n${stack}`);
  }
});
