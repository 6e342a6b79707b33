// What a student's session may still use of its requests and tokens. Money is no matter of this stage: an own upstream or
// a free model costs nothing and counts all the same.

import type { CanonicalRequest } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import type { QuotaRefusal, QuotaTake, StudentQuotas } from '../modules/edu/quotas.ts';
import type { Call } from './call.ts';
import { OUTPUT_TOKENS_DEFAULT } from './output-terms.ts';

export type QuotaServices = Readonly<{ edu: Readonly<{ quotas: StudentQuotas }> }>;

type Serve = (call: Call) => Promise<void>;

/** Runs the rest of the call within the session's quotas, or throws 429. Callers without any are not held up. */
export function withinQuota(call: Call, { edu }: QuotaServices, serve: Serve): Promise<void> {
  const { student, accountId: orgId, keyId: sessionId } = call.caller;
  if (student === undefined || (student.requestsMax === null && student.tokensMax === null)) return serve(call);
  const take = { orgId, sessionId, tokens: tokensMax(call.request), ...student };
  return serveWithin(call, edu.quotas, take, serve);
}

async function serveWithin(call: Call, quotas: StudentQuotas, take: QuotaTake, serve: Serve): Promise<void> {
  const refusal = await quotas.take(take);
  if (refusal !== null) throw usedUp(refusal);
  let isOver = false;
  const end = async (isAnswered: boolean): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await quotas.end(take, isAnswered);
  };
  let isAnswered = false;
  try {
    // Whoever has the answer may call again at once, and anywhere: by then it must be known what is left.
    await serve({ ...call, onSettled: () => end(true) });
    isAnswered = true;
  } finally {
    await end(isAnswered);
  }
}

/** The estimate that a reservation is made from, whoever will serve the call. */
function tokensMax({ operation, promptTokensEstimate, outputTokensMax, choiceCount }: CanonicalRequest): number {
  const outputTokens = operation === 'chat' ? (outputTokensMax ?? OUTPUT_TOKENS_DEFAULT) : 0;
  return promptTokensEstimate + outputTokens * choiceCount;
}

const WORDS: Readonly<Record<QuotaRefusal, string>> = {
  requests: 'This session has used all of its requests.',
  tokens: 'This session has too few tokens left for this request: ask for fewer, or wait for calls that are running.',
};

const usedUp = (refusal: QuotaRefusal): ApiError => new ApiError('http_429', WORDS[refusal], { isTerminal: true });
