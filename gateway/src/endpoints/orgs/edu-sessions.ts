// GET /api/orgs/:orgId/edu/sessions and DELETE below it: the students' sessions, what they have used, and ending one.

import { EDU_SESSION_STATUSES, type EduSessionObject, type EduSessionsAnswer } from '../../contract/edu.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import { parseAddress } from '../../modules/edu/address.ts';
import type { StudentSession } from '../../modules/edu/sessions.ts';
import { usdNumber } from '../../platform/money.ts';
import { cutPage, readPage } from '../page.ts';
import type { PrincipalHandler } from '../protect.ts';
import { oneOf } from '../request-fields.ts';
import { requireAdmin } from './authority.ts';
import type { EduServices } from './edu-keys.ts';

const STATUSES = [...EDU_SESSION_STATUSES, 'all'] as const;

/** Only active ones by default. */
export const listEduSessions =
  (services: EduServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const query = new URLSearchParams(exchange.queryText);
    const page = readPage(query, 'cursor');
    const status = oneOf('status', query.get('status'), STATUSES) ?? 'active';
    const filter = { orgId, status, email: emailOf(query), ...page };
    const { rows, next } = cutPage(await services.edu.sessions.list(filter), page.limit);
    const answer: EduSessionsAnswer = { sessions: rows.map(sessionObject), nextCursor: next };
    sendJson(exchange, 200, answer);
  };

export const deleteEduSession =
  (services: EduServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { edu, audit } = services;
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const place = { orgId, id: exchange.params.id ?? '' };
    const isRevoked = await edu.sessions.revoke(place, (transaction, email) => {
      const entry = { orgId, actor, targetType: 'edu_session', targetId: place.id, before: { email } };
      return audit.record(transaction, { ...entry, action: 'org.edu_session.revoke' });
    });
    if (!isRevoked) throw new ApiError('http_404', 'There is no such session.');
    sendEmpty(exchange, 204);
  };

function emailOf(query: URLSearchParams): string | null {
  const text = query.get('email');
  if (text === null || text === '') return null;
  const address = parseAddress(text);
  if (address === null) throw new ApiError('http_400', 'email: must be an email address.');
  return address.email;
}

function sessionObject(session: StudentSession): EduSessionObject {
  const { id, keyId, keyName, email, status, createdAt, expiresAt, revokedAt, lastUsedAt } = session;
  return {
    id,
    key: { id: keyId, name: keyName },
    email,
    status,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    usage: {
      requests: Number(session.requests),
      tokens: Number(session.tokens),
      usd: usdNumber(session.spentNanoUsd),
    },
  };
}
