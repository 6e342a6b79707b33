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
  notes: 'The answer says where to pay. A transaction fee is added, and VAT for local currencies.',
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
    channel: optional('The currency to pay in; default: usd.'),
  }),
  answers: { 200: { json: TopUpPrice } },
  example: { query: 'amountUsd=25' },
};

const read: Description = { tag: 'Credits', summary: 'Read a top-up', answers: { 200: { json: TopUp } } };

const receipt: Description = {
  tag: 'Credits',
  summary: 'Read the receipt of a top-up',
  notes: 'Available once the top-up is paid. With `Accept: text/plain` it is text.',
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
    summary: 'Read the options for a top-up',
    answers: { 200: { json: TopUpOptions } },
  }),
  'GET /api/account/topups/quote': forChosenAccount(quote),
  'GET /api/account/topups/:id': forChosenAccount(read),
  'GET /api/account/topups/:id/receipt': forChosenAccount(receipt),
  'GET /api/account/auto-topup': forChosenAccount({
    tag: 'Credits',
    summary: 'Read the settings of automatic top-ups',
    answers: { 200: { json: AutomaticTopUp } },
  }),
  'PUT /api/account/auto-topup': forChosenAccount({
    tag: 'Credits',
    summary: 'Change the settings of automatic top-ups',
    notes:
      'They use a saved card, within a limit for each month. Saving the settings again after a failure starts them again.',
    body: AutomaticTopUpBody,
    answers: { 200: { json: AutomaticTopUp } },
    errors: ['http_409', 'http_503'],
    example: { body: { isEnabled: true, thresholdUsd: 10, amountUsd: 25, monthMaxUsd: 100 } },
  }),
  'POST /api/account/auto-topup/card': forChosenAccount({
    tag: 'Credits',
    summary: 'Add a card for automatic top-ups',
    notes: 'The answer says on which page: the payment provider keeps the card, and notifies the gateway.',
    answers: { 201: { json: CardPageAnswer } },
    errors: ['http_409', 'http_502', 'http_503'],
  }),
  'DELETE /api/account/auto-topup/card': forChosenAccount({
    tag: 'Credits',
    summary: 'Remove the card',
    answers: { 200: { json: AutomaticTopUp } },
  }),
  'POST /webhooks/:provider': {
    tag: 'Credits',
    summary: 'Receive a notification of a payment provider',
    notes: 'Only for payment providers, which sign their notifications.',
    body: Type.Unknown(),
    answers: { 200: { json: NotificationAnswer } },
  },
};
