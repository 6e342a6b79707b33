// For how long a cache keeps what a call has written to it, where the provider does not say: an hour has a price of its
// own, and chat completions only count the tokens.

import type { Candidate } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import type { Usage } from '../../canonical/usage.ts';
import { codecOf } from '../../upstreams/registry.ts';
import { inspect } from '../forward.ts';

/** It is kept as long as was asked. The body is read again, because few calls come here, and some hours after asking. */
export function withHourWrites(usage: Usage, request: CanonicalRequest, candidate: Candidate): Usage {
  const { cacheWriteTokens, units } = usage;
  if (cacheWriteTokens === 0 || units?.cacheWriteHourTokens !== undefined) return usage;
  if (candidate.prices.base.cacheWriteHour === null) return usage;
  const format = codecOf(candidate, request)?.format;
  if (format !== 'chat' && format !== 'responses') return usage;
  if (inspect(request).cacheKept !== 'hour') return usage;
  return { ...usage, units: { ...units, cacheWriteHourTokens: cacheWriteTokens } };
}
