// The routes of feeds, twice: an organization's for its administrators, and the operator's.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { RouteRow } from '../../http/exchange.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import { type Feed, OPERATOR_FEEDS } from '../../modules/feeds/feed.ts';
import type { OnFeedChanged } from '../../modules/feeds/feeds.ts';
import { requireAdmin } from '../orgs/authority.ts';
import type { RoleServices } from '../orgs/require-role.ts';
import type { Protect } from '../protect.ts';
import {
  changeFeed,
  createFeed,
  deleteFeed,
  type FeedHandler,
  type FeedServices,
  listFeeds,
  testFeed,
} from './feeds.ts';

type Services = FeedServices & RoleServices & Readonly<{ audit: Pick<Audit, 'record'> }>;

// biome-ignore format: a table reads best with one row a line.
export function feedRoutes(services: Services, { principal, operator }: Protect): readonly RouteRow[] {
  const org = (handle: FeedHandler) =>
    principal(async (exchange, who) => {
      const { orgId, actor } = await requireAdmin(services, exchange, who);
      await handle(exchange, { owner: { kind: 'org', id: orgId }, onChanged: logged(services, orgId, actor) });
    });
  const ours = (handle: FeedHandler) =>
    operator((exchange) => handle(exchange, { owner: OPERATOR_FEEDS, onChanged: async () => {} }));
  return [
    { method: 'GET', path: '/api/orgs/:orgId/feeds', access: 'manager', handle: org(listFeeds(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/feeds', access: 'manager', handle: org(createFeed(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/feeds/:feedId', access: 'manager', handle: org(changeFeed(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/feeds/:feedId', access: 'manager', handle: org(deleteFeed(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/feeds/:feedId/test', access: 'manager', handle: org(testFeed(services)) },
    { method: 'GET', path: '/admin/v1/feeds', access: 'operator', leastRole: 'read_only', handle: ours(listFeeds(services)) },
    { method: 'POST', path: '/admin/v1/feeds', access: 'operator', leastRole: 'owner', handle: ours(createFeed(services)) },
    { method: 'PATCH', path: '/admin/v1/feeds/:feedId', access: 'operator', leastRole: 'owner', handle: ours(changeFeed(services)) },
    { method: 'DELETE', path: '/admin/v1/feeds/:feedId', access: 'operator', leastRole: 'owner', handle: ours(deleteFeed(services)) },
    { method: 'POST', path: '/admin/v1/feeds/:feedId/test', access: 'operator', leastRole: 'owner', handle: ours(testFeed(services)) },
  ];
}

const logged =
  ({ audit }: Services, orgId: string, actor: AuditActor): OnFeedChanged =>
  async (transaction, { before, after }) => {
    const target = { targetType: 'feed', targetId: (after ?? before)?.id ?? '' };
    const change = after === null ? 'delete' : before === null ? 'create' : 'update';
    const entry = { before: seen(before), after: seen(after) };
    await audit.record(transaction, { orgId, action: `org.feed.${change}`, actor, ...target, ...entry });
  };

function seen(feed: Feed | null) {
  if (feed === null) return null;
  const { name, form, host, isEnabled: enabled } = feed;
  return { name, form, host, enabled };
}
