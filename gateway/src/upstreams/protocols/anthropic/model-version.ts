// What the version in a model's name says about it. From 4.7 on models decide themselves how much to think, and refuse
// a budget of tokens as well as every setting of sampling; from 4.6 on they continue no answer, and from 5.5 on most of
// them cannot be made to call a tool.

import type { Candidate } from '../../../canonical/model.ts';

/** `claude-opus-4-7`, `claude-4.7-opus`; a date that follows is no part of the version. */
const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i;
/** Models that think in any case, whatever their version. */
const ALWAYS_THINKING = /claude-(?:fable|mythos)/i;
const ADAPTIVE_SINCE = 4.7;
const UNCONTINUED_SINCE = 4.6;
const SCHEMAS_SINCE = 4.5;
/** One earlier version has them, too. */
const SCHEMAS_BEFORE = 4.1;
/** The first version that thinks by itself; all of its models can be told not to. */
const STOPPABLE = 5;
/** The next one, of which each model is told in another way. */
const DIVERSE = 5.5;
const UNFORCEABLE_SINCE = 5.5;
const UNFORCEABLE_WHEN_THINKING_SINCE = 5.1;

export type NamedModel = Readonly<{ upstreamModel: string; model: Pick<Candidate['model'], 'id'> }>;

export function isAdaptive({ upstreamModel, model }: NamedModel): boolean {
  const names = [upstreamModel, model.id];
  return names.some((name) => ALWAYS_THINKING.test(name)) || versionOf(names) >= ADAPTIVE_SINCE;
}

/**
 * Only for an adaptive model: how it is told to think as little as it can. Null where it accepts no such word; models
 * of earlier versions think only when asked to.
 */
export function leastThinking({ upstreamModel, model }: NamedModel): 'disabled' | 'between_tools' | null {
  const names = [upstreamModel, model.id];
  const version = versionOf(names);
  if (names.some((name) => ALWAYS_THINKING.test(name))) return null;
  if (version === STOPPABLE) return 'disabled';
  if (version !== DIVERSE) return null;
  if (isOfKind(names, 'haiku')) return 'disabled';
  return isOfKind(names, 'sonnet') ? 'between_tools' : null;
}

/** Whether an answer may be given a schema. */
export function takesSchemas({ upstreamModel, model }: NamedModel): boolean {
  const version = versionOf([upstreamModel, model.id]);
  return version === 0 || version >= SCHEMAS_SINCE || version === SCHEMAS_BEFORE;
}

/** An answer is not continued: the user must have the last word. */
export function wantsLastWord({ upstreamModel, model }: NamedModel): boolean {
  const names = [upstreamModel, model.id];
  return names.some((name) => ALWAYS_THINKING.test(name)) || versionOf(names) >= UNCONTINUED_SINCE;
}

/** Whether it may think before a call that it is forced to make. */
export const thinksWhenForced = (named: NamedModel): boolean => versionOfModel(named) !== ADAPTIVE_SINCE;

/** Whether the choice of tools may force a call. */
export function takesForcedTools({ upstreamModel, model }: NamedModel): boolean {
  const names = [upstreamModel, model.id];
  if (isOfKind(names, 'haiku')) return true;
  const isAlwaysThinking = names.some((name) => ALWAYS_THINKING.test(name));
  return versionOf(names) < (isAlwaysThinking ? UNFORCEABLE_WHEN_THINKING_SINCE : UNFORCEABLE_SINCE);
}

/** The provider's name tells more than ours. */
const isOfKind = (names: readonly string[], kind: string): boolean =>
  names
    .find((name) => VERSION.test(name))
    ?.toLowerCase()
    .includes(kind) === true;

/** Zero where neither name has a version. */
export const versionOfModel = ({ upstreamModel, model }: NamedModel): number => versionOf([upstreamModel, model.id]);

/** The provider's name tells more than ours; zero where neither has a version. */
function versionOf(names: readonly string[]): number {
  for (const name of names) {
    const [, major, minor = '0'] = VERSION.exec(name) ?? [];
    if (major !== undefined) return Number(`${major}.${minor}`);
  }
  return 0;
}
