// Finds the session of a request. Only routes that accept sessions ask; everywhere else the cookie is ignored.

import type { Sessions } from '../../modules/signin/sessions.ts';
import type { SessionServices } from '../identify.ts';
import { readCookie } from './cookies.ts';
import { refuseForeignChange, type SiteServices } from './same-site.ts';

type SessionFinderServices = SiteServices & Readonly<{ openSessions: Pick<Sessions, 'find'> }>;

export function createSessionFinder(services: SessionFinderServices): SessionServices['sessions'] {
  return {
    async find(exchange) {
      const token = readCookie(exchange.request, services.siteUrl(), 'tollgate_session');
      const session = token === null ? null : await services.openSessions.find(token);
      if (session !== null) refuseForeignChange(exchange, services);
      return session;
    },
  };
}
