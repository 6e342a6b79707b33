// What a call consumed, in one convention whatever the upstream's: `promptTokens` includes cached and cache-writing
// tokens, `completionTokens` includes reasoning. Every number here has been validated as a safe non-negative integer.

export type Usage = Readonly<{
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Kept for reporting only; they are part of the prompt or completion count. */
  promptAudioTokens: number;
  completionImageTokens: number;
}>;

export const zeroUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  promptAudioTokens: 0,
  completionImageTokens: 0,
};

/** An all-zero record counts as no usage at all: nothing is charged (failed-request protection). */
export function isZeroUsage(usage: Usage): boolean {
  return usage.promptTokens === 0 && usage.completionTokens === 0;
}
