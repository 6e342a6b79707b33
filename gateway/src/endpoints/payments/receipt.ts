// GET /v1/credits/topups/:id/receipt: what was paid, as JSON, or as text for people and their accountants.

import type { TopUpReceipt } from '../../contract/payments.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendBytes, sendJson } from '../../http/respond.ts';
import type { Order } from '../../modules/payments/payments.ts';
import { FEE_PERCENT, formatMinor, VAT_PERCENT } from '../../modules/payments/price-order.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';
import type { AccountHandler } from '../protect.ts';
import { priceObject } from './top-up-object.ts';
import { knownOrder, type TopUpServices } from './top-ups.ts';

export const readReceipt =
  ({ payments, siteUrl }: TopUpServices): AccountHandler =>
  async (exchange, holder) => {
    const order = await knownOrder(exchange, holder, payments);
    if (order.paidAt === null) throw new ApiError('http_409', 'There is no receipt yet: this top-up is not paid.');
    const accepted = exchange.request.headers.accept ?? '';
    if (/\btext\/plain\b/.test(accepted) && !/\bapplication\/json\b/.test(accepted)) {
      const body = receiptText(order, order.paidAt, siteUrl());
      sendBytes(exchange, 200, { type: 'text/plain; charset=utf-8', body });
      return;
    }
    const receipt: TopUpReceipt = {
      receiptNumber: order.id,
      issuer: siteUrl(),
      accountId: order.accountId,
      ...priceObject(order),
      provider: order.provider,
      providerReference: order.sessionId,
      paidAt: order.paidAt.toISOString(),
    };
    sendJson(exchange, 200, receipt);
  };

function receiptText(order: Order, paidAt: Date, issuer: string): string {
  const { creditNanoUsd, feeNanoUsd, vatNanoUsd, totalNanoUsd, currency } = order;
  const roundingNanoUsd = totalNanoUsd - creditNanoUsd - feeNanoUsd - vatNanoUsd;
  const rows: [string, string][] = [
    ['Receipt', order.id],
    ['Issued by', issuer],
    ['Account', order.accountId],
    ['Paid', `${paidAt.toISOString()} through ${order.provider} (${order.sessionId ?? 'no reference'})`],
    ['Credit', usd(creditNanoUsd)],
    [`Transaction fee (${FEE_PERCENT}%)`, usd(feeNanoUsd)],
  ];
  if (vatNanoUsd > 0n) rows.push([`VAT (${VAT_PERCENT}%)`, usd(vatNanoUsd)]);
  if (roundingNanoUsd !== 0n) rows.push(['Rounding', usd(roundingNanoUsd)]);
  rows.push(['Total', usd(totalNanoUsd)]);
  const unit = currency.toUpperCase();
  if (currency !== 'usd') rows.push(['Exchange rate', `1 USD = ${formatUsd(order.rateNano)} ${unit}`]);
  rows.push(['Charged', `${unit} ${formatMinor(order.totalMinor, currency)}`]);
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width)}  ${value}\n`).join('');
}

/** With at least two decimals, and all that there are. */
function usd(amount: NanoUsd): string {
  const [whole = '0', fraction = ''] = formatUsd(amount).split('.');
  return `USD ${whole}.${fraction.padEnd(2, '0')}`;
}
