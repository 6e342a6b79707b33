// GET and DELETE /v1/cache, /api/account/cache and /api/orgs/:orgId/cache: what answers from the cache have saved, and
// emptying it. A key empties its holder's answers; an organization's administrators empty those of all members.

import { DAY_MS, dayOf } from '../../canonical/calendar.ts';
import type { CacheAnswer } from '../../contract/cache.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Answers } from '../../modules/answers/answers.ts';
import type { SavedRow, Savings } from '../../modules/answers/savings.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { usdNumber } from '../../platform/money.ts';
import { requireAdmin } from '../orgs/authority.ts';
import type { RoleServices } from '../orgs/require-role.ts';
import { type AccountHandler, figuresOf, type PrincipalHandler } from '../protect.ts';

type CacheEndpointServices = Readonly<{
  savings: Savings;
  answers: Pick<Answers, 'drop'>;
  identity: Pick<Identity, 'forgetCallers'>;
  clock: Clock;
}>;

const DAYS = 30;

export const readCache =
  ({ savings, clock }: CacheEndpointServices): AccountHandler =>
  async (exchange, holder) => {
    const nowMs = clock.nowMs();
    const span = { firstDay: dayOf(nowMs - (DAYS - 1) * DAY_MS), lastDay: dayOf(nowMs) };
    const rows = await savings.read({ accountId: holder.accountId, userId: figuresOf(holder), ...span });
    const answer: CacheAnswer = {
      data: {
        since: span.firstDay,
        ...figures(rows),
        days: grouped(rows, ({ day }) => day).map(([day, ofDay]) => ({ day, ...figures(ofDay) })),
        models: grouped(rows, ({ modelId }) => modelId).map(([model, ofModel]) => ({ model, ...figures(ofModel) })),
      },
    };
    sendJson(exchange, 200, answer);
  };

export const purgeOwnCache =
  (services: CacheEndpointServices): AccountHandler =>
  async (exchange, { accountId, userId }) => {
    await purge(accountId, userId, services);
    sendEmpty(exchange, 204);
  };

export type OrgCacheServices = CacheEndpointServices &
  RoleServices &
  Readonly<{ audit: Pick<Audit, 'record'>; database: Database }>;

export const purgeOrgCache =
  (services: OrgCacheServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    await purge(orgId, null, services);
    const entry = { orgId, action: 'org.cache.purge', actor, targetType: 'org', targetId: orgId };
    await services.audit.record(services.database, entry);
    sendEmpty(exchange, 204);
  };

/** Applies from the next call on, in every process as soon as the notice arrives. */
async function purge(
  accountId: string,
  onlyUserId: string | null,
  { savings, answers, identity }: CacheEndpointServices,
): Promise<void> {
  await savings.purge(accountId, onlyUserId);
  await identity.forgetCallers(accountId);
  answers.drop(accountId, onlyUserId);
}

const figures = (rows: readonly SavedRow[]) => ({
  hits: Number(rows.reduce((total, { hits }) => total + hits, 0n)),
  savedUsd: usdNumber(rows.reduce((total, { savedNanoUsd }) => total + savedNanoUsd, 0n)),
});

function grouped(
  rows: readonly SavedRow[],
  nameOf: (row: SavedRow) => string,
): readonly (readonly [string, readonly SavedRow[]])[] {
  const groups = new Map<string, SavedRow[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group === undefined) groups.set(nameOf(row), [row]);
    else group.push(row);
  }
  return [...groups];
}
