// Phrases in groups, and rules on which groups must stand near each other to mean something. A single word rarely does:
// "bomb" is in history books and film reviews, and "how do I build" in every workshop. A rule may also name groups that
// speak against it.

import {
  buildAutomaton,
  findPhrases,
  glance,
  type PhraseAutomaton,
  type PhraseHit,
  phrasesAt,
} from './phrase-automaton.ts';

export type LexiconRule = Readonly<{
  /** What a text that fulfils it is: the name of a policy's category, of a kind of attack. */
  category: string;
  /** The names of groups; a phrase of each must be there. */
  near: readonly string[];
  /** How many letters there may be from the first of them to the end of the last. */
  within?: number;
  /** They must come in this order. */
  isOrdered?: boolean;
  /** Groups that speak against it when they are as near. */
  unless?: readonly string[];
}>;

export type LexiconData = Readonly<{
  groups: Readonly<Record<string, readonly string[]>>;
  rules: readonly LexiconRule[];
}>;

/** Where a rule was fulfilled, in the text that was given. */
export type LexiconMatch = Readonly<{ category: string; start: number; end: number }>;

export type Lexicon = Readonly<{
  /** Of at most `SCAN_LENGTH_MAX` characters between the two places. */
  find(text: string, from: number, to: number): readonly LexiconMatch[];
}>;

const WITHIN_DEFAULT = 60;
/** More than a text that means anything holds in one piece. */
const MATCHES_MAX = 10_000;

type CompiledRule = Readonly<{
  category: string;
  near: readonly number[];
  within: number;
  isOrdered: boolean;
  unless: readonly number[];
}>;

export function compileLexicon({ groups, rules }: LexiconData): Lexicon {
  const names = Object.keys(groups);
  const phrases = names.flatMap((name, group) => (groups[name] ?? []).map((phrase) => ({ phrase, group })));
  const automaton = buildAutomaton(phrases.map(({ phrase }) => phrase));
  const groupOf = Int32Array.from(phrases, ({ group }) => group);
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index === -1) throw new Error(`a rule names the group ${name}, which does not exist`);
    return index;
  };
  const compiled = rules.map((rule) => ({
    category: rule.category,
    near: rule.near.map(indexOf),
    within: rule.within ?? WITHIN_DEFAULT,
    isOrdered: rule.isOrdered ?? false,
    unless: (rule.unless ?? []).map(indexOf),
  }));
  return {
    find: (text, from, to) =>
      findMatches({ automaton, groupOf, rules: compiled, groupCount: names.length }, text, from, to),
  };
}

/** Compiled when it is first asked, for those that few need. */
export function compileLexiconLater(read: () => LexiconData): Lexicon {
  let lexicon: Lexicon | null = null;
  return {
    find(text, from, to) {
      lexicon ??= compileLexicon(read());
      return lexicon.find(text, from, to);
    },
  };
}

type Compiled = Readonly<{
  automaton: PhraseAutomaton;
  groupOf: Int32Array;
  rules: readonly CompiledRule[];
  groupCount: number;
}>;

function findMatches(lexicon: Compiled, text: string, from: number, to: number): readonly LexiconMatch[] {
  const ends = glance(lexicon.automaton, text, from, to);
  if (ends !== null && !mayFulfil(lexicon, ends)) return [];
  const hits = findPhrases(lexicon.automaton, text, from, to);
  if (hits.length === 0) return [];
  const byGroup: (PhraseHit[] | undefined)[] = new Array(lexicon.groupCount);
  for (const hit of hits) {
    const group = lexicon.groupOf[hit.phrase] as number;
    const known = byGroup[group];
    if (known === undefined) byGroup[group] = [hit];
    else known.push(hit);
  }
  const matches: LexiconMatch[] = [];
  for (const rule of lexicon.rules) {
    if (matches.length >= MATCHES_MAX) break;
    if (rule.near.every((group) => byGroup[group] !== undefined)) fulfil(rule, byGroup, matches);
  }
  return matches;
}

/** Some rule has a phrase of each of its groups among what a first look has seen. */
function mayFulfil({ automaton, groupOf, rules, groupCount }: Compiled, ends: readonly number[]): boolean {
  if (ends.length === 0) return false;
  const isSeen = new Uint8Array(groupCount);
  for (const state of ends) {
    for (const phrase of phrasesAt(automaton, state)) isSeen[groupOf[phrase] as number] = 1;
  }
  // Plain loops: this runs for every text there is.
  for (const { near } of rules) {
    let count = 0;
    while (count < near.length && isSeen[near[count] as number] === 1) count += 1;
    if (count === near.length) return true;
  }
  return false;
}

type Hits = readonly (readonly PhraseHit[] | undefined)[];

function fulfil(rule: CompiledRule, hits: Hits, matches: LexiconMatch[]): void {
  const [first, ...others] = rule.near;
  for (const anchor of hits[first as number] ?? []) {
    const span = reach(rule, anchor, others, hits);
    if (span === null || isContradicted(rule, span, hits)) continue;
    matches.push({ category: rule.category, start: span.start, end: span.end });
    if (matches.length >= MATCHES_MAX) return;
  }
}

/** From the anchor over the nearest phrase of each other group, or null when one is too far. */
function reach(rule: CompiledRule, anchor: PhraseHit, others: readonly number[], hits: Hits): PhraseHit | null {
  const chosen = [anchor];
  let span = anchor;
  for (const group of others) {
    const nearest = nearestTo({ span, chosen, rule }, hits[group] ?? []);
    if (nearest === null) return null;
    chosen.push(nearest);
    span = join(span, nearest);
  }
  return span;
}

type Reached = Readonly<{ span: PhraseHit; chosen: readonly PhraseHit[]; rule: CompiledRule }>;

function nearestTo({ span, chosen, rule }: Reached, hits: readonly PhraseHit[]): PhraseHit | null {
  let nearest: PhraseHit | null = null;
  let shortest = rule.within + 1;
  for (let index = firstEnding(hits, span.endLetter - rule.within); index < hits.length; index += 1) {
    const hit = hits[index] as PhraseHit;
    if (hit.endLetter > span.firstLetter + rule.within) break;
    const length = Math.max(span.endLetter, hit.endLetter) - Math.min(span.firstLetter, hit.firstLetter);
    if (length >= shortest || !isApart(hit, chosen, rule.isOrdered)) continue;
    nearest = hit;
    shortest = length;
  }
  return nearest;
}

/** One place in the text stands for one group only. */
function isApart(hit: PhraseHit, chosen: readonly PhraseHit[], isOrdered: boolean): boolean {
  return chosen.every(
    (other) => hit.firstLetter >= other.endLetter || (!isOrdered && hit.endLetter <= other.firstLetter),
  );
}

/** Hits are in the order of their ends: the first that does not end before a letter. */
function firstEnding(hits: readonly PhraseHit[], letter: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle] as PhraseHit).endLetter < letter) low = middle + 1;
    else high = middle;
  }
  return low;
}

const join = (left: PhraseHit, right: PhraseHit): PhraseHit => ({
  phrase: left.phrase,
  firstLetter: Math.min(left.firstLetter, right.firstLetter),
  endLetter: Math.max(left.endLetter, right.endLetter),
  start: Math.min(left.start, right.start),
  end: Math.max(left.end, right.end),
});

function isContradicted({ unless, within }: CompiledRule, span: PhraseHit, hits: Hits): boolean {
  return unless.some((group) => {
    const speaking = hits[group] ?? [];
    const first = speaking[firstEnding(speaking, span.firstLetter - within)];
    return first !== undefined && first.firstLetter <= span.endLetter + within;
  });
}
