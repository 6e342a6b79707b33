// Where pictures are kept, and by whom; and who gets those that callers name by an address.

import { join } from 'node:path';
import { BucketStore } from '../modules/media/bucket-store.ts';
import { DiskStore } from '../modules/media/disk-store.ts';
import { createGivenPictures, type GivenPictures } from '../modules/media/given-pictures.ts';
import { createMedia as createMediaKeeper, type Media } from '../modules/media/media.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

type MediaServices = Readonly<{ media: Media; givenPictures: GivenPictures }>;

export function createMedia(parts: Parts, { secret, siteUrl }: Given, outbound: Outbound): MediaServices {
  const { config, clock, logger } = parts;
  const { bucket, bytesMax } = config.media;
  const folder = join(config.dataDir, 'media');
  const store = bucket === null ? new DiskStore({ folder, bytesMax, clock }) : new BucketStore(bucket);
  const sealingKey = secret.sealingKey('image-proxy');
  const media = createMediaKeeper({ store, outbound, sealingKey, siteUrl, clock, logger });
  return { media, givenPictures: createGivenPictures({ outbound, media, clock }) };
}
