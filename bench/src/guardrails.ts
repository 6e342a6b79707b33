// `npm run bench:guardrails`: what the built-in moderation and the prompt-injection template catch and miss, on texts
// that their phrases were fitted to and on texts that were held out, and what reviewing a text costs.

import {
  alarmRate,
  type Counts,
  measureInjections,
  measureModeration,
  precision,
  recall,
  totalOf,
} from './guardrails-accuracy.ts';
import { printCosts } from './guardrails-cost.ts';
import { isHeldOut, type LabelledText, readSets } from './guardrails-sets.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8);

type Measure = (texts: readonly LabelledText[]) => ReadonlyMap<string, Counts>;

function printTable(title: string, texts: readonly LabelledText[], measure: Measure): void {
  const counts = measure(texts);
  console.log(`\n${title}: ${texts.length} texts`);
  console.log('  precision    recall    alarms');
  for (const [name, one] of [...counts, ['all together', totalOf(counts)] as const]) {
    const figures = `${percent(precision(one))}  ${percent(recall(one))}  ${percent(alarmRate(one))}`;
    console.log(`  ${figures}   ${name} (${one.violating} violating, ${one.harmless} harmless)`);
  }
}

for (const [name, measure] of [
  ['moderation', measureModeration],
  ['injections', measureInjections],
] as const) {
  const texts = readSets(name);
  printTable(
    `${name}, fitted to`,
    texts.filter((one) => !isHeldOut(one)),
    measure,
  );
  printTable(`${name}, held out`, texts.filter(isHeldOut), measure);
  printTable(`${name}, written after the phrases were finished`, readSets(`${name}-unseen`), measure);
}
await printCosts();
