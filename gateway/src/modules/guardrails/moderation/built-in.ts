// The moderator that needs nobody else: phrases and their company, from catalog/guardrails/policy. It is quick and local,
// and it sees only what is said in so many words; an operator who needs judgement connects a model for it.

import type { Judge } from '../../../canonical/moderation.ts';
import { passagesOf, userPassage } from '../../../canonical/passage.ts';
import { looksClean } from '../first-look.ts';
import { readPolicy } from '../guardrail-data.ts';
import { compileLexicon, type Lexicon } from '../phrases/lexicon.ts';
import { scanUnits, type Unit, unitsOf } from '../units.ts';
import type { Moderator, Verdict } from './moderator.ts';

export type BuiltInPolicy = Lexicon;

export const readBuiltInPolicy = (): BuiltInPolicy => compileLexicon(readPolicy());

/** `categories`: those that are enforced. */
export function createBuiltInModerator(policy: BuiltInPolicy, categories: ReadonlySet<string>): Moderator {
  const isSuspect = (text: string): boolean => policy.find(text, 0, text.length).length > 0;
  return (request, owner) => {
    if (looksClean(request, isSuspect, 1)) return null;
    const found = new Map<string, Set<number>>();
    const scan = (unit: Unit, from: number, to: number): void => {
      for (const { category } of policy.find(unit.text, from, to)) {
        if (!categories.has(category)) continue;
        const places = found.get(category) ?? new Set();
        found.set(category, places.add(unit.passage));
      }
    };
    const scanning = scanUnits(unitsOf(passagesOf(request)), [scan], owner);
    return scanning === undefined ? toVerdict(found) : scanning.then(() => toVerdict(found));
  };
}

function toVerdict(found: ReadonlyMap<string, ReadonlySet<number>>): Verdict | null {
  if (found.size === 0) return null;
  const passages = new Set([...found.values()].flatMap((places) => [...places]));
  return { categories: [...found.keys()].sort(), passages: [...passages].sort((left, right) => left - right) };
}

export function createJudge(policy: BuiltInPolicy): Judge {
  return async (texts, owner) => {
    const found = texts.map(() => new Set<string>());
    const scan = (unit: Unit, from: number, to: number): void => {
      for (const { category } of policy.find(unit.text, from, to)) found[unit.passage]?.add(category);
    };
    await scanUnits(unitsOf(texts.map((text) => userPassage(text))), [scan], owner);
    return found;
  };
}

/** For measurements: what the policy says of one text. */
export function categoriesOf(policy: BuiltInPolicy, text: string): readonly string[] {
  return [...new Set(policy.find(text, 0, text.length).map(({ category }) => category))];
}
