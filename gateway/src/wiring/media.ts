// Where pictures are kept, and by whom.

import { join } from 'node:path';
import { BucketStore } from '../modules/media/bucket-store.ts';
import { DiskStore } from '../modules/media/disk-store.ts';
import { createMedia as createMediaKeeper, type Media } from '../modules/media/media.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

export function createMedia({ config, clock, logger }: Parts, { secret, siteUrl }: Given, outbound: Outbound): Media {
  const { bucket, bytesMax } = config.media;
  const folder = join(config.dataDir, 'media');
  const store = bucket === null ? new DiskStore({ folder, bytesMax, clock }) : new BucketStore(bucket);
  const sealingKey = secret.sealingKey('image-proxy');
  return createMediaKeeper({ store, outbound, sealingKey, siteUrl, clock, logger });
}
