// What reviews a request before it may cost anything: the organization's own filters first, then the platform's
// moderation, then guards.

import type { OutputReview } from '../canonical/answer.ts';
import type { Services } from '../endpoints/services.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { createFilters } from '../modules/guardrails/filters/filters.ts';
import { createGuards } from '../modules/guardrails/guards/guards.ts';
import { createPlatformGuards } from '../modules/guardrails/guards/platform-guards.ts';
import { createEvidence } from '../modules/guardrails/moderation/evidence.ts';
import { createModeration } from '../modules/guardrails/moderation/moderation.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { AddressPurpose, Outbound } from '../platform/outbound/outbound.ts';
import type { Given, Parts } from './parts.ts';

const EVIDENCE_DAYS = 180;

export function createGuardrails(
  { clock, logger, storage: { database, notices } }: Parts,
  { catalog, secret }: Given,
  { outbound, purpose }: Readonly<{ outbound: Outbound; purpose: AddressPurpose }>,
): Pick<Services, 'reviewers' | 'outputReviewOf' | 'judge' | 'filters' | 'guards' | 'evidence' | 'evidenceDays'> {
  const { record, recordHit } = createAudit({ database, clock });
  const filters = createFilters({ database, notices, clock, logger, record, recordHit });
  const evidence = createEvidence({
    database,
    clock,
    hashKey: deriveKey(secret.hashing, 'evidence'),
    sealingKey: secret.sealingKey('evidence', 'evidence.content'),
  });
  const secretKey = secret.sealingKey('guards');
  const platform = createPlatformGuards(() => catalog.current().guards);
  const guards = createGuards({ database, notices, clock, logger, record, outbound, purpose, secretKey, platform });
  const moderation = createModeration({ settings: () => catalog.current().moderation, evidence, logger });
  return {
    filters,
    evidence,
    evidenceDays: () => catalog.current().moderation.evidence_days ?? EVIDENCE_DAYS,
    judge: moderation.judge,
    guards,
    outputReviewOf: (caller, request, notes) =>
      bothReviews(filters.reviewOutput(caller, notes), guards.reviewOutput(caller, request, notes)),
    reviewers: [filters.review, moderation.review, guards.review],
  };
}

type Review = OutputReview | null;

/** The guards are shown the answer as the filters left it. */
function bothReviews(filters: Review | Promise<Review>, guards: Review | Promise<Review>): Review | Promise<Review> {
  if (filters instanceof Promise || guards instanceof Promise)
    return Promise.all([filters, guards]).then(([first, second]) => joined(first, second));
  return joined(filters, guards);
}

function joined(filters: Review, guards: Review): Review {
  if (filters === null || guards === null) return filters ?? guards;
  return {
    openWindow: null,
    async whole(texts) {
      const filtered = await filters.whole(texts);
      return filtered.refusal === null ? guards.whole(filtered.texts.map((text) => ({ parts: [text] }))) : filtered;
    },
  };
}
