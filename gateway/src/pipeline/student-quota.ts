// Takes a call's share of the requests and tokens that a student's session has left. It does not look at money: calls
// to an own upstream or a free model cost nothing and count all the same.

import type { Caller } from '../canonical/caller.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import type { QuotaRefusal, QuotaTake, StudentQuotas } from '../modules/edu/quotas.ts';
import { OUTPUT_TOKENS_DEFAULT } from './money/output-terms.ts';

export type QuotaServices = Readonly<{ edu: Readonly<{ quotas: StudentQuotas }> }>;

/** Null for callers without a student quota, which are nearly all. */
export function quotaOf(caller: Caller, request: CanonicalRequest, { edu }: QuotaServices): StudentQuota | null {
  const { student, accountId: orgId, keyId: sessionId } = caller;
  if (student === undefined || (student.requestsMax === null && student.tokensMax === null)) return null;
  return new StudentQuota(edu.quotas, { orgId, sessionId, tokens: tokensMax(request), ...student });
}

/** One call's share of the session's quotas: taken before anything is sent, and ended once. */
export class StudentQuota {
  readonly #quotas: StudentQuotas;
  readonly #share: QuotaTake;
  #isOpen = false;

  constructor(quotas: StudentQuotas, share: QuotaTake) {
    this.#quotas = quotas;
    this.#share = share;
  }

  /** Throws 429 where the session has too little left. */
  async take(): Promise<void> {
    const refusal = await this.#quotas.take(this.#share);
    if (refusal !== null) throw usedUp(refusal);
    this.#isOpen = true;
  }

  async end(isAnswered: boolean): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#quotas.end(this.#share, isAnswered);
  }
}

/** The same estimate as for a reservation, whichever candidate will serve the call. */
function tokensMax({ operation, promptTokensEstimate, outputTokensMax, choiceCount }: CanonicalRequest): number {
  const outputTokens = operation === 'chat' ? (outputTokensMax ?? OUTPUT_TOKENS_DEFAULT) : 0;
  return promptTokensEstimate + outputTokens * choiceCount;
}

const WORDS: Readonly<Record<QuotaRefusal, string>> = {
  requests: 'This session has used all of its requests.',
  tokens: 'This session has too few tokens left for this request: ask for fewer, or wait for calls that are running.',
};

const usedUp = (refusal: QuotaRefusal): ApiError => new ApiError('http_429', WORDS[refusal], { isTerminal: true });
