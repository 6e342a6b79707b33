// The calls to the owners of jobs, and what they are signed with.

import type { Services } from '../endpoints/services.ts';
import { createCallbackSecrets, createJobCallbacks } from '../modules/batches/job-callbacks.ts';
import { renderJobCallback } from '../pipeline/later/respond-later.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

export function createJobParts(
  { clock, logger, storage: { database } }: Parts,
  { secret, siteUrl }: Given,
  { outbound, purpose }: Readonly<{ outbound: Outbound; purpose: AddressPurpose }>,
): Pick<Services, 'callbackSecrets' | 'jobCallbacks'> {
  const secrets = createCallbackSecrets(deriveKey(secret.hashing, 'callbacks'));
  return {
    callbackSecrets: secrets,
    jobCallbacks: createJobCallbacks({
      ...{ database, outbound, purpose, secrets, clock, logger },
      render: (job) => renderJobCallback(job, siteUrl()),
    }),
  };
}
