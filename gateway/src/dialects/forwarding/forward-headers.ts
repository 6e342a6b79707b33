// The headers that the upstream may see: lists of flags, of which only known ones are passed on. Agents send flags for
// everything that they might use, so an unknown one is no reason to refuse a call.

import { type FlagFate, policy } from './policy.ts';
import type { ForwardTerms } from './terms.ts';

const flagsOf: ReadonlyMap<string, ReadonlyMap<string, FlagFate>> = new Map(
  Object.entries(policy.headers).map(([header, flags]) => [header, new Map(Object.entries(flags))]),
);

/** Names and values in turn, before and after. */
export function forwardHeaders(headers: readonly string[], terms: ForwardTerms): readonly string[] {
  const sent: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const flags = flagsOf.get(name);
    const kept = (headers[index + 1] as string)
      .split(',')
      .map((flag) => flag.trim())
      .filter((flag) => isKept(flags?.get(flag), terms));
    if (kept.length > 0) sent.push(name, kept.join(','));
  }
  return sent;
}

function isKept(fate: FlagFate | undefined, terms: ForwardTerms): boolean {
  if (fate === undefined) return false;
  if (fate === 'hosted') return terms.hostedTools;
  if (fate === 'search') return terms.searches;
  if (fate === 'tiers') return terms.hasTiers;
  return typeof fate === 'string' ? fate === 'pass' : terms.offers(fate.extra, false);
}
