// Medians over the rounds, and ratios between them.

import { median } from './load/quantiles.ts';
import type { ByTarget } from './results.ts';
import type { TargetName } from './targets/target.ts';

/** Null where nothing was measured. */
export function middle<Round>(
  rounds: ByTarget<Round[]>,
  name: TargetName,
  pick: (round: Round) => number | null,
): number | null {
  const values = (rounds[name] ?? []).map(pick).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

export const quotient = (left: number | null, right: number | null): number | null =>
  left === null || right === null || right === 0 ? null : left / right;
