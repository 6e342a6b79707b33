// OpenAPI descriptions of buying credit: with a key, and in the console.

import { Type } from '@sinclair/typebox';
import {
  AutomaticTopUp,
  AutomaticTopUpBody,
  CardPageAnswer,
  NotificationAnswer,
  TopUp,
  TopUpBody,
  TopUpList,
  TopUpOptions,
  TopUpPrice,
  TopUpReceipt,
} from '../../contract/payments.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { after, optional } from '../docs/queries.ts';
import { forChosenAccount } from '../docs/variants.ts';

const create: Description = {
  tag: 'Credits',
  summary: 'Order credit',
  notes: 'The answer says where to pay. A transaction fee comes on top, and VAT on local currencies.',
  body: TopUpBody,
  answers: { 201: { json: TopUp } },
  errors: ['http_409', 'http_502'],
  example: { body: { amountUsd: 25 } },
};

const list: Description = {
  tag: 'Credits',
  summary: 'List top-ups',
  query: Type.Object(after),
  answers: { 200: { json: TopUpList } },
};

const quote: Description = {
  tag: 'Credits',
  summary: 'Read the price of a top-up',
  query: Type.Object({
    amountUsd: Type.String({ description: 'The credit to buy, in USD.' }),
    channel: optional('The currency to pay in; usd unless said.'),
  }),
  answers: { 200: { json: TopUpPrice } },
  example: { query: 'amountUsd=25' },
};

const read: Description = { tag: 'Credits', summary: 'Read a top-up', answers: { 200: { json: TopUp } } };

const receipt: Description = {
  tag: 'Credits',
  summary: 'Read the receipt of a top-up',
  notes: 'Once it is paid. With `Accept: text/plain` as text.',
  answers: { 200: { json: TopUpReceipt, bytes: ['text/plain'] } },
  errors: ['http_409'],
};

export const paymentDescriptions: Descriptions = {
  'POST /v1/credits/topups': create,
  'GET /v1/credits/topups': list,
  'GET /v1/credits/topups/quote': quote,
  'GET /v1/credits/topups/:id': read,
  'GET /v1/credits/topups/:id/receipt': receipt,
  'POST /api/account/topups': forChosenAccount(create),
  'GET /api/account/topups': forChosenAccount(list),
  'GET /api/account/topups/options': forChosenAccount({
    tag: 'Credits',
    summary: 'Read what can be ordered',
    answers: { 200: { json: TopUpOptions } },
  }),
  'GET /api/account/topups/quote': forChosenAccount(quote),
  'GET /api/account/topups/:id': forChosenAccount(read),
  'GET /api/account/topups/:id/receipt': forChosenAccount(receipt),
  'GET /api/account/auto-topup': forChosenAccount({
    tag: 'Credits',
    summary: 'Read what is bought when the balance runs low',
    answers: { 200: { json: AutomaticTopUp } },
  }),
  'PUT /api/account/auto-topup': forChosenAccount({
    tag: 'Credits',
    summary: 'Say what is bought when the balance runs low',
    notes: 'With a saved card, within a month’s limit. Saying it again after a failure goes on.',
    body: AutomaticTopUpBody,
    answers: { 200: { json: AutomaticTopUp } },
    errors: ['http_409', 'http_503'],
    example: { body: { isEnabled: true, thresholdUsd: 10, amountUsd: 25, monthMaxUsd: 100 } },
  }),
  'POST /api/account/auto-topup/card': forChosenAccount({
    tag: 'Credits',
    summary: 'Give a card for that',
    notes: 'The answer says where: the payment provider keeps the card, and tells when it has one.',
    answers: { 201: { json: CardPageAnswer } },
    errors: ['http_409', 'http_502', 'http_503'],
  }),
  'DELETE /api/account/auto-topup/card': forChosenAccount({
    tag: 'Credits',
    summary: 'Forget the card',
    answers: { 200: { json: AutomaticTopUp } },
  }),
  'POST /webhooks/:provider': {
    tag: 'Credits',
    summary: 'Receive word from a payment provider',
    notes: 'For payment providers alone, which sign what they send.',
    body: Type.Unknown(),
    answers: { 200: { json: NotificationAnswer } },
  },
};
