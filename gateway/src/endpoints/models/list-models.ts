// GET /v1/models: what can be called now, without a key.

import type { Handler } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Clock } from '../../platform/clock.ts';
import { listingBytes, parseModalityFilter } from './listing.ts';

export type ModelsServices = Readonly<{ catalog: Pick<Catalog, 'current'>; clock: Clock }>;

export const JSON_TYPE = 'application/json; charset=utf-8';

export const listModelsEndpoint =
  (services: ModelsServices): Handler =>
  (exchange) => {
    const filter = parseModalityFilter(exchange.queryText);
    const body = listingBytes(services.catalog.current(), filter, services.clock.nowMs());
    sendBytes(exchange, 200, { type: JSON_TYPE, body });
  };
