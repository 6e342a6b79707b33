// The moderator that needs nobody else: phrases and their company, from catalog/guardrails/policy. It is quick and local,
// and it sees only what is said in so many words; an operator who needs judgement connects a model for it.

import type { Passage } from '../../../canonical/passage.ts';
import { readPolicy } from '../guardrail-data.ts';
import { compileLexicon, type Lexicon } from '../phrases/lexicon.ts';
import { scanUnits, unitsOf } from '../units.ts';
import type { Moderator, Verdict } from './moderator.ts';

export type BuiltInPolicy = Lexicon;

export const readBuiltInPolicy = (): BuiltInPolicy => compileLexicon(readPolicy());

/** `categories`: those that are enforced. */
export function createBuiltInModerator(policy: BuiltInPolicy, categories: ReadonlySet<string>): Moderator {
  return (passages) => {
    const found = new Map<string, Set<number>>();
    const scanning = scanUnits(unitsOf(passages), (unit, from, to) => {
      for (const { category } of policy.find(unit.text, from, to)) {
        if (!categories.has(category)) continue;
        const places = found.get(category) ?? new Set();
        found.set(category, places.add(unit.passage));
      }
    });
    return scanning === undefined ? toVerdict(found) : scanning.then(() => toVerdict(found));
  };
}

function toVerdict(found: ReadonlyMap<string, ReadonlySet<number>>): Verdict | null {
  if (found.size === 0) return null;
  const passages = new Set([...found.values()].flatMap((places) => [...places]));
  return { categories: [...found.keys()].sort(), passages: [...passages].sort((left, right) => left - right) };
}

/** For measurements: what the policy says of one text. */
export function categoriesOf(policy: BuiltInPolicy, text: string): readonly string[] {
  const passages: readonly Passage[] = [{ origin: 'user', parts: [text] }];
  const [unit] = unitsOf(passages);
  const matches = unit === undefined ? [] : policy.find(unit.text, 0, unit.text.length);
  return [...new Set(matches.map(({ category }) => category))];
}
