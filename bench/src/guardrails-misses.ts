// `tsx bench/src/guardrails-misses.ts`: the guardrails' errors among the texts that may be learnt from. Held-out texts
// are never shown, so that phrases are not fitted to them.

import { readInjections } from '../../gateway/src/modules/guardrails/guardrail-data.ts';
import { categoriesOf, readBuiltInPolicy } from '../../gateway/src/modules/guardrails/moderation/built-in.ts';
import { compileLexicon } from '../../gateway/src/modules/guardrails/phrases/lexicon.ts';
import { isHeldOut, readSets } from './guardrails-sets.ts';

const policy = readBuiltInPolicy();
const injections = compileLexicon(readInjections());

for (const labelled of readSets('moderation').filter((one) => !isHeldOut(one))) {
  const found = categoriesOf(policy, labelled.text);
  const isCaught = labelled.isViolating ? found.includes(labelled.set) : found.length > 0;
  if (isCaught !== labelled.isViolating) {
    console.log(
      `${labelled.isViolating ? 'missed' : 'false alarm'} ${labelled.set} [${found.join()}] ${labelled.text}`,
    );
  }
}
for (const labelled of readSets('injections').filter((one) => !isHeldOut(one))) {
  const found = injections.find(labelled.text, 0, labelled.text.length);
  if (found.length > 0 === labelled.isViolating) continue;
  const what = found.map(({ start, end }) => labelled.text.slice(start, end)).join(' | ');
  console.log(`${labelled.isViolating ? 'missed' : 'false alarm'} ${labelled.set} [${what}] ${labelled.text}`);
}
