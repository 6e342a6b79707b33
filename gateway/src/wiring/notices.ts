// Notices: which parts raise them, and how they are delivered. Everything here runs outside the calls.

import { join } from 'node:path';
import type { SpendCap } from '../canonical/spend-cap.ts';
import { windowEndMs, windowStartMs } from '../canonical/spend-window.ts';
import type { Services } from '../endpoints/services.ts';
import { createCallbackSecrets, createJobCallbacks } from '../modules/batches/job-callbacks.ts';
import { createFeedDeliveries } from '../modules/feeds/deliver.ts';
import { createFeeds } from '../modules/feeds/feeds.ts';
import { normalizeEmail } from '../modules/identity/email.ts';
import { createNoticeAddresses } from '../modules/notices/addresses.ts';
import { createDeliveries } from '../modules/notices/deliver.ts';
import { createOwnerNotices, type OwnerNotices, type OwnerNoticesOptions } from '../modules/notices/notices.ts';
import { type NoticeOwner, OPERATOR, ownerOfAccount } from '../modules/notices/owner.ts';
import type { IsolatedRoute } from '../modules/routing/routing.ts';
import { renderJobCallback } from '../pipeline/later/respond-later.ts';
import type { Clock } from '../platform/clock.ts';
import { deriveKey } from '../platform/crypto.ts';
import { formatUsd } from '../platform/money.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

type NoticeParts = Pick<Services, 'ownerNotices' | 'noticeAddresses' | 'noticeDeliveries'> &
  Readonly<{ onTripped(cap: SpendCap): void; onIsolated(route: IsolatedRoute): void }>;

type Input = Pick<OwnerNoticesOptions, 'checkBooks'> & Readonly<{ outbound: Outbound; purpose: AddressPurpose }>;

export function createNoticeParts(
  { clock, logger, storage: { database } }: Parts,
  { secret, siteUrl, mailer }: Given,
  { checkBooks, outbound, purpose }: Input,
): NoticeParts {
  const secretKey = secret.sealingKey('notices');
  const ownerNotices = createOwnerNotices({ database, clock, logger, checkBooks });
  const towards = { database, outbound, purpose, secretKey, clock };
  return {
    ownerNotices,
    noticeAddresses: createNoticeAddresses({ ...towards, normalizeEmail }),
    noticeDeliveries: createDeliveries({ ...towards, mailer, siteUrl, logger }),
    onTripped: (cap) => noteTrip(ownerNotices, cap, clock),
    onIsolated({ providerName: provider, upstreamModel, reason }) {
      // A route that fails again and again is reported once an hour.
      const cause = `${provider}/${upstreamModel}/${windowStartMs('hour', clock.nowMs())}`;
      ownerNotices.note({
        owner: OPERATOR,
        kind: 'provider.failing',
        cause,
        facts: { provider, upstreamModel, reason },
      });
    },
  };
}

/** Called for each refused call of a burst; a breaker is reported once an hour, as in the audit log. */
function noteTrip(ownerNotices: OwnerNotices, cap: SpendCap, clock: Clock): void {
  const owner = ownerOf(cap);
  if (owner === null) return;
  const { scope, scopeId, window, limitNanoUsd } = cap;
  const nowMs = clock.nowMs();
  const resetsAt = new Date(windowEndMs(window, nowMs)).toISOString();
  const facts = { scope, id: scopeId, window, thresholdUsd: formatUsd(limitNanoUsd), resetsAt };
  const cause = `${scope}/${scopeId}/${window}/${windowStartMs('hour', nowMs)}`;
  ownerNotices.note({ owner, kind: 'breaker.tripped', cause, facts });
}

function ownerOf({ scope, covers }: SpendCap): NoticeOwner | null {
  if (scope === 'platform') return OPERATOR;
  const [userId] = covers.userIds ?? [];
  if (covers.accountId !== undefined) return ownerOfAccount(covers.accountId);
  return userId === undefined ? null : { kind: 'user', id: userId };
}

// Feeds of call records: how they are set up, and the job that sends them.

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

// The callbacks to owners of jobs, and the keys that sign them.

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
