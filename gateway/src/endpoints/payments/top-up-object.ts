// A top-up as the API shows it: field by field, so that no other column of the row is shown by accident.

import type { OperatorOrder, TopUp, TopUpPrice } from '../../contract/payments.ts';
import type { Order } from '../../modules/payments/payments.ts';
import { formatMinor, type OrderPrice } from '../../modules/payments/price-order.ts';
import { formatUsd, usdNumber } from '../../platform/money.ts';

export function priceObject(price: OrderPrice): TopUpPrice {
  const { creditNanoUsd, feeNanoUsd, vatNanoUsd, totalNanoUsd, currency } = price;
  return {
    channel: currency,
    creditUsd: usdNumber(creditNanoUsd),
    feeUsd: usdNumber(feeNanoUsd),
    vatUsd: usdNumber(vatNanoUsd),
    roundingUsd: usdNumber(totalNanoUsd - creditNanoUsd - feeNanoUsd - vatNanoUsd),
    totalUsd: usdNumber(totalNanoUsd),
    currency,
    total: Number(formatMinor(price.totalMinor, currency)),
    exchangeRate: formatUsd(price.rateNano),
  };
}

export function topUpObject(order: Order): TopUp {
  return {
    id: order.id,
    state: order.state,
    provider: order.provider,
    ...priceObject(order),
    checkoutUrl: order.state === 'created' ? order.checkoutUrl : null,
    createdAt: order.createdAt.toISOString(),
    paidAt: order.paidAt?.toISOString() ?? null,
    reclaimedUsd: usdNumber(order.reclaimedNanoUsd),
    automatic: order.isAutomatic,
  };
}

export function operatorOrderObject(order: Order): OperatorOrder {
  const { accountId, userId, sessionId } = order;
  return { ...topUpObject(order), accountId, userId, sessionId };
}
