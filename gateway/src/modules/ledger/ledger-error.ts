// The answers of the ledger that a caller may see. An outage is a 503 that asks to come back, never a refusal of the
// key or of the money.

import { ApiError } from '../../errors/api-error.ts';
import type { AccountKind } from './store/slices.ts';

/** For logs and rethrowing: whatever was thrown, as an error. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const RETRY_AFTER_SECONDS = 2;

export function ledgerUnavailable(detail: string, cause?: unknown): ApiError {
  return new ApiError('http_503', 'The service is temporarily unavailable. Please try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    detail,
    cause,
  });
}

export function insufficientCredits(kind: AccountKind): ApiError {
  if (kind === 'monthly') {
    return new ApiError(
      'credit_limit_exceeded',
      "The organization's credit line is exhausted. Ask an administrator of the organization to raise it.",
    );
  }
  return new ApiError(
    'insufficient_credits',
    'Your credit balance cannot cover the estimated maximum cost of this request. Please top up, or ask for fewer tokens.',
  );
}
