// What reviews a request before it may cost anything: an organization's own filters first, then the platform's moderation.

import type { Services } from '../endpoints/services.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { createFilters } from '../modules/guardrails/filters/filters.ts';
import { createEvidence } from '../modules/guardrails/moderation/evidence.ts';
import { createModeration } from '../modules/guardrails/moderation/moderation.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { Given, Parts } from './parts.ts';

const EVIDENCE_DAYS = 180;

export function createGuardrails(
  { clock, logger, storage: { database, notices } }: Parts,
  { catalog, secret }: Given,
): Pick<Services, 'reviewers' | 'judge' | 'filters' | 'evidence' | 'evidenceDays'> {
  const { record } = createAudit({ database, clock });
  const filters = createFilters({ database, notices, clock, logger, record });
  const evidence = createEvidence({ database, clock, secretKey: deriveKey(secret, 'evidence') });
  const moderation = createModeration({ settings: () => catalog.current().moderation, evidence, logger });
  return {
    filters,
    evidence,
    evidenceDays: () => catalog.current().moderation.evidence_days ?? EVIDENCE_DAYS,
    judge: moderation.judge,
    reviewers: [filters.review, moderation.review],
  };
}
