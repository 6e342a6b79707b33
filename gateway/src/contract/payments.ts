// Top-ups, as customers and the operator see them. Amounts in USD are JSON numbers; `total` is charged, in the units of
// `currency`.

import { type Static, Type } from '@sinclair/typebox';
import { flag, listOf, moment, named, nextPage, number, oneOf, orNull, type Shape, text, usd } from './shape.ts';

export const TopUpBody = Type.Object(
  {
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'the credit to buy, in USD with at most two decimals',
    }),
    channel: Type.Optional(Type.String({ maxLength: 20, description: 'the currency to pay in' })),
    provider: Type.Optional(Type.String({ maxLength: 40, description: 'the name of a payment provider' })),
  },
  { additionalProperties: false, title: 'TopUpBody' },
);
export type TopUpBody = Static<typeof TopUpBody>;

const priceFields = {
  channel: text('The currency that is paid in.'),
  creditUsd: usd('What is credited.'),
  feeUsd: usd('Ten percent of the credit.'),
  vatUsd: usd('Five percent of the credit where the channel is a local currency.'),
  roundingUsd: usd('What makes whole cents of the sum; may be negative.'),
  totalUsd: usd('The sum.'),
  currency: text('The same as the channel.'),
  total: number('What is charged, in units of the currency.'),
  exchangeRate: text('Units of the currency for one USD, as exact decimal text.'),
};

export const TopUpPrice = Type.Object(priceFields, named('TopUpPrice'));
export type TopUpPrice = Shape<typeof TopUpPrice>;

/** What can be bought. Without a provider nothing can, and the operator gives credit. */
export const TopUpOptions = Type.Object(
  {
    providers: listOf(Type.String(), 'Who takes the payment.'),
    channels: listOf(Type.Object({ channel: Type.String(), exchangeRate: Type.String() }), 'USD comes first.'),
    amountUsdMin: usd('The least.'),
    amountUsdMax: usd('The most.'),
    feePercent: number('Of the credit.'),
    vatPercent: number('Of the credit, on channels other than USD.'),
  },
  named('TopUpOptions'),
);
export type TopUpOptions = Shape<typeof TopUpOptions>;

export const TOP_UP_STATES = ['created', 'expired', 'paying', 'paid'] as const;
export type TopUpState = (typeof TOP_UP_STATES)[number];

const topUpFields = {
  ...priceFields,
  id: text('Names the top-up in paths.'),
  state: oneOf(TOP_UP_STATES, 'How far it is.'),
  provider: text('Who takes the payment.'),
  checkoutUrl: orNull(text('Where to pay; null when it can no longer be paid.')),
  createdAt: moment('When it was ordered.'),
  paidAt: orNull(moment('When it was paid.')),
  reclaimedUsd: usd('What of the credit was taken back because its payment was refunded or disputed.'),
  automatic: flag('A saved card paid for it, because the balance ran low.'),
};

export const TopUp = Type.Object(topUpFields, named('TopUp'));
export type TopUp = Shape<typeof TopUp>;

export const TopUpList = Type.Object({ data: listOf(TopUp), next: nextPage('after') }, named('TopUpList'));
export type TopUpList = Shape<typeof TopUpList>;

export const OperatorOrder = Type.Object(
  {
    ...topUpFields,
    accountId: text('Whose account is credited.'),
    userId: text('Who ordered it.'),
    sessionId: orNull(text("The provider's own name of it.")),
  },
  named('Order'),
);
export type OperatorOrder = Shape<typeof OperatorOrder>;

export const OperatorOrderList = Type.Object(
  { data: listOf(OperatorOrder), next: nextPage('after') },
  named('OrderList'),
);
export type OperatorOrderList = Shape<typeof OperatorOrderList>;

export const OrderRefundBody = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'text of 1 to 500 characters, for the records' }),
    amountUsd: Type.Optional(
      Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
        description: 'how much of the credit to take back, in USD; all that is left of it unless said',
      }),
    ),
  },
  { additionalProperties: false, title: 'OrderRefundBody' },
);
export type OrderRefundBody = Static<typeof OrderRefundBody>;

export const TopUpReceipt = Type.Object(
  {
    ...priceFields,
    receiptNumber: text('The id of the top-up.'),
    issuer: text('Who issued it.'),
    accountId: text('Whose account was credited.'),
    provider: text('Who took the payment.'),
    providerReference: orNull(text("The provider's own name of it.")),
    paidAt: moment('When it was paid.'),
  },
  named('Receipt'),
);
export type TopUpReceipt = Shape<typeof TopUpReceipt>;

/** Tells a payment provider that it need not send the notification again. */
export const NotificationAnswer = Type.Object({ received: Type.Literal(true) }, named('NotificationReceived'));

const amount = (description: string) =>
  Type.Union([Type.Number(), Type.String({ maxLength: 40 })], { description: `${description}, in USD` });

export const AutomaticTopUpBody = Type.Object(
  {
    isEnabled: Type.Boolean({ description: 'whether credit is bought when the balance is low' }),
    thresholdUsd: amount('the balance below which credit is bought'),
    amountUsd: amount('how much credit is bought each time'),
    monthMaxUsd: amount('how much credit is bought so in a month at most'),
  },
  { additionalProperties: false, title: 'AutomaticTopUpBody' },
);
export type AutomaticTopUpBody = Static<typeof AutomaticTopUpBody>;

export const AutomaticTopUp = Type.Object(
  {
    isOffered: flag('Whether cards are kept here.'),
    settings: orNull(
      Type.Object(
        {
          isEnabled: flag('Whether credit is bought when the balance is low.'),
          thresholdUsd: usd('The balance below which it is.'),
          amountUsd: usd('How much each time.'),
          totalUsd: usd('What the card is charged each time.'),
          monthMaxUsd: usd('How much in a month (UTC) at most.'),
        },
        { description: 'Null where nobody has said anything yet.' },
      ),
    ),
    monthUsd: usd('How much was bought so this month.'),
    card: orNull(text('Which card is charged; null without one.')),
    stopped: orNull(
      Type.Object(
        { at: moment('When.'), reason: text('Why.') },
        { description: 'Why it has stopped; null while nothing has failed.' },
      ),
    ),
  },
  named('AutomaticTopUp'),
);
export type AutomaticTopUp = Shape<typeof AutomaticTopUp>;

export const CardPageAnswer = Type.Object({ url: text('Where to give a card.') }, named('CardPage'));
export type CardPageAnswer = Shape<typeof CardPageAnswer>;
