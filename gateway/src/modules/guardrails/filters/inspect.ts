// Runs an organization's rules over the passages of a request and says what they found, where, and what could not be
// decided in time. It decides nothing itself.

import type { Passage } from '../../../canonical/passage.ts';
import type { Lexicon } from '../phrases/lexicon.ts';
import { findPhrases } from '../phrases/phrase-automaton.ts';
import { findInText } from '../templates/find-in-text.ts';
import { type Span, scanUnits, type Unit, unitsOf } from '../units.ts';
import { matchRegexes, type RegexMatcher } from './match-regexes.ts';
import type { FilterRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

export type Finding = Readonly<{ rule: FilterRule; span: Span }>;

export type Inspection = Readonly<{
  findings: readonly Finding[];
  /** Rules whose answer did not come in time. */
  undecided: readonly FilterRule[];
}>;

export type InspectParts = Readonly<{
  injections: Lexicon;
  matcher: RegexMatcher;
  /** Every match of every rule, and not only what decides about a request. */
  isThorough: boolean;
}>;

export async function inspect(
  ruleSet: RuleSet,
  passages: readonly Passage[],
  parts: InspectParts,
): Promise<Inspection> {
  const units = unitsOf(passages);
  const findings: Finding[] = [];
  const scanning = scanUnits(units, (unit, from, to) => scanSlice({ ruleSet, unit, from, to }, parts, findings));
  if (scanning !== undefined) await scanning;
  // What is refused already needs no more work.
  const isDecided = !parts.isThorough && findings.some(({ rule }) => rule.action === 'block');
  if (isDecided || ruleSet.regexes.length === 0) return { findings, undecided: [] };
  const matched = await matchRegexes(ruleSet, units, parts);
  return { findings: [...findings, ...matched.findings], undecided: matched.undecided };
}

type SliceOf = Readonly<{ ruleSet: RuleSet; unit: Unit; from: number; to: number }>;

function scanSlice({ ruleSet, unit, from, to }: SliceOf, { injections }: InspectParts, findings: Finding[]): void {
  const add = (rule: FilterRule, { start, end }: Readonly<{ start: number; end: number }>): void => {
    findings.push({ rule, span: { passage: unit.passage, start: unit.base + start, end: unit.base + end } });
  };
  if (ruleSet.keywords !== null) {
    for (const hit of findPhrases(ruleSet.keywords, unit.text, from, to)) {
      const rule = ruleSet.keywordRules[hit.phrase];
      if (rule !== undefined) add(rule, hit);
    }
  }
  const data = findInText(ruleSet.templates, unit.text, from, to);
  for (const [index, rule] of ruleSet.templateRules.entries()) for (const found of data[index] ?? []) add(rule, found);
  if (ruleSet.injections.length === 0 || !mayInject(unit)) return;
  for (const match of injections.find(unit.text, from, to)) {
    for (const rule of ruleSet.injections) add(rule, match);
  }
}

/** Whoever instructs the model may forbid in so many words what an attack asks for; what the model said is its own. */
const mayInject = ({ origin }: Unit): boolean => origin === 'user' || origin === 'tool';
