// The routes of notices, three times: a person's own, an organization's for its administrators, and the operator's.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { RouteRow } from '../../http/exchange.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { NoticeAddress, OnAddressChanged } from '../../modules/notices/addresses.ts';
import { OPERATOR } from '../../modules/notices/owner.ts';
import { requireAdmin } from '../orgs/authority.ts';
import type { RoleServices } from '../orgs/require-role.ts';
import type { Protect } from '../protect.ts';
import {
  addressObject,
  changeNoticeAddress,
  createNoticeAddress,
  deleteNoticeAddress,
  listNotices,
  type NoticeServices,
  type OwnerHandler,
  testNoticeAddress,
} from './notices.ts';

type Services = NoticeServices & RoleServices & Readonly<{ audit: Pick<Audit, 'record'> }>;

// biome-ignore format: a table reads best with one row a line.
export function noticeRoutes(services: Services, { principal, operator }: Protect): readonly RouteRow[] {
  const own = (handle: OwnerHandler) =>
    principal((exchange, { userId }) => handle(exchange, { owner: { kind: 'user', id: userId }, onChanged: async () => {} }));
  const org = (handle: OwnerHandler) =>
    principal(async (exchange, who) => {
      const { orgId, actor } = await requireAdmin(services, exchange, who);
      await handle(exchange, { owner: { kind: 'org', id: orgId }, onChanged: logged(services, orgId, actor) });
    });
  const ours = (handle: OwnerHandler) =>
    operator((exchange) => handle(exchange, { owner: OPERATOR, onChanged: async () => {} }));
  return [
    { method: 'GET', path: '/api/account/notices', access: 'session', handle: own(listNotices(services)) },
    { method: 'POST', path: '/api/account/notices/addresses', access: 'session', handle: own(createNoticeAddress(services)) },
    { method: 'PATCH', path: '/api/account/notices/addresses/:addressId', access: 'session', handle: own(changeNoticeAddress(services)) },
    { method: 'DELETE', path: '/api/account/notices/addresses/:addressId', access: 'session', handle: own(deleteNoticeAddress(services)) },
    { method: 'POST', path: '/api/account/notices/addresses/:addressId/test', access: 'session', handle: own(testNoticeAddress(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/notices', access: 'manager', handle: org(listNotices(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/notices/addresses', access: 'manager', handle: org(createNoticeAddress(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/notices/addresses/:addressId', access: 'manager', handle: org(changeNoticeAddress(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/notices/addresses/:addressId', access: 'manager', handle: org(deleteNoticeAddress(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/notices/addresses/:addressId/test', access: 'manager', handle: org(testNoticeAddress(services)) },
    { method: 'GET', path: '/admin/v1/notices', access: 'operator', leastRole: 'read_only', handle: ours(listNotices(services)) },
    { method: 'POST', path: '/admin/v1/notices/addresses', access: 'operator', leastRole: 'owner', handle: ours(createNoticeAddress(services)) },
    { method: 'PATCH', path: '/admin/v1/notices/addresses/:addressId', access: 'operator', leastRole: 'owner', handle: ours(changeNoticeAddress(services)) },
    { method: 'DELETE', path: '/admin/v1/notices/addresses/:addressId', access: 'operator', leastRole: 'owner', handle: ours(deleteNoticeAddress(services)) },
    { method: 'POST', path: '/admin/v1/notices/addresses/:addressId/test', access: 'operator', leastRole: 'owner', handle: ours(testNoticeAddress(services)) },
  ];
}

/** The log has the host and never the address, because a reader of the log could use the address. */
const logged =
  ({ audit }: Services, orgId: string, actor: AuditActor): OnAddressChanged =>
  async (transaction, { before, after }) => {
    const target = { targetType: 'notice_address', targetId: (after ?? before)?.id ?? '' };
    const change = after === null ? 'delete' : before === null ? 'create' : 'update';
    const entry = { before: seen(before), after: seen(after) };
    await audit.record(transaction, { orgId, action: `org.notice_address.${change}`, actor, ...target, ...entry });
  };

function seen(address: NoticeAddress | null) {
  if (address === null) return null;
  const { channel, shown, kinds, lowBalanceUsd, enabled } = addressObject(address);
  return { channel, shown, kinds: [...kinds], lowBalanceUsd, enabled };
}
