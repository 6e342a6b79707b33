// What an organization has decided for its students. Times and numbers apply to codes and sessions made from now on;
// quotas apply to every session at once, so that lowering one stops sessions that are beyond it.

import type { JsonObject } from '../../canonical/json.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';

export type EduConfig = Readonly<{
  /** In normal form; a student's domain must be equal to one of them. */
  allowedDomains: readonly string[];
  sessionTtlSeconds: number;
  verificationTtlSeconds: number;
  maxSessionsPerEmailPerKey: number;
  /** What one session may use in all; null for no limit. */
  maxRequests: number | null;
  maxTokens: number | null;
  maxNanoUsd: NanoUsd | null;
}>;

/** Specification, Limits. Without a domain no student gets in. */
export const DEFAULT_CONFIG: EduConfig = {
  allowedDomains: [],
  sessionTtlSeconds: 86_400,
  verificationTtlSeconds: 900,
  maxSessionsPerEmailPerKey: 5,
  maxRequests: null,
  maxTokens: null,
  maxNanoUsd: null,
};

/** As administrators see it, and as the log keeps it. */
export function configObject({ maxNanoUsd, ...config }: EduConfig) {
  return { ...config, maxUsd: maxNanoUsd === null ? null : usdNumber(maxNanoUsd) } satisfies JsonObject;
}
