// Where pictures are kept, and which module fetches those that callers name by an address.

import { join } from 'node:path';
import { renderCallback } from '../dialects/video/render-job.ts';
import type { Services } from '../endpoints/services.ts';
import { BucketStore } from '../modules/media/bucket-store.ts';
import { DiskStore } from '../modules/media/disk-store.ts';
import { createGivenPictures, type GivenPictures } from '../modules/media/given-pictures.ts';
import { createMedia as createMediaKeeper, type Media } from '../modules/media/media.ts';
import { createVideoCallbacks } from '../modules/videos/callbacks.ts';
import { createVideos } from '../modules/videos/videos.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
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

// Video jobs, and the callbacks to their owners.

type VideoParts = Pick<Services, 'videos' | 'videoCallbacks' | 'videoFingerprintKey' | 'callbackPurpose'>;

export function createVideoParts(
  { config, clock, logger, storage: { database } }: Parts,
  { secret, siteUrl }: Given,
  outbound: Outbound,
): VideoParts {
  // Owners are called only on the https port, except where the operator has opened networks of their own.
  const purpose: AddressPurpose = { allowHighPorts: config.ssrfAllow.length > 0 };
  return {
    videos: createVideos({ database, clock }),
    videoFingerprintKey: deriveKey(secret.hashing, 'videos'),
    callbackPurpose: purpose,
    videoCallbacks: createVideoCallbacks({
      ...{ database, outbound, purpose, clock, logger },
      render: (job) => renderCallback(job, siteUrl()),
    }),
  };
}
