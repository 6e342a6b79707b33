// What the version in a model's name says about it. From 4.7 on models decide themselves how much to think, and refuse
// a budget of tokens as well as every setting of sampling.

import type { Candidate } from '../../../canonical/model.ts';

/** `claude-opus-4-7`, `claude-4.7-opus`; a date that follows is no part of the version. */
const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i;
/** Models that think in any case, whatever their version. */
const ALWAYS_THINKING = /claude-(?:fable|mythos)/i;
const ADAPTIVE_SINCE = 4.7;
/** The only version that thinks by itself and can be told not to. */
const STOPPABLE = 5;

type Named = Readonly<{ upstreamModel: string; model: Pick<Candidate['model'], 'id'> }>;

export function isAdaptive({ upstreamModel, model }: Named): boolean {
  const names = [upstreamModel, model.id];
  return names.some((name) => ALWAYS_THINKING.test(name)) || versionOf(names) >= ADAPTIVE_SINCE;
}

/** Only for an adaptive model: whether it accepts a request not to think. Earlier ones think only when asked to. */
export function isStoppable({ upstreamModel, model }: Named): boolean {
  const names = [upstreamModel, model.id];
  return versionOf(names) === STOPPABLE && !names.some((name) => ALWAYS_THINKING.test(name));
}

/** The provider's name tells more than ours; zero where neither has a version. */
function versionOf(names: readonly string[]): number {
  for (const name of names) {
    const [, major, minor = '0'] = VERSION.exec(name) ?? [];
    if (major !== undefined) return Number(`${major}.${minor}`);
  }
  return 0;
}
