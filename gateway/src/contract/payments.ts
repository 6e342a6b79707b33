// Top-ups, as customers and the operator see them. Amounts in USD are JSON numbers; `total` is what is charged, in the
// units of `currency`.

import { type Static, Type } from '@sinclair/typebox';

export const TopUpBody = Type.Object(
  {
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'the credit to buy, in USD with at most two decimals',
    }),
    channel: Type.Optional(Type.String({ maxLength: 20, description: 'the currency to pay in' })),
    provider: Type.Optional(Type.String({ maxLength: 40, description: 'the name of a payment provider' })),
  },
  { additionalProperties: false },
);
export type TopUpBody = Static<typeof TopUpBody>;

export type TopUpPrice = Readonly<{
  /** The currency that is paid in. */
  channel: string;
  creditUsd: number;
  /** Ten percent of the credit. */
  feeUsd: number;
  /** Five percent of the credit where the channel is a local currency. */
  vatUsd: number;
  /** What makes whole cents of the sum; may be negative. */
  roundingUsd: number;
  totalUsd: number;
  currency: string;
  total: number;
  /** Units of the currency for one USD, as exact decimal text. */
  exchangeRate: string;
}>;

/** What can be ordered here. Without a provider nothing can: the operator gives credit. */
export type TopUpOptions = Readonly<{
  providers: readonly string[];
  /** USD comes first. */
  channels: readonly Readonly<{ channel: string; exchangeRate: string }>[];
  amountUsdMin: number;
  amountUsdMax: number;
  feePercent: number;
  /** Of channels other than USD. */
  vatPercent: number;
}>;

export type TopUpState = 'created' | 'expired' | 'paying' | 'paid';

export type TopUp = TopUpPrice &
  Readonly<{
    id: string;
    state: TopUpState;
    provider: string;
    /** Where to pay; null when it can no longer be paid. */
    checkoutUrl: string | null;
    createdAt: string;
    paidAt: string | null;
  }>;

/** `next` is the `after` of the following page; null on the last one. */
export type TopUpList = Readonly<{ data: readonly TopUp[]; next: string | null }>;

export type OperatorOrder = TopUp & Readonly<{ accountId: string; userId: string; sessionId: string | null }>;

export type OperatorOrderList = Readonly<{ data: readonly OperatorOrder[]; next: string | null }>;

export type TopUpReceipt = TopUpPrice &
  Readonly<{
    receiptNumber: string;
    issuer: string;
    accountId: string;
    provider: string;
    providerReference: string | null;
    paidAt: string;
  }>;
