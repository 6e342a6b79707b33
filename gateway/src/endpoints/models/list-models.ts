// GET /v1/models: what can be called now; no key is needed.

import { gzipSync } from 'node:zlib';
import { JSON_TYPE } from '../../canonical/answer.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';
import { takesGzip } from '../../http/zip-json.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { AuthenticationServices } from '../../pipeline/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import { allowedFor } from './allowed-for.ts';
import { listingBytes, parseModalityFilter } from './listing.ts';

export type ModelsServices = AuthenticationServices & Readonly<{ catalog: Pick<Catalog, 'current'>; clock: Clock }>;

const ZIPPED_HEADERS = ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'];

/** The compressed lists that everybody gets: each is made once. */
const zippedLists = new WeakMap<Buffer, Buffer>();

function zippedOf(list: Buffer): Buffer {
  const zipped = zippedLists.get(list) ?? gzipSync(list);
  zippedLists.set(list, zipped);
  return zipped;
}

export const listModelsEndpoint =
  (services: ModelsServices): Handler =>
  async (exchange) => {
    const modalities = parseModalityFilter(exchange.queryText);
    const filter = { modalities, allowedModels: await allowedFor(exchange, services) };
    const body = listingBytes(services.catalog.current(), filter, services.clock.nowMs());
    const isShared = filter.allowedModels === null;
    if (isShared && takesGzip(exchange.request)) {
      sendBytes(exchange, 200, { type: JSON_TYPE, body: zippedOf(body) }, ZIPPED_HEADERS);
    } else sendBytes(exchange, 200, { type: JSON_TYPE, body });
  };
