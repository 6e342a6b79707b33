// How often the guardrails are right, counted over labelled texts: how many violations are caught, and how many caught
// texts are harmless.

import { readInjections } from '../../gateway/src/modules/guardrails/guardrail-data.ts';
import { categoriesOf, readBuiltInPolicy } from '../../gateway/src/modules/guardrails/moderation/built-in.ts';
import { compileLexicon } from '../../gateway/src/modules/guardrails/phrases/lexicon.ts';
import type { LabelledText } from './guardrails-sets.ts';

export type Counts = { violating: number; caught: number; harmless: number; alarms: number };

export const recall = ({ violating, caught }: Counts): number => (violating === 0 ? 1 : caught / violating);
export const precision = ({ caught, alarms }: Counts): number =>
  caught + alarms === 0 ? 1 : caught / (caught + alarms);
export const alarmRate = ({ harmless, alarms }: Counts): number => (harmless === 0 ? 0 : alarms / harmless);

/** A violation counts as caught under its own category; a harmless text must not match any. */
export function measureModeration(texts: readonly LabelledText[]): ReadonlyMap<string, Counts> {
  const policy = readBuiltInPolicy();
  return countBySet(texts, ({ set, isViolating, text }) => {
    const found = categoriesOf(policy, text);
    return isViolating ? found.includes(set) : found.length > 0;
  });
}

export function measureInjections(texts: readonly LabelledText[]): ReadonlyMap<string, Counts> {
  const lexicon = compileLexicon(readInjections());
  return countBySet(texts, ({ text }) => lexicon.find(text, 0, text.length).length > 0);
}

export function totalOf(counts: ReadonlyMap<string, Counts>): Counts {
  const total: Counts = { violating: 0, caught: 0, harmless: 0, alarms: 0 };
  for (const one of counts.values()) {
    total.violating += one.violating;
    total.caught += one.caught;
    total.harmless += one.harmless;
    total.alarms += one.alarms;
  }
  return total;
}

function countBySet(
  texts: readonly LabelledText[],
  isCaught: (text: LabelledText) => boolean,
): ReadonlyMap<string, Counts> {
  const sets = new Map<string, Counts>();
  for (const text of texts) {
    const counts = sets.get(text.set) ?? { violating: 0, caught: 0, harmless: 0, alarms: 0 };
    sets.set(text.set, counts);
    const found = isCaught(text);
    if (text.isViolating) {
      counts.violating += 1;
      if (found) counts.caught += 1;
    } else {
      counts.harmless += 1;
      if (found) counts.alarms += 1;
    }
  }
  return sets;
}
