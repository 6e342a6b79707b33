// The routes of the institution plan: what students use, and what administrators of their organization decide.

import type { RouteRow } from '../../http/exchange.ts';
import { changeEduConfig, readEduConfig } from '../orgs/edu-config.ts';
import { createEduKey, deleteEduKey, type EduServices, listEduKeys } from '../orgs/edu-keys.ts';
import { deleteEduSession, listEduSessions } from '../orgs/edu-sessions.ts';
import type { Protect } from '../protect.ts';
import { consolePage } from '../system/console.ts';
import type { FormServices } from './form.ts';
import { type OwnSessionServices, readOwnSession } from './own-session.ts';
import { requestCode } from './request-code.ts';
import { verifyCode } from './verify.ts';

type EduRouteServices = EduServices &
  FormServices &
  OwnSessionServices &
  Parameters<typeof requestCode>[0] &
  Parameters<typeof consolePage>[0];

/** Three short texts. */
const bodyBytesMax = 4_096;

// biome-ignore format: a table reads best with one row a line.
export function eduRoutes(services: EduRouteServices, { caller, principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/edu', access: 'public', handle: consolePage(services, 'edu/index.html') },
    { method: 'POST', path: '/api/edu/request-code', access: 'public', bodyBytesMax, handle: requestCode(services) },
    { method: 'POST', path: '/api/edu/verify', access: 'public', bodyBytesMax, handle: verifyCode(services) },
    { method: 'GET', path: '/api/edu/session', access: 'account', isForStudents: true, handle: caller(readOwnSession(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/edu/keys', access: 'manager', handle: principal(listEduKeys(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/edu/keys', access: 'manager', handle: principal(createEduKey(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/edu/keys/:id', access: 'manager', handle: principal(deleteEduKey(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/edu/config', access: 'manager', handle: principal(readEduConfig(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/edu/config', access: 'manager', handle: principal(changeEduConfig(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/edu/sessions', access: 'manager', handle: principal(listEduSessions(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/edu/sessions/:id', access: 'manager', handle: principal(deleteEduSession(services)) },
  ];
}
