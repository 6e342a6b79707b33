// What a call that nobody pays for has cost us, by the best estimate there is: the upstream's own figures where it gave
// any, else what was delivered and what the time it took allows for. It decides who is kept out, so it errs neither to
// nothing, which would be free, nor beyond what was held, which no call can cost us unnoticed.

import type { PriceSchedule } from '../../canonical/price.ts';
import { isZeroUsage, type Units, type Usage, zeroUsage } from '../../canonical/usage.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { priceUsage } from './price-usage.ts';
import { lesser } from './slice.ts';

export type UnpaidCall = Readonly<{
  promptTokens: number;
  /** Of content, reasoning and tool arguments that came, by our count. */
  deliveredTokens: number;
  /** The upstream may work without showing it: a whole answer that was not waited for, reasoning that is kept back. */
  isHidden: boolean;
  /** What calls of the model usually write or think where it does not show; null where nothing is known. */
  usualTokens: number | null;
  /** Since the call was sent. */
  elapsedMs: number;
  /** As measured lately; null where nobody has. */
  tokensPerSecond: number | null;
  /** The most that the caller or the model allows, all choices together; null for no limit. */
  outputTokensMax: number | null;
  /** What is not counted in tokens, as far as it may have been done: pictures, searches. */
  units: Units;
  /** What the upstream has said so far; null where that is nothing. */
  reported: Usage | null;
  prices: PriceSchedule;
  completionMultiplier: number;
  heldNanoUsd: NanoUsd;
}>;

/** Faster than most models, so that hidden work is not taken for less than it is. */
const TOKENS_PER_SECOND = 100;

/** Of a model of which nothing is known. Upstreams seldom notice at once that nobody waits. */
const HIDDEN_TOKENS = 1_024;

export function unpaidCost(call: UnpaidCall): NanoUsd {
  const { reported, prices, completionMultiplier, heldNanoUsd } = call;
  const completionTokens = Math.max(outputTokens(call), reported?.completionTokens ?? 0);
  const known =
    reported === null || isZeroUsage(reported) ? { ...zeroUsage, promptTokens: call.promptTokens } : reported;
  const usage: Usage = { ...known, completionTokens, units: { ...call.units, ...known.units } };
  const { costNanoUsd } = priceUsage(usage, prices, { completionMultiplier });
  return lesser(costNanoUsd, heldNanoUsd);
}

function outputTokens(call: UnpaidCall): number {
  const { deliveredTokens, isHidden, usualTokens, elapsedMs, tokensPerSecond } = call;
  const most = call.outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (!isHidden) return Math.min(deliveredTokens, most);
  const worked = Math.ceil((elapsedMs / 1000) * Math.max(1, tokensPerSecond ?? TOKENS_PER_SECOND));
  return Math.min(Math.max(deliveredTokens, worked, usualTokens ?? HIDDEN_TOKENS), most);
}
