// Everything that reads a stranger's bytes, called by itself with mutations of kept samples: nothing throws but what is
// meant as a refusal, streams mean the same however they are cut, and no count of an upstream's is taken unless it is one.

import { expect, test } from 'vitest';
import { keepFinding, samplesOf } from './corpus.ts';
import { mutate, Random } from './mutate.ts';
import { createBudget, report, SEED, TIMEOUT_MS } from './size.ts';
import { TARGETS } from './targets.ts';

const RUNS_MIN = 400;

test.each(TARGETS)('FUZZ-2 FUZZ-3 $name', { timeout: TIMEOUT_MS }, ({ name, corpus, words, run }) => {
  const seeds = samplesOf(corpus);
  for (const seed of seeds) run(seed, new Random(0));
  const random = new Random(SEED);
  const goesOn = createBudget(RUNS_MIN);
  let runs = 0;
  for (; goesOn(); runs += 1) {
    const bytes = mutate(random, seeds, words);
    try {
      run(bytes, random);
    } catch (error) {
      expect.fail(`${keepFinding(corpus, bytes)}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  report(name, runs);
});
