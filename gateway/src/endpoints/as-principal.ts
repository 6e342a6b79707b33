// The holder of a management key manages like a person with a session: rows that take only keys share their handlers
// with those that take both.

import type { CallerHandler, PrincipalHandler } from './protect.ts';

export const asPrincipal =
  (handle: PrincipalHandler): CallerHandler =>
  (exchange, caller) =>
    handle(exchange, {
      userId: caller.userId,
      accountId: caller.accountId,
      credential: 'key',
      hasSecondFactor: true,
      signOnOrgId: null,
      caller,
    });
