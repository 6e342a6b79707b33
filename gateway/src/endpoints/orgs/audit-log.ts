// GET /api/orgs/:orgId/audit-log: who changed what, newest first, in pages.

import type { AuditLogAnswer } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit, AuditQuery } from '../../modules/audit/audit.ts';
import type { PrincipalHandler } from '../protect.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

export type AuditLogServices = RoleServices & Readonly<{ audit: Pick<Audit, 'read'> }>;

const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 200;
const WORD = /^[\w.-]{1,100}$/;

export const readAuditLog =
  (services: AuditLogServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const page = await services.audit.read({ orgId, ...queryOf(new URLSearchParams(exchange.queryText)) });
    if (page === null) throw refused('cursor', 'the nextCursor of a page before');
    const answer: AuditLogAnswer = {
      entries: page.entries.map(({ createdAt, ...entry }) => ({
        ...entry,
        createdAt: createdAt.toISOString(),
      })),
      nextCursor: page.next,
    };
    sendJson(exchange, 200, answer);
  };

function queryOf(query: URLSearchParams): Omit<AuditQuery, 'orgId'> {
  return {
    action: wordOf(query, 'action'),
    actor: wordOf(query, 'actor'),
    targetId: wordOf(query, 'target'),
    cursor: wordOf(query, 'cursor'),
    fromMs: momentOf(query, 'from'),
    toMs: momentOf(query, 'to'),
    limit: limitOf(query),
  };
}

const refused = (name: string, words: string): ApiError => new ApiError('http_400', `${name}: must be ${words}.`);

function wordOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!WORD.test(text)) throw refused(name, 'a word of at most 100 letters, digits, dots and hyphens');
  return text;
}

/** A date without a time is its first moment in UTC. */
function momentOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const timeMs = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) throw refused(name, 'a date or a time with its zone, in ISO 8601');
  return timeMs;
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit');
  if (text === null) return LIMIT_DEFAULT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw refused('limit', `a whole number from 1 to ${LIMIT_MAX}`);
}
