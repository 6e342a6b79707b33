// Fits the auto router's weights to the labelled prompts that may be learnt from, and writes them into the catalog. Run
// it after changing words, signals or prompts: `npm run fit:auto`. The held-out prompts are not looked at here.

import { writeFileSync } from 'node:fs';
import { AUTO_TIERS } from '../../gateway/src/contract/config.ts';
import { readWords } from '../../gateway/src/modules/routing/auto/auto-data.ts';
import { possibleTiers } from '../../gateway/src/modules/routing/auto/classifier.ts';
import { createSignalReader } from '../../gateway/src/modules/routing/auto/signals.ts';
import { inputOf, isHeldOut, readPrompts } from './auto-prompts.ts';
import { type Example, fit } from './auto-regression.ts';

const FILE = new URL('../../gateway/catalog/auto/weights.json', import.meta.url);
/** Chosen by cross-validation within the training part. */
const PENALTY = 1;
const ROUNDS = 400;

const reader = createSignalReader(readWords());

function examples(): Example[] {
  const prompts = readPrompts().filter((prompt) => !isHeldOut(prompt));
  return prompts.map((prompt) => {
    const input = inputOf(prompt);
    const signals = [...reader.read(input)].map((value, index) => ({ index, value }));
    return {
      signals: signals.filter(({ value }) => value !== 0),
      label: AUTO_TIERS.indexOf(prompt.tier),
      possible: possibleTiers(input.needs),
    };
  });
}

/**
 * Only differences between tiers count, so each row is shifted to a sum of zero, which makes a single weight readable.
 */
function centred(row: Float64Array): number[] {
  const mean = row.reduce((total, weight) => total + weight, 0) / row.length;
  return [...row].map((weight) => Math.round((weight - mean) * 100) / 100);
}

function text(rows: Readonly<Record<string, readonly number[]>>, bias: readonly number[]): string {
  const line = (name: string, row: readonly number[]): string => `    ${JSON.stringify(name)}: [${row.join(', ')}]`;
  return `{
  "tiers": ${JSON.stringify(AUTO_TIERS)},
  "bias": [${bias.join(', ')}],
  "weights": {
${Object.entries(rows)
  .map(([name, row]) => line(name, row))
  .join(',\n')}
  }
}
`;
}

const learnt = examples();
const { bias, weights } = fit(learnt, {
  signalCount: reader.names.length,
  labelCount: AUTO_TIERS.length,
  penalty: PENALTY,
  rounds: ROUNDS,
});
const rows = reader.names.map((name, index) => [name, centred(weights[index]!)] as const);
const telling = Object.fromEntries(rows.filter(([, row]) => row.some((weight) => weight !== 0)));
writeFileSync(FILE, text(telling, centred(bias)));
console.log(`fitted ${Object.keys(telling).length} signals to ${learnt.length} prompts`);
