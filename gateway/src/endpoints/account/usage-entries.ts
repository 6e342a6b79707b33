// Sums in the API's form: USD numbers, and prompt and completion tokens together.

import type { AppUsage, KeyUsageEntry, ModelUsage, UsageFigures, UsageTotals } from '../../contract/usage.ts';
import type { Sums, SumsOfApp, SumsOfKey, SumsOfModel } from '../../modules/usage/report.ts';
import { usdNumber } from '../../platform/money.ts';

export function toTotals(sums: Sums): UsageTotals {
  return {
    ...toFigures(sums),
    promptTokens: sums.promptTokens,
    completionTokens: sums.completionTokens,
  };
}

export const toFigures = (sums: Sums): UsageFigures => ({
  spend: usdNumber(sums.spentNanoUsd),
  tokens: sums.promptTokens + sums.completionTokens,
  requests: sums.requests,
});

export const toModelUsage = (sums: SumsOfModel): ModelUsage => ({ model: sums.modelId, ...toFigures(sums) });

export const toKeyUsage = (sums: SumsOfKey): KeyUsageEntry => ({
  keyId: sums.keyId,
  keyName: sums.keyName,
  ...toFigures(sums),
});

export const toAppUsage = (sums: SumsOfApp): AppUsage => ({ appName: sums.appName, ...toFigures(sums) });
