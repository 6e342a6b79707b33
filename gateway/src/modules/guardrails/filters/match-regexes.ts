// Runs the regular expressions of a rule set over the units of a request: in this thread where texts and patterns are
// so small that this takes less time than asking another thread, and in a thread with a deadline otherwise.

import { RE2JS } from 're2js';
import type { PatternPool } from '../regex/pattern-pool.ts';
import type { MatchSpan, Unit } from '../units.ts';
import { placesOf, type View, viewsOfWhole } from '../visible-text.ts';
import type { FilterRule } from './rule.ts';
import type { RegexRule, RuleSet } from './rule-set.ts';

export type RegexMatcher = Readonly<{
  pool: PatternPool;
  /** Characters times steps of the programs, at most, for matching on the spot. */
  inPlaceCostMax: number;
}>;

type RegexFindings = Readonly<{
  findings: readonly Readonly<{ rule: FilterRule; span: MatchSpan }>[];
  undecided: readonly FilterRule[];
}>;

/** A larger program takes milliseconds to compile. */
const IN_PLACE_STEPS_MAX = 200;

type UnitView = Readonly<{ unit: Unit; view: View }>;

/** Matches at once where the cost allows it. */
export function matchRegexes(
  ruleSet: RuleSet,
  units: readonly Unit[],
  parts: RegexParts,
): RegexFindings | Promise<RegexFindings> {
  const views: UnitView[] = [];
  for (let index = 0; index < units.length; index += 1) {
    const unit = units[index] as Unit;
    const own = viewsOfWhole(unit.text, ruleSet.orgId);
    if (own instanceof Promise) return matchLong(ruleSet, units, parts);
    for (const view of own) views.push({ unit, view });
  }
  return matchViews(ruleSet, views, parts);
}

type RegexParts = Readonly<{ matcher: RegexMatcher; isThorough: boolean }>;

async function matchLong(ruleSet: RuleSet, units: readonly Unit[], parts: RegexParts): Promise<RegexFindings> {
  const views: UnitView[] = [];
  for (const unit of units) {
    for (const view of await viewsOfWhole(unit.text, ruleSet.orgId)) views.push({ unit, view });
  }
  return matchViews(ruleSet, views, parts);
}

function matchViews(
  ruleSet: RuleSet,
  views: readonly UnitView[],
  { matcher, isThorough }: RegexParts,
): RegexFindings | Promise<RegexFindings> {
  const { regexes } = ruleSet;
  const length = views.reduce((sum, { view }) => sum + view.text.length, 0);
  const steps = regexes.reduce((sum, { programSize }) => sum + programSize, 0);
  if (steps <= IN_PLACE_STEPS_MAX && length * steps <= matcher.inPlaceCostMax) {
    return { findings: toFindings(matchInPlace(regexes, views), regexes, views), undecided: [] };
  }
  return matchInThread(matcher.pool, { ruleSet, views, isThorough }).then((found) =>
    found === null
      ? { findings: [], undecided: regexes.map(({ rule }) => rule) }
      : { findings: toFindings(found, regexes, views), undecided: [] },
  );
}

/** Compiled where they are first used, and forgotten with their rule set. */
const compiled = new WeakMap<RegexRule, RE2JS>();

function patternOf(regex: RegexRule): RE2JS {
  const known = compiled.get(regex);
  if (known !== undefined) return known;
  const pattern = RE2JS.compile(regex.source);
  compiled.set(regex, pattern);
  return pattern;
}

/** Pattern, view, start and end in turn, as a thread answers. */
function matchInPlace(regexes: readonly RegexRule[], views: readonly UnitView[]): readonly number[] {
  const found: number[] = [];
  for (const [index, regex] of regexes.entries()) {
    const pattern = patternOf(regex);
    for (const [place, { view }] of views.entries()) {
      if (!pattern.test(view.text)) continue;
      const matcher = pattern.matcher(view.text);
      while (matcher.find())
        if (matcher.end() > matcher.start()) found.push(index, place, matcher.start(), matcher.end());
    }
  }
  return found;
}

type Job = Readonly<{ ruleSet: RuleSet; views: readonly UnitView[]; isThorough: boolean }>;

async function matchInThread(
  pool: PatternPool,
  { ruleSet: { orgId, regexes }, views, isThorough }: Job,
): Promise<readonly number[] | null> {
  const reply = await pool.ask(orgId, {
    kind: 'match',
    sources: regexes.map(({ source }) => source),
    texts: views.map(({ view }) => view.text),
    needsPlaces: regexes.map(({ rule }) => isThorough || rule.action === 'redact'),
  });
  return reply?.found ?? null;
}

function toFindings(
  found: readonly number[],
  regexes: readonly RegexRule[],
  views: readonly UnitView[],
): RegexFindings['findings'] {
  const findings: { rule: FilterRule; span: MatchSpan }[] = [];
  for (let index = 0; index < found.length; index += 4) {
    const regex = regexes[found[index] ?? -1];
    const place = views[found[index + 1] ?? -1];
    if (regex === undefined || place === undefined) continue;
    const { unit, view } = place;
    const { start, end } = placesOf(view, { start: found[index + 2] ?? 0, end: found[index + 3] ?? 0 });
    findings.push({
      rule: regex.rule,
      span: { passage: unit.passage, start: unit.base + start, end: unit.base + end },
    });
  }
  return findings;
}
