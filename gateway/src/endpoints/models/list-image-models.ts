// GET /v1/images/models: the models whose output is an image, in the listing's own form.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';
import { allowedFor } from './allowed-for.ts';
import type { ModelsServices } from './list-models.ts';
import { listingBytes } from './listing.ts';

const IMAGES = new Set(['image'] as const);

export const listImageModelsEndpoint =
  (services: ModelsServices): Handler =>
  async (exchange) => {
    const filter = { modalities: IMAGES, allowedModels: await allowedFor(exchange, services) };
    const body = listingBytes(services.catalog.current(), filter, services.clock.nowMs());
    sendBytes(exchange, 200, { type: JSON_TYPE, body });
  };
