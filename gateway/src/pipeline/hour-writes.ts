// For how long a cache keeps what a call has written to it, where the provider does not say: an hour has a price of its
// own, and chat completions only count the tokens.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { Inspection } from '../canonical/request.ts';
import type { Usage } from '../canonical/usage.ts';
import { codecOf } from '../upstreams/registry.ts';

type Inspected = Candidate & Readonly<{ inspection?: Inspection }>;

/** It is kept as long as was asked. */
export function withHourWrites(usage: Usage, request: CanonicalRequest, candidate: Inspected): Usage {
  const { cacheWriteTokens, units } = usage;
  if (cacheWriteTokens === 0 || units?.cacheWriteHourTokens !== undefined) return usage;
  if (candidate.inspection?.asksForHour !== true || candidate.prices.base.cacheWriteHour === null) return usage;
  const format = codecOf(candidate, request)?.format;
  if (format !== 'chat' && format !== 'responses') return usage;
  return { ...usage, units: { ...units, cacheWriteHourTokens: cacheWriteTokens } };
}
