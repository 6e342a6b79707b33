// GET /admin/v1/evidence: what moderation has refused, newest first, without the texts. GET /admin/v1/evidence/:id: one
// of them with its text. Opening one writes a line to the log.

import type { EvidenceAnswer, EvidenceListAnswer, EvidenceObject } from '../../contract/guardrails.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Evidence, EvidenceRecord } from '../../modules/guardrails/moderation/evidence.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Logger } from '../../platform/logger.ts';
import { filterOf } from '../account/usage-query.ts';
import { cutPage, readPage } from '../page.ts';
import { filteredUserId } from './known-user.ts';

type EvidenceServices = Readonly<{
  evidence: Pick<Evidence, 'list' | 'read'>;
  identity: Pick<Identity, 'findUserByEmail'>;
  logger: Logger;
}>;

const WORD = /^[\w./-]{1,100}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

export const listEvidence =
  ({ evidence, identity }: EvidenceServices): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit } = readPage(query);
    const found = await evidence.list({
      userId: await filteredUserId(filterOf(query, 'user'), identity),
      accountId: wordOf(query, 'account'),
      category: wordOf(query, 'category'),
      from: momentOf(query, 'from'),
      to: momentOf(query, 'to'),
      after,
      limit,
    });
    const { rows, next } = cutPage(found, limit);
    const answer: EvidenceListAnswer = { data: rows.map(evidenceObject), next };
    sendJson(exchange, 200, answer);
  };

export const readEvidence =
  ({ evidence, logger }: EvidenceServices): Handler =>
  async (exchange) => {
    const record = await evidence.read(exchange.params.id ?? '');
    if (record === null) throw new ApiError('http_404', 'There is no such evidence.');
    logger.info({ requestId: exchange.requestId, evidenceId: record.id }, 'the operator opened evidence');
    const answer: EvidenceAnswer = { ...evidenceObject(record), content: record.content };
    sendJson(exchange, 200, answer);
  };

const evidenceObject = ({ modelName, isCut, createdAt, lastSeenAt, ...record }: EvidenceRecord): EvidenceObject => ({
  id: record.id,
  userId: record.userId,
  email: record.email,
  accountId: record.accountId,
  keyId: record.keyId,
  categories: record.categories,
  reviewer: record.reviewer,
  operation: record.operation,
  model: modelName,
  occurrences: record.occurrences,
  cut: isCut,
  createdAt: createdAt.toISOString(),
  lastSeenAt: lastSeenAt.toISOString(),
});

function wordOf(query: URLSearchParams, name: string): string | null {
  const text = query.get(name);
  if (text !== null && !WORD.test(text)) throw new ApiError('http_400', `${name}: must be a word.`);
  return text;
}

/** A date without a time is its first moment in UTC. */
function momentOf(query: URLSearchParams, name: string): Date | null {
  const text = query.get(name);
  if (text === null) return null;
  const moment = new Date(MOMENT.test(text) ? text : Number.NaN);
  if (Number.isNaN(moment.getTime())) throw new ApiError('http_400', `${name}: must be a date or a time in ISO 8601.`);
  return moment;
}
