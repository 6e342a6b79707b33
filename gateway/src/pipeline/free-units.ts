// What a call counts for in a free quota: the longer its prompt and the more answers it wants, the more. Leaning to the high side, as reservations do,
// would cost a caller units that it never used, so a long prompt is measured; a short one is one unit either way.

import type { CanonicalRequest } from '../canonical/operation.ts';
import { midpoint } from '../modules/tokens/count.ts';
import { measurePrompt, readTurns, roughTotal } from './measure-prompt.ts';

const TOKENS_PER_UNIT = 8_192;

export function freeUnits(request: CanonicalRequest): number | Promise<number> {
  const { promptTokensEstimate, choiceCount } = request;
  if (promptTokensEstimate <= TOKENS_PER_UNIT) return choiceCount;
  if (request.operation !== 'chat') return unitsOf(promptTokensEstimate) * choiceCount;
  return measurePrompt(readTurns(request)).then((prompt) => unitsOf(midpoint(roughTotal(prompt))) * choiceCount);
}

function unitsOf(promptTokens: number): number {
  return Math.max(1, Math.ceil(promptTokens / TOKENS_PER_UNIT));
}
