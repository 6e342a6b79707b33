// Phrases in groups, and rules on which groups must stand near each other to mean something. A single word rarely does:
// "bomb" is in history books and film reviews, and "how do I build" in every workshop. A rule may also name groups that
// speak against it; they count only in the sentences that fulfil the rule, because anybody can add a harmless one.

import { beginsSentence, locateLetters, placeOf, read } from './letters.ts';
import { buildTrie, hits, type PhraseTrie, scanPhrases } from './phrase-trie.ts';
import { mayFulfilRule, type TellingGroups, tellingGroups } from './telling-groups.ts';

type LexiconRule = Readonly<{
  /** What a text that fulfils the rule is: the name of a policy's category, or of a kind of attack. */
  category: string;
  /** The names of groups; a phrase of each must be there. */
  near: readonly string[];
  /** The most letters from the first phrase to the end of the last. */
  within?: number;
  /** They must come in this order. */
  isOrdered?: boolean;
  /** Groups that speak against the rule when they are as near. */
  unless?: readonly string[];
}>;

export type LexiconData = Readonly<{
  groups: Readonly<Record<string, readonly string[]>>;
  rules: readonly LexiconRule[];
}>;

/** Where a rule was fulfilled, in the text that was given. */
type LexiconMatch = Readonly<{ category: string; start: number; end: number }>;

export type Lexicon = Readonly<{
  /** Searches at most `SCAN_LENGTH_MAX` characters between the two places. */
  find(text: string, from: number, to: number): readonly LexiconMatch[];
}>;

const WITHIN_DEFAULT = 60;
/** No meaningful text has more in one piece. */
const MATCHES_MAX = 10_000;

type CompiledRule = Readonly<{
  category: string;
  near: readonly number[];
  within: number;
  isOrdered: boolean;
  unless: readonly number[];
}>;

type Compiled = Readonly<{
  telling: TellingGroups;
  trie: PhraseTrie;
  groupOf: Int32Array;
  rules: readonly CompiledRule[];
  groupCount: number;
}>;

export function compileLexicon({ groups, rules }: LexiconData): Lexicon {
  const names = Object.keys(groups);
  const phrases = names.flatMap((name, group) => (groups[name] ?? []).map((phrase) => ({ phrase, group })));
  const trie = buildTrie(phrases.map(({ phrase }) => phrase));
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
  const telling = tellingGroups({
    groups: names.map((name) => groups[name] ?? []),
    rules: compiled.map(({ near }) => near),
  });
  const lexicon = { telling, trie, groupOf, rules: compiled, groupCount: names.length };
  return { find: (text, from, to) => findMatches(lexicon, text, from, to) };
}

/** Compiled at the first use, for lexicons that few need. */
export function compileLexiconLater(read: () => LexiconData): Lexicon {
  let lexicon: Lexicon | null = null;
  return {
    find(text, from, to) {
      lexicon ??= compileLexicon(read());
      return lexicon.find(text, from, to);
    },
  };
}

const NONE: readonly LexiconMatch[] = [];

function findMatches(lexicon: Compiled, text: string, from: number, to: number): readonly LexiconMatch[] {
  if (!mayFulfilRule(lexicon.telling, text, from, to)) return NONE;
  scanPhrases(lexicon.trie, text, from, to);
  if (hits.count === 0) return NONE;
  sortByGroup(lexicon);
  let matches: LexiconMatch[] | null = null;
  for (let index = 0; index < lexicon.rules.length; index += 1) {
    const rule = lexicon.rules[index] as CompiledRule;
    if (!hasAll(rule.near)) continue;
    for (let anchor = firstOf(rule.near[0] as number); anchor < lastOf(rule.near[0] as number); anchor += 1) {
      if (!isFulfilled(rule, anchor)) continue;
      if (matches === null) {
        matches = [];
        locateLetters(text, from, to);
      }
      if (matches.push({ category: rule.category, ...placeOf(text, span.first, span.end) }) >= MATCHES_MAX)
        return matches;
    }
  }
  return matches ?? NONE;
}

/** Hits by group, those of a group in the order of their first letters; all scans share these lists. */
let bounds = new Int32Array(256);
let firsts = new Int32Array(0);
let ends = new Int32Array(0);

function sortByGroup({ groupOf, groupCount }: Compiled): void {
  if (bounds.length < groupCount + 2) bounds = new Int32Array(groupCount + 2);
  if (firsts.length < hits.phrase.length) {
    firsts = new Int32Array(hits.phrase.length);
    ends = new Int32Array(hits.phrase.length);
  }
  bounds.fill(0, 0, groupCount + 2);
  for (let hit = 0; hit < hits.count; hit += 1) {
    const after = (groupOf[hits.phrase[hit] as number] as number) + 2;
    bounds[after] = (bounds[after] as number) + 1;
  }
  for (let group = 2; group < groupCount + 2; group += 1) {
    bounds[group] = (bounds[group] as number) + (bounds[group - 1] as number);
  }
  for (let hit = 0; hit < hits.count; hit += 1) {
    const group = groupOf[hits.phrase[hit] as number] as number;
    const place = bounds[group + 1] as number;
    firsts[place] = hits.first[hit] as number;
    ends[place] = hits.end[hit] as number;
    bounds[group + 1] = place + 1;
  }
}

const firstOf = (group: number): number => bounds[group] as number;
const lastOf = (group: number): number => bounds[group + 1] as number;

function hasAll(groups: readonly number[]): boolean {
  for (let index = 0; index < groups.length; index += 1) {
    const group = groups[index] as number;
    if (firstOf(group) === lastOf(group)) return false;
  }
  return true;
}

/** The span from the anchor over the nearest phrase of each other group, and the hits that were chosen for it. */
const span = { first: 0, end: 0 };
const chosen: number[] = [];

/**
 * A contradicting phrase may stand in another sentence, which only gave the rule a nearer word. So the sentence of the
 * anchor is then judged alone.
 */
function isFulfilled(rule: CompiledRule, anchor: number): boolean {
  room.first = 0;
  room.end = read.letters;
  if (!reaches(rule, anchor)) return false;
  if (!isContradicted(rule)) return true;
  if (rule.near.length === 1) return false;
  const first = firsts[anchor] as number;
  const end = ends[anchor] as number;
  room.first = sentenceStart(first, 0);
  room.end = sentenceEnd(end, read.letters);
  return reaches(rule, anchor) && !isContradicted(rule);
}

/** The part of the text that hits may be chosen from. */
const room = { first: 0, end: 0 };

/** Sets the span; false when a phrase of one of the other groups is too far. */
function reaches(rule: CompiledRule, anchor: number): boolean {
  const { near } = rule;
  chosen[0] = anchor;
  span.first = firsts[anchor] as number;
  span.end = ends[anchor] as number;
  for (let index = 1; index < near.length; index += 1) {
    const nearest = nearestOf(rule, near[index] as number, index);
    if (nearest === -1) return false;
    chosen[index] = nearest;
    span.first = Math.min(span.first, firsts[nearest] as number);
    span.end = Math.max(span.end, ends[nearest] as number);
  }
  return true;
}

function nearestOf({ within, isOrdered }: CompiledRule, group: number, chosenCount: number): number {
  let nearest = -1;
  let shortest = within + 1;
  const last = lastOf(group);
  for (let hit = firstBeginning(group, span.end - within); hit < last; hit += 1) {
    const first = firsts[hit] as number;
    if (first > span.first + within) break;
    if (first < room.first || (ends[hit] as number) > room.end) continue;
    const length = Math.max(span.end, ends[hit] as number) - Math.min(span.first, first);
    if (length >= shortest || !isApart(hit, chosenCount, isOrdered)) continue;
    nearest = hit;
    shortest = length;
  }
  return nearest;
}

/** One place in the text counts for one group only. */
function isApart(hit: number, chosenCount: number, isOrdered: boolean): boolean {
  for (let index = 0; index < chosenCount; index += 1) {
    const other = chosen[index] as number;
    const isAfter = (firsts[hit] as number) >= (ends[other] as number);
    if (!isAfter && (isOrdered || (ends[hit] as number) > (firsts[other] as number))) return false;
  }
  return true;
}

/** The first hit of a group that does not begin before a letter. */
function firstBeginning(group: number, letter: number): number {
  let low = firstOf(group);
  let high = lastOf(group);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] as number) < letter) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Something in the sentences of the span, and near it, speaks against the rule. */
function isContradicted({ unless, within }: CompiledRule): boolean {
  if (unless.length === 0) return false;
  const from = sentenceStart(span.first, span.first - within);
  const to = sentenceEnd(span.end, span.end + within);
  for (let index = 0; index < unless.length; index += 1) {
    const group = unless[index] as number;
    const hit = firstBeginning(group, from);
    if (hit < lastOf(group) && (firsts[hit] as number) < to) return true;
  }
  return false;
}

/** The beginning of the letter's sentence, but not before `least`. */
function sentenceStart(letter: number, least: number): number {
  let first = letter;
  while (first > 0 && first > least && !beginsSentence(first)) first -= 1;
  return first;
}

function sentenceEnd(letter: number, most: number): number {
  let end = letter;
  while (end < read.letters && end <= most && !beginsSentence(end)) end += 1;
  return end;
}
