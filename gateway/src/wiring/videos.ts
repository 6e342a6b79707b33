// Video jobs, and the calls to their owners.

import { renderCallback } from '../dialects/video/render-job.ts';
import type { Services } from '../endpoints/services.ts';
import { createCallbacks } from '../modules/videos/callbacks.ts';
import { createVideos } from '../modules/videos/videos.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

type VideoParts = Pick<Services, 'videos' | 'videoCallbacks' | 'videoFingerprintKey' | 'callbackPurpose'>;

export function createVideoParts(
  { config, clock, logger, storage: { database } }: Parts,
  { secret, siteUrl }: Given,
  outbound: Outbound,
): VideoParts {
  // Owners are called on the port of https alone, except where the operator has opened networks of their own.
  const purpose: AddressPurpose = { allowHighPorts: config.ssrfAllow.length > 0 };
  return {
    videos: createVideos({ database, clock }),
    videoFingerprintKey: deriveKey(secret.hashing, 'videos'),
    callbackPurpose: purpose,
    videoCallbacks: createCallbacks({
      ...{ database, outbound, purpose, clock, logger },
      render: (job) => renderCallback(job, siteUrl()),
    }),
  };
}
