// A doubtful result on the ladder of difficulty moves one step up: a model that is too good costs a little, one that is
// too weak spoils the answer. Tiers by kind (coding, vision, …) have no step above them and stay.

import type { AutoTier } from '../../../contract/config.ts';
import type { AutoScore } from './classifier.ts';

const LADDER: readonly AutoTier[] = ['simple', 'standard', 'complex', 'reasoning'];
const CONFIDENCE_MIN = 0.6;

type Promoted = Readonly<{ tier: AutoTier; promotedFrom: AutoTier | null }>;

export function promote({ tier, confidence }: Pick<AutoScore, 'tier' | 'confidence'>): Promoted {
  const step = LADDER.indexOf(tier);
  const above = step < 0 ? undefined : LADDER[step + 1];
  if (above === undefined || confidence >= CONFIDENCE_MIN) return { tier, promotedFrom: null };
  return { tier: above, promotedFrom: tier };
}
