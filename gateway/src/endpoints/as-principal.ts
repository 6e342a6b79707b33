// A management key's holder manages as a person with a session would: rows that take keys alone share their handlers
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
