// GET and PUT /api/account/auto-topup, POST and DELETE /api/account/auto-topup/card: credit that is bought when the
// balance runs low. Only with a session: a leaked key must not be able to charge a card.

import {
  type AutomaticTopUp as AutomaticAnswer,
  AutomaticTopUpBody,
  type CardPageAnswer,
} from '../../contract/payments.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { AutomaticTerms } from '../../modules/payments/automatic.ts';
import { priceOrder, USD_CHANNEL } from '../../modules/payments/price-order.ts';
import { NANO_PER_USD, usdNumber } from '../../platform/money.ts';
import type { AccountHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { centsOf, creditOf, creditsPage, refuseMonthly, type TopUpServices } from './top-ups.ts';

const THRESHOLD_USD_MAX = 10_000n;
const MONTH_USD_MAX = 100_000n;

export const readAutomaticTopUp =
  (services: TopUpServices): AccountHandler =>
  (exchange, { accountId }) =>
    tell(exchange, accountId, services);

export function changeAutomaticTopUp(services: TopUpServices): AccountHandler {
  const readBody = bodyReader(AutomaticTopUpBody);
  const { automatic } = services.payments;
  return async (exchange, holder) => {
    const body = await readBody(exchange);
    await refuseMonthly(holder, services.organizations);
    const amountNanoUsd = creditOf(body.amountUsd);
    const thresholdNanoUsd = centsOf('thresholdUsd', body.thresholdUsd);
    const monthMaxNanoUsd = centsOf('monthMaxUsd', body.monthMaxUsd);
    if (thresholdNanoUsd === 0n || thresholdNanoUsd > THRESHOLD_USD_MAX * NANO_PER_USD) {
      throw new ApiError('http_400', `thresholdUsd: must be above 0 and at most ${THRESHOLD_USD_MAX} USD.`);
    }
    if (monthMaxNanoUsd < amountNanoUsd || monthMaxNanoUsd > MONTH_USD_MAX * NANO_PER_USD) {
      throw new ApiError('http_400', `monthMaxUsd: must be at least amountUsd and at most ${MONTH_USD_MAX} USD.`);
    }
    await automatic.save(holder, { isEnabled: body.isEnabled, thresholdNanoUsd, amountNanoUsd, monthMaxNanoUsd });
    await tell(exchange, holder.accountId, services);
  };
}

export const openCardPage =
  ({ payments, siteUrl }: TopUpServices): AccountHandler =>
  async (exchange, holder) => {
    const answer: CardPageAnswer = {
      url: await payments.automatic.openCardPage(holder, siteUrl() + creditsPage(holder, 'card=given')),
    };
    sendJson(exchange, 201, answer);
  };

export const forgetCard =
  (services: TopUpServices): AccountHandler =>
  async (exchange, { accountId }) => {
    await services.payments.automatic.forgetCard(accountId);
    await tell(exchange, accountId, services);
  };

async function tell(exchange: Exchange, accountId: string, { payments }: TopUpServices): Promise<void> {
  const { isOffered, read } = payments.automatic;
  sendJson(exchange, 200, toAnswer(isOffered, await read(accountId)));
}

function toAnswer(isOffered: boolean, found: AutomaticTerms | null): AutomaticAnswer {
  if (found === null) return { isOffered, settings: null, monthUsd: 0, card: null, stopped: null };
  const { isEnabled, thresholdNanoUsd, amountNanoUsd, monthMaxNanoUsd, stoppedAt, stoppedReason } = found;
  return {
    isOffered,
    settings: {
      isEnabled,
      thresholdUsd: usdNumber(thresholdNanoUsd),
      amountUsd: usdNumber(amountNanoUsd),
      totalUsd: usdNumber(priceOrder(amountNanoUsd, USD_CHANNEL).totalNanoUsd),
      monthMaxUsd: usdNumber(monthMaxNanoUsd),
    },
    monthUsd: usdNumber(found.monthNanoUsd),
    card: found.cardLabel,
    stopped: stoppedAt === null ? null : { at: stoppedAt.toISOString(), reason: stoppedReason ?? '' },
  };
}
