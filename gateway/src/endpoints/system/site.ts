// GET /api/site: public facts about this gateway, for visitors who are not signed in.

import type { SiteAnswer } from '../../contract/site.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Payments } from '../../modules/payments/payments.ts';
import { usdNumber } from '../../platform/money.ts';

type SiteInfoServices = Readonly<{ catalog: Pick<Catalog, 'current'>; payments: Pick<Payments, 'offer'> }>;

export const readSite =
  ({ catalog, payments }: SiteInfoServices): Handler =>
  (exchange) => {
    const { welcomeNanoUsd, contact, hasPublicModels } = catalog.current().accounts;
    const answer: SiteAnswer = {
      contact,
      publicModels: hasPublicModels,
      welcomeCreditUsd: usdNumber(welcomeNanoUsd),
      topUps: payments.offer.providers.length > 0,
    };
    sendJson(exchange, 200, answer);
  };
