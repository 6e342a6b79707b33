// Feeds of call records: how they are set up, and who sends them.

import { join } from 'node:path';
import type { Services } from '../endpoints/services.ts';
import { createFeedDeliveries } from '../modules/feeds/deliver.ts';
import { createFeeds } from '../modules/feeds/feeds.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

export function createFeedParts(
  { config, clock, logger, storage: { database } }: Parts,
  { secret }: Given,
  { outbound, purpose }: Readonly<{ outbound: Outbound; purpose: AddressPurpose }>,
): Pick<Services, 'feeds' | 'feedDeliveries'> {
  const folder = join(config.dataDir, 'feeds');
  const towards = { database, outbound, purpose, folder, secretKey: secret.sealingKey('feeds'), clock };
  return {
    feeds: createFeeds(towards),
    feedDeliveries: createFeedDeliveries({ ...towards, logger }),
  };
}
