// POST and GET /v1/credits/topups, and the quote that shows the price before an order. A role that may see an
// organization's figures sees all its orders; a member's key sees those of its holder. Other orders are treated as not
// existing.

import { TopUpBody, type TopUpList, type TopUpOptions, type TopUpPrice } from '../../contract/payments.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { Order, Payments } from '../../modules/payments/payments.ts';
import { CENT_NANO_USD, FEE_PERCENT, VAT_PERCENT } from '../../modules/payments/price-order.ts';
import type { OrderReader } from '../../modules/payments/store/orders.ts';
import { formatUsd, NANO_PER_USD, type NanoUsd, parseUsdJson } from '../../platform/money.ts';
import { cutPage, readPage } from '../page.ts';
import { type AccountHandler, type AccountHolder, figuresOf } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { priceObject, topUpObject } from './top-up-object.ts';

const CREDIT_USD_MIN = 5n;
const CREDIT_USD_MAX = 10_000n;
const DEFAULT_CHANNEL = 'usd';

export type TopUpServices = Readonly<{
  payments: Payments;
  organizations: Pick<Organizations, 'find'>;
  /** Without a trailing slash. */
  siteUrl(): string;
}>;

export const readTopUpOptions =
  ({ payments: { offer } }: TopUpServices): AccountHandler =>
  (exchange) => {
    const answer: TopUpOptions = {
      providers: offer.providers,
      channels: offer.channels.map(({ currency, rateNano }) => ({
        channel: currency,
        exchangeRate: formatUsd(rateNano),
      })),
      amountUsdMin: Number(CREDIT_USD_MIN),
      amountUsdMax: Number(CREDIT_USD_MAX),
      feePercent: Number(FEE_PERCENT),
      vatPercent: Number(VAT_PERCENT),
    };
    sendJson(exchange, 200, answer);
  };

export const quoteTopUp =
  ({ payments }: TopUpServices): AccountHandler =>
  (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const credit = creditOf(query.get('amountUsd') ?? undefined);
    const answer: TopUpPrice = priceObject(payments.quote(credit, channelOf(query.get('channel') ?? undefined)));
    sendJson(exchange, 200, answer);
  };

export function createTopUp({ payments, organizations, siteUrl }: TopUpServices): AccountHandler {
  const readBody = bodyReader(TopUpBody);
  return async (exchange, holder) => {
    const body = await readBody(exchange);
    const creditNanoUsd = creditOf(body.amountUsd);
    await refuseMonthly(holder, organizations);
    const order = await payments.createOrder({
      accountId: holder.accountId,
      userId: holder.userId,
      creditNanoUsd,
      channel: channelOf(body.channel),
      provider: body.provider ?? null,
      returnUrl: (orderId) => siteUrl() + creditsPage(holder, `topup=${orderId}`),
    });
    sendJson(exchange, 201, topUpObject(order));
  };
}

/** Where the payer returns to: the page of the account that gets the credit. */
export function creditsPage({ accountId, userId }: AccountHolder, about: string): string {
  const page = `/console/credits?${about}`;
  return accountId === userId ? page : `${page}&orgId=${accountId}`;
}

export const listTopUps =
  ({ payments }: TopUpServices): AccountHandler =>
  async (exchange, holder) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const { rows, next } = cutPage(await payments.listOrders(readerOf(holder), { after, limit: limit + 1 }), limit);
    const answer: TopUpList = { data: rows.map(topUpObject), next };
    sendJson(exchange, 200, answer);
  };

export const readTopUp =
  ({ payments }: TopUpServices): AccountHandler =>
  async (exchange, holder) => {
    sendJson(exchange, 200, topUpObject(await knownOrder(exchange, holder, payments)));
  };

export async function knownOrder(exchange: Exchange, holder: AccountHolder, payments: Payments): Promise<Order> {
  const order = await payments.findOrder(readerOf(holder), exchange.params.id ?? '');
  if (order === null) throw new ApiError('http_404', 'There is no such top-up.');
  return order;
}

const readerOf = (holder: AccountHolder): OrderReader => ({
  accountId: holder.accountId,
  userId: figuresOf(holder),
});

/** In whole cents. */
export function centsOf(field: string, amountUsd: unknown): NanoUsd {
  const amount = parseUsdJson(amountUsd);
  if (amount !== null && amount % CENT_NANO_USD === 0n) return amount;
  throw new ApiError('http_400', `${field}: must be an amount in USD with at most two decimals.`);
}

export function creditOf(amountUsd: unknown): NanoUsd {
  const amount = centsOf('amountUsd', amountUsd);
  if (amount < CREDIT_USD_MIN * NANO_PER_USD || amount > CREDIT_USD_MAX * NANO_PER_USD) {
    throw new ApiError('http_400', `amountUsd: must be from ${CREDIT_USD_MIN} to ${CREDIT_USD_MAX} USD.`);
  }
  return amount;
}

const channelOf = (channel: string | undefined): string => (channel ?? DEFAULT_CHANNEL).toLowerCase();

/** A monthly organization pays the operator directly, without a transaction fee. */
export async function refuseMonthly(holder: AccountHolder, organizations: Pick<Organizations, 'find'>): Promise<void> {
  if (holder.accountId === holder.userId) return;
  const organization = await organizations.find(holder.accountId);
  if (organization?.billing.kind !== 'monthly') return;
  throw new ApiError('http_409', 'This organization is billed monthly and cannot be topped up.');
}
