// A refusal for lack of money names the way out: where to top up, or whom to ask.

import { ApiError } from '../errors/api-error.ts';

export type PaymentAdviceServices = Readonly<{
  /** A sentence; null where there is neither a way to pay here nor somebody to ask. */
  paymentAdvice(): string | null;
}>;

export function withPaymentAdvice(thrown: unknown, { paymentAdvice }: PaymentAdviceServices): unknown {
  if (!(thrown instanceof ApiError) || thrown.code !== 'insufficient_credits') return thrown;
  const advice = paymentAdvice();
  return advice === null ? thrown : thrown.withMessage(`${thrown.message} ${advice}`);
}
