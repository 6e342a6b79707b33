// The record of a refused call and the error that its caller gets. The record says who called, what they asked for and
// what they were told, without the prompt; a refusal for lack of money says how to pay.

import type { Caller } from '../canonical/caller.ts';
import type { Operation } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import { publicCode } from '../errors/catalogue.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Refusals } from '../modules/usage/refusals.ts';
import type { Clock } from '../platform/clock.ts';
import { appNameOf, GENERATION_HEADER } from './call.ts';

export type RefusalServices = Readonly<{ refusals: Pick<Refusals, 'note'> }>;

export type Refused = Readonly<{
  exchange: Exchange;
  operation: Operation;
  /** Undefined where the call was refused before its caller was known. */
  caller: Caller | undefined;
  modelName: string | undefined;
}>;

export function noteRefusal(
  { exchange, operation, caller, modelName }: Refused,
  thrown: unknown,
  { refusals, clock }: RefusalServices & Readonly<{ clock: Clock }>,
): void {
  const error = asApiError(thrown);
  refusals.note({
    atMs: clock.nowMs(),
    requestId: exchange.requestId,
    generationId: error.headers?.[GENERATION_HEADER] ?? null,
    accountId: caller?.accountId ?? null,
    userId: caller?.userId ?? null,
    keyId: caller?.keyId ?? null,
    operation,
    model: modelName ?? null,
    appName: appNameOf(exchange),
    status: error.status,
    code: String(publicCode(error.code)),
    message: error.message,
    durationMs: Math.round(performance.now() - exchange.startedMs),
  });
}

// A refusal for lack of money says how to go on: where to top up, or whom to ask.

export type PaymentAdviceServices = Readonly<{
  /** One sentence; null where nobody can pay here and there is nobody to ask. */
  paymentAdvice(): string | null;
}>;

export function withPaymentAdvice(thrown: unknown, { paymentAdvice }: PaymentAdviceServices): unknown {
  if (!(thrown instanceof ApiError) || thrown.code !== 'insufficient_credits') return thrown;
  const advice = paymentAdvice();
  return advice === null ? thrown : thrown.withMessage(`${thrown.message} ${advice}`);
}
