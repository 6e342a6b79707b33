// Runs an organization's rules over the passages of a request and reports what they found, where, and which rules could
// not be checked in time. It decides nothing.

import type { Passage, PassageOrigin } from '../../../canonical/passage.ts';
import type { Lexicon } from '../phrases/lexicon.ts';
import { eachPhrase, hasPhrase } from '../phrases/phrase-trie.ts';
import { mayHold, PieceSearch } from '../templates/find-in-text.ts';
import type { Template } from '../templates/template.ts';
import { type MatchSpan, type Scanner, scanUnits, type Unit, unitsOf } from '../units.ts';
import { matchRegexes, type RegexMatcher } from './match-regexes.ts';
import type { FilterRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

type Finding = Readonly<{ rule: FilterRule; span: MatchSpan }>;

export type Findings = Readonly<{
  findings: readonly Finding[];
  /** Rules that were not checked in time, or whose list of findings would have been too long. */
  undecided: readonly FilterRule[];
}>;

export type InspectParts = Readonly<{
  injections: Lexicon;
  matcher: RegexMatcher;
  /** Find every match of every rule, and not only what decides about the request. */
  isThorough: boolean;
}>;

/** Answers at once, unless texts are long or a pattern needs a thread. */
export function inspect(
  ruleSet: RuleSet,
  passages: readonly Passage[],
  parts: InspectParts,
): Findings | Promise<Findings> {
  const units = unitsOf(passages);
  const list = new FindingList(parts.isThorough);
  const scanning = scanUnits(units, scannersOf(ruleSet, parts, list), ruleSet.orgId);
  const conclude = (): Findings | Promise<Findings> => {
    const { findings } = list;
    const undecided = [...list.overfull];
    // A request that is refused already needs no more checks.
    const isDecided = !parts.isThorough && findings.some(({ rule }) => rule.action === 'block');
    if (isDecided || ruleSet.regexes.length === 0) return { findings, undecided };
    const add = (matched: Findings): Findings => ({
      findings: [...findings, ...matched.findings],
      undecided: [...undecided, ...matched.undecided],
    });
    const matching = matchRegexes(ruleSet, units, parts);
    return matching instanceof Promise ? matching.then(add) : add(matching);
  };
  return scanning === undefined ? conclude() : scanning.then(conclude);
}

/** Beyond this the list would be larger than the text. */
const FINDINGS_MAX = 100_000;

/** What was found so far: every match where matches are shown or redacted, else only that there is one. */
class FindingList {
  readonly findings: Finding[] = [];
  readonly overfull = new Set<FilterRule>();
  readonly #isThorough: boolean;
  readonly #hit = new Set<FilterRule>();

  constructor(isThorough: boolean) {
    this.#isThorough = isThorough;
  }

  /** Whether a rule has anything left to find. */
  wants(rule: FilterRule): boolean {
    if (this.overfull.has(rule)) return false;
    return this.#isThorough || rule.action === 'redact' || !this.#hit.has(rule);
  }

  add(rule: FilterRule, { passage, base }: Unit, { start, end }: Readonly<{ start: number; end: number }>): void {
    if (!this.wants(rule)) return;
    this.#hit.add(rule);
    if (this.findings.length >= FINDINGS_MAX) this.overfull.add(rule);
    else this.findings.push({ rule, span: { passage, start: base + start, end: base + end } });
  }
}

/** One scanner for everything that is found in one pass over a text. */
function scannersOf(ruleSet: RuleSet, { injections }: InspectParts, list: FindingList): readonly Scanner[] {
  const { keywords, keywordRules, templates, templateRules } = ruleSet;
  const scanners: Scanner[] = [];
  if (keywords !== null) {
    scanners.push((unit, from, to) => {
      if (!keywordRules.some((rule) => list.wants(rule))) return;
      eachPhrase(keywords, unit.text, { from, to }, (phrase, place) =>
        list.add(keywordRules[phrase] as FilterRule, unit, place),
      );
    });
  }
  const search = new PieceSearch();
  for (const [index, rule] of templateRules.entries()) {
    const template = templates[index] as Template;
    scanners.push((unit, from, to) => {
      if (!list.wants(rule)) return;
      for (const found of search.find(template, unit.text, from, to)) list.add(rule, unit, found);
    });
  }
  if (ruleSet.injections.length > 0) {
    scanners.push((unit, from, to) => {
      if (!mayInject(unit.origin)) return;
      for (const match of injections.find(unit.text, from, to)) {
        for (const rule of ruleSet.injections) list.add(rule, unit, match);
      }
    });
  }
  return scanners;
}

/** Whether any rule, regular expressions aside, may find something in a text; answered at once. */
export function isSuspect(ruleSet: RuleSet, injections: Lexicon, text: string, origin: PassageOrigin): boolean {
  if (ruleSet.keywords !== null && hasPhrase(ruleSet.keywords, text)) return true;
  if (mayHold(ruleSet.templates, text)) return true;
  return ruleSet.injections.length > 0 && mayInject(origin) && injections.find(text, 0, text.length).length > 0;
}

/** A system prompt may quote an attack in order to forbid it, and the model's own words are not an attack. */
const mayInject = (origin: PassageOrigin): boolean => origin === 'user' || origin === 'tool';
