// GET /admin/v1/orders: every top-up, newest first, with what the operator needs to find it at the provider. POST
// /admin/v1/orders/:id/refund refunds one, and takes its credit back.

import { type OperatorOrder, type OperatorOrderList, OrderRefundBody, TOP_UP_STATES } from '../../contract/payments.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Payments } from '../../modules/payments/payments.ts';
import { cutPage, readPage } from '../page.ts';
import { operatorOrderObject } from '../payments/top-up-object.ts';
import { bodyReader } from '../read-body.ts';
import { oneOf } from '../request-fields.ts';
import { creditAmount } from './credits.ts';
import { searchText } from './list-query.ts';

export const listOrders =
  (payments: Pick<Payments, 'listAllOrders'>): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit } = readPage(query);
    const state = oneOf('state', query.get('state'), TOP_UP_STATES);
    const search = { state, text: searchText(query), after, limit: limit + 1 };
    const { rows, next } = cutPage(await payments.listAllOrders(search), limit);
    const data = rows.map((order) => ({ ...operatorOrderObject(order), email: order.email }));
    const answer: OperatorOrderList = { data, next };
    sendJson(exchange, 200, answer);
  };

export function refundOrder({ payments }: Readonly<{ payments: Pick<Payments, 'refundOrder'> }>): Handler {
  const readBody = bodyReader(OrderRefundBody);
  return async (exchange) => {
    const { reason, amountUsd } = await readBody(exchange);
    const creditNanoUsd = amountUsd === undefined ? null : creditAmount({ amountUsd });
    const order = await payments.refundOrder(exchange.params.id ?? '', { creditNanoUsd, reason });
    const answer: OperatorOrder = operatorOrderObject(order);
    sendJson(exchange, 200, answer);
  };
}
