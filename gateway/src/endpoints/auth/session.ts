// GET /api/auth/session, the sessions of a person, and ending them: POST /api/auth/logout, POST /api/auth/logout-all,
// GET /api/auth/sessions and DELETE /api/auth/sessions/:id.

import type {
  SessionAnswer,
  SessionEndedAnswer,
  SessionEntry,
  SessionListAnswer,
  SignedOutAnswer,
} from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Session } from '../../modules/signin/store/sessions.ts';
import { unauthorized } from '../../pipeline/authenticate.ts';
import type { PrincipalHandler } from '../protect.ts';
import type { AuthServices } from './auth-services.ts';
import { clearCookie } from './cookies.ts';
import { sendPrivate } from './private-answer.ts';

export const readSession =
  (services: AuthServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    sendPrivate(exchange, 200, await sessionAnswer(services, userId));
  };

export async function sessionAnswer(
  { identity, organizations, operators }: Pick<AuthServices, 'identity' | 'organizations' | 'operators'>,
  userId: string,
): Promise<SessionAnswer> {
  const [user, memberships, operator] = await Promise.all([
    identity.findUser(userId),
    organizations.listOf(userId, null),
    operators.find(userId),
  ]);
  if (user === null) throw unauthorized();
  return {
    user: { id: user.id, email: user.email, name: user.name },
    organizations: memberships.map(({ id, name, role }) => ({ id, name, role })),
    operatorRole: operator?.role ?? null,
  };
}

export const logOut =
  (services: AuthServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    await services.openSessions.end(userId, await currentSessionId(exchange, services));
    answerSignedOut(exchange, services);
  };

export const logOutEverywhere =
  (services: AuthServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    await services.openSessions.endAll(userId, null);
    answerSignedOut(exchange, services);
  };

function answerSignedOut(exchange: Exchange, { siteUrl }: AuthServices): void {
  const answer: SignedOutAnswer = { signedOut: true };
  sendPrivate(exchange, 200, answer, clearCookie(siteUrl(), 'tollgate_session'));
}

export const listSessions =
  (services: AuthServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    const currentId = await currentSessionId(exchange, services);
    const sessions = await services.openSessions.list(userId);
    const answer: SessionListAnswer = { sessions: sessions.map((session) => toEntry(session, currentId)) };
    sendPrivate(exchange, 200, answer);
  };

export const endSession =
  ({ openSessions }: AuthServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    const isFound = await openSessions.end(userId, exchange.params.id ?? '');
    if (!isFound) throw new ApiError('http_404', 'There is no such session.');
    const answer: SessionEndedAnswer = { deleted: true };
    sendPrivate(exchange, 200, answer);
  };

export async function currentSessionId(exchange: Exchange, { sessions }: AuthServices): Promise<string> {
  const session = await sessions.find(exchange);
  if (session === null) throw unauthorized();
  return session.sessionId;
}

function toEntry(session: Session, currentId: string): SessionEntry {
  const { id, createdAt, lastSeenAt, expiresAt, userAgent, ip } = session;
  return {
    id,
    current: id === currentId,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    userAgent,
    ip,
  };
}
