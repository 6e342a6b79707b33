// GET /api/edu/session: what a student's session has used and what is left, asked with its token. Other keys have no
// session.

import type { OwnEduSessionObject } from '../../contract/edu.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { StudentQuotas } from '../../modules/edu/quotas.ts';
import { usdNumber } from '../../platform/money.ts';
import { sendPrivate } from '../auth/private-answer.ts';
import type { CallerHandler } from '../protect.ts';

export type OwnSessionServices = Readonly<{ edu: Readonly<{ quotas: Pick<StudentQuotas, 'used'> }> }>;

export const readOwnSession =
  ({ edu }: OwnSessionServices): CallerHandler =>
  async (exchange, { student, keyId, accountId, caps }) => {
    if (student === undefined) throw new ApiError('http_403', 'This path is only for sessions of an institution.');
    const use = await edu.quotas.used(accountId, keyId);
    if (use === null) throw new ApiError('http_404', 'There is no such session.');
    const limit = caps.find(({ scope }) => scope === 'session')?.limitNanoUsd ?? null;
    const answer: OwnEduSessionObject = {
      expiresAt: use.expiresAt.toISOString(),
      requests: { used: Number(use.requestsUsed), max: student.requestsMax },
      tokens: { used: Number(use.tokensUsed), max: student.tokensMax },
      usd: { used: usdNumber(use.spentNanoUsd), max: limit === null ? null : usdNumber(limit) },
    };
    sendPrivate(exchange, 200, answer);
  };
