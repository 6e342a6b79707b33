// `npm run bench:auto`: how often the auto router is right on prompts it has not learnt from, and what a decision
// costs.

import { type Accuracy, loadClassifier, measureAccuracy, type Share } from './auto-accuracy.ts';
import { inputOf, isHeldOut, type LabelledPrompt, readPrompts } from './auto-prompts.ts';

const WARM_UP_ROUNDS = 20;
const ROUNDS = 50;
const LONG_TEXT_CHARACTERS = 20_000;

const classifier = loadClassifier();

const percent = ({ right, all }: Share): string => `${((100 * right) / all).toFixed(1)} %`.padStart(8);

function printAccuracy(title: string, accuracy: Accuracy): void {
  console.log(`\n${title}: ${accuracy.scored.all} prompts`);
  console.log(`  ${percent(accuracy.scored)}  right`);
  console.log(`  ${percent(accuracy.promoted)}  right after promotion of doubtful results`);
}

function printShares(title: string, shares: ReadonlyMap<string, Share>): void {
  console.log(`\n${title}`);
  for (const [name, share] of shares) console.log(`  ${percent(share)}  ${name} (${share.right} of ${share.all})`);
}

/** The mean of many rounds over all prompts, after warming up. */
function microsecondsPerCall(prompts: readonly LabelledPrompt[]): number {
  const inputs = prompts.map(inputOf);
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) for (const input of inputs) classifier.classify(input);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) for (const input of inputs) classifier.classify(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (ROUNDS * inputs.length);
}

function longPrompts(prompts: readonly LabelledPrompt[]): LabelledPrompt[] {
  const everything = prompts.map(({ text }) => text).join('\n');
  return prompts.slice(0, 20).map((prompt, index) => {
    const start = (index * LONG_TEXT_CHARACTERS) % Math.max(1, everything.length - LONG_TEXT_CHARACTERS);
    return { ...prompt, text: everything.slice(start, start + LONG_TEXT_CHARACTERS) };
  });
}

const prompts = readPrompts();
const heldOut = prompts.filter(isHeldOut);
const accuracy = measureAccuracy(classifier, heldOut);

printAccuracy(
  'learnt from',
  measureAccuracy(
    classifier,
    prompts.filter((prompt) => !isHeldOut(prompt)),
  ),
);
printAccuracy('held out', accuracy);
printShares('held out, by tier', accuracy.byTier);
printShares('held out, by language', accuracy.byLanguage);
console.log('\nheld out, taken for another tier');
for (const [pair, times] of accuracy.confusions) console.log(`  ${String(times).padStart(3)}  ${pair}`);
console.log('\nCPU time of one decision');
console.log(`  ${microsecondsPerCall(prompts).toFixed(1)} us  on the labelled prompts`);
console.log(
  `  ${microsecondsPerCall(longPrompts(prompts)).toFixed(1)} us  on texts of ${LONG_TEXT_CHARACTERS} characters`,
);
