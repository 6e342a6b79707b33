// An organization's rules on what models answer: the same rules and actions as on requests, over whole answers and over
// streams. What regular expressions need a thread for is judged when all of the answer has come.

import type { OutputReview, ReviewedTexts } from '../../../canonical/answer.ts';
import { userPassage } from '../../../canonical/passage.ts';
import { rulesHit } from './decide.ts';
import { type Findings, type InspectParts, inspect } from './inspect.ts';
import { FilterWindow, reachOf } from './output-window.ts';
import { redaction } from './redact.ts';
import type { FilterRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

/** Beyond this, patterns are matched by a thread. */
const STREAMED_STEPS_MAX = 200;

export function createOutputReview(
  ruleSet: RuleSet,
  parts: InspectParts,
  noteHit: (rule: FilterRule) => void,
): OutputReview {
  const noted = new Set<string>();
  const refusalOf = (inspection: Findings): string | null => {
    const hit = rulesHit(ruleSet, inspection);
    for (const rule of hit) {
      if (!noted.has(rule.id)) noteHit(rule);
      noted.add(rule.id);
    }
    return refusalWords(hit, inspection);
  };
  const whole = (texts: readonly string[]): ReviewedTexts | Promise<ReviewedTexts> => {
    // Each text by itself: what ends one and begins the next belongs to different things.
    const passages = texts.map((text) => userPassage(text));
    const conclude = (inspection: Findings): ReviewedTexts => {
      const refusal = refusalOf(inspection);
      const spans = inspection.findings.filter(({ rule }) => rule.action === 'redact').map(({ span }) => span);
      if (refusal !== null || spans.length === 0) return { texts, refusal };
      const replace = redaction(passages, spans);
      return { texts: texts.map((text) => replace(text)), refusal };
    };
    const inspecting = inspect(ruleSet, passages, parts);
    return inspecting instanceof Promise ? inspecting.then(conclude) : conclude(inspecting);
  };
  const steps = ruleSet.regexes.reduce((sum, { programSize }) => sum + programSize, 0);
  if (steps > STREAMED_STEPS_MAX) return { whole, openWindow: null };
  const here: InspectParts = { ...parts, matcher: { ...parts.matcher, inPlaceCostMax: Number.POSITIVE_INFINITY } };
  const reach = reachOf(ruleSet);
  const inspectHere = (text: string): Findings => {
    const inspection = inspect(ruleSet, [userPassage(text)], here);
    // A window is never so long that it would be read in turns.
    return inspection instanceof Promise ? { findings: [], undecided: ruleSet.rules } : inspection;
  };
  return { whole, openWindow: () => new FilterWindow({ reach, inspect: inspectHere, refusalOf }) };
}

function refusalWords(hit: readonly FilterRule[], { undecided }: Findings): string | null {
  const blocking = hit.find(({ action }) => action === 'block');
  if (blocking !== undefined)
    return `The answer was blocked by the content filter "${blocking.name}" of your organization.`;
  const missing = undecided.find(({ action }) => action !== 'flag');
  if (missing === undefined) return null;
  return `The content filter "${missing.name}" of your organization could not be checked in time, so the answer was withheld.`;
}
