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
  channel: text('The currency of the payment.'),
  creditUsd: usd('What is credited.'),
  feeUsd: usd('Ten percent of the credit.'),
  vatUsd: usd('Five percent of the credit where the channel is a local currency.'),
  roundingUsd: usd('The rounding of the sum to whole cents; may be negative.'),
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
    providers: listOf(Type.String(), 'The payment provider.'),
    channels: listOf(Type.Object({ channel: Type.String(), exchangeRate: Type.String() }), 'USD comes first.'),
    amountUsdMin: usd('The smallest amount.'),
    amountUsdMax: usd('The largest amount.'),
    feePercent: number('Of the credit.'),
    vatPercent: number('Of the credit, on channels other than USD.'),
  },
  named('TopUpOptions'),
);
export type TopUpOptions = Shape<typeof TopUpOptions>;

export const TOP_UP_STATES = ['created', 'expired', 'paying', 'paid'] as const;

const topUpFields = {
  ...priceFields,
  id: text('The id of the top-up, used in paths.'),
  state: oneOf(TOP_UP_STATES, 'The state of the top-up.'),
  provider: text('The payment provider.'),
  checkoutUrl: orNull(text('Where to pay; null when it can no longer be paid.')),
  createdAt: moment('When it was ordered.'),
  paidAt: orNull(moment('When it was paid.')),
  reclaimedUsd: usd('How much of the credit was taken back because the payment was refunded or disputed.'),
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
    sessionId: orNull(text("The payment provider's own id of it.")),
  },
  named('Order'),
);
export type OperatorOrder = Shape<typeof OperatorOrder>;

const ListedOrder = Type.Object(
  {
    ...OperatorOrder.properties,
    email: orNull(text('The address of who ordered it; null when there is none any more.')),
  },
  named('ListedOrder'),
);

export const OperatorOrderList = Type.Object(
  { data: listOf(ListedOrder), next: nextPage('after') },
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
    provider: text('The payment provider.'),
    providerReference: orNull(text("The payment provider's own id of it.")),
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
    isOffered: flag('True: automatic top-ups are available here.'),
    settings: orNull(
      Type.Object(
        {
          isEnabled: flag('Whether credit is bought when the balance is low.'),
          thresholdUsd: usd('The balance below which credit is bought.'),
          amountUsd: usd('How much credit is bought each time.'),
          totalUsd: usd('What the card is charged each time.'),
          monthMaxUsd: usd('The most credit that is bought automatically in a month (UTC).'),
        },
        { description: 'Null when automatic top-ups were never set up.' },
      ),
    ),
    monthUsd: usd('How much was bought automatically this month.'),
    card: orNull(text('The name and last digits of the card; null without one.')),
    stopped: orNull(
      Type.Object(
        { at: moment('When.'), reason: text('Why.') },
        { description: 'When and why automatic top-ups stopped; null while they work.' },
      ),
    ),
  },
  named('AutomaticTopUp'),
);
export type AutomaticTopUp = Shape<typeof AutomaticTopUp>;

export const CardPageAnswer = Type.Object(
  { url: text('The page of the payment provider on which a card is entered.') },
  named('CardPage'),
);
export type CardPageAnswer = Shape<typeof CardPageAnswer>;
