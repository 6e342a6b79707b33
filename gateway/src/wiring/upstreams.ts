// Everything that calls out: the guarded client, the transport, and the upstreams that organizations bring.

import type { Services } from '../endpoints/services.ts';
import { createByok } from '../modules/byok/byok.ts';
import { createScannerSignature } from '../modules/identity/scanner-signature.ts';
import { createOwnRoutes } from '../modules/routing/own-routes.ts';
import { createPriceBooks } from '../modules/vendors/price-books.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { listModelsCall, readModelList } from '../upstreams/model-list.ts';
import { createTransport } from '../upstreams/transport/transport.ts';
import type { Given, Parts } from './parts.ts';

const ANYWHERE = ['0.0.0.0/0', '::/0'];

/** The client for addresses that customers gave, and the transport that keeps their calls apart from the rest. */
export function createOwnUpstreams(
  { config, options, clock, logger, storage }: Parts,
  { secret }: Given,
  metrics: Metrics,
): Pick<Services, 'outbound' | 'transport' | 'byok' | 'ownRoutes' | 'priceBooks' | 'scannerSignature'> {
  const { database, notices } = storage;
  const { lookup, random = Math.random } = options;
  const outboundTo = (allowCidrs: readonly string[]) =>
    createOutbound({ allowCidrs, ...(lookup === undefined ? {} : { lookup }) });
  const outbound = outboundTo(config.ssrfAllow);
  // The operator names a mirror, which is usually in the same network, so private addresses are allowed.
  const toMirror = config.pricesUrl === null ? outbound : outboundTo(ANYWHERE);
  const { scannerKeysUrl: keysUrl } = config;
  const sealingKey = secret.sealingKey('byok');
  const lister = { call: listModelsCall, read: readModelList };
  const byok = createByok({ database, notices, sealingKey, outbound, lister, clock, logger });
  return {
    outbound,
    byok,
    priceBooks: createPriceBooks({ database, outbound: toMirror, sourceUrl: config.pricesUrl }),
    scannerSignature:
      keysUrl === null ? null : createScannerSignature({ outbound: outboundTo(ANYWHERE), keysUrl, clock }),
    ownRoutes: createOwnRoutes({ clock, metrics, random, report: byok.report }),
    transport: createTransport({ clock, guard: outbound.guard }),
  };
}
