// Whether a text may fulfil a rule of a lexicon at all. Nearly every text asks for something or makes something, and few
// name a weapon: so only the groups of phrases that tell something are sought, and where a text lacks one of those that
// a rule needs, the rule need not be tried.

import { buildTrie } from './phrase-trie.ts';
import { createSieve, type Sieve, siftGroups } from './sieve.ts';

/** The phrases of each group, and the groups that each rule needs, by their places in the list. */
type Parts = Readonly<{ groups: readonly (readonly string[])[]; rules: readonly (readonly number[])[] }>;

export type TellingGroups = Readonly<{
  sieve: Sieve;
  /** By rule: those of its groups that tell something. */
  needed: readonly (readonly number[])[];
}>;

export function tellingGroups({ groups, rules }: Parts): TellingGroups {
  const inRules = new Set(rules.flat());
  const usedBy = new Map<string, number>();
  for (const group of inRules)
    for (const phrase of groups[group] ?? []) usedBy.set(phrase, (usedBy.get(phrase) ?? 0) + 1);
  const needed = rules.map((near) => tellingOf(near, (group) => commonness(groups[group] ?? [], usedBy)));
  const telling = new Set(needed.flat());
  const phrases = groups.flatMap((own, group) => (telling.has(group) ? own.map((phrase) => ({ phrase, group })) : []));
  const trie = buildTrie(phrases.map(({ phrase }) => phrase));
  const groupOf = Int32Array.from(phrases, ({ group }) => group);
  return { sieve: createSieve(trie, groupOf, groups.length), needed };
}

/** What one says about many things, such as "how do I" and "make", is in the groups of many rules. */
function commonness(phrases: readonly string[], usedBy: ReadonlyMap<string, number>): number {
  const others = phrases.reduce((sum, phrase) => sum + (usedBy.get(phrase) ?? 1) - 1, 0);
  return others / Math.max(1, phrases.length);
}

const TELLING_MAX = 0.25;

/** At least one. */
function tellingOf(near: readonly number[], commonnessOf: (group: number) => number): readonly number[] {
  const least = Math.min(...near.map(commonnessOf));
  return near.filter((group) => commonnessOf(group) <= Math.max(TELLING_MAX, least));
}

/** Of the text between the two places, which are at most `SCAN_LENGTH_MAX` apart. */
export function mayFulfilRule({ sieve, needed }: TellingGroups, text: string, from: number, to: number): boolean {
  if (!siftGroups(sieve, { text, from, to })) return false;
  for (let rule = 0; rule < needed.length; rule += 1) {
    if (areNamed(needed[rule] as readonly number[], sieve.named)) return true;
  }
  return false;
}

function areNamed(groups: readonly number[], named: Uint8Array): boolean {
  for (let index = 0; index < groups.length; index += 1) {
    if (named[groups[index] as number] === 0) return false;
  }
  return true;
}
