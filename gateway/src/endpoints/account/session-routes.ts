// What a signed-in person reads and does with an account: the same handlers that serve keys below /v1.

import { ORG_ROLES, type OrgRole } from '../../contract/org-management.ts';
import type { RouteRow } from '../../http/exchange.ts';
import { listOwnCalls } from '../admin/calls.ts';
import { cancelOwnBatch, listOwnBatches, listOwnFiles } from '../batches/own-batches.ts';
import { readModelRoutes } from '../models/model-routes.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';
import { changeAutomaticTopUp, forgetCard, openCardPage, readAutomaticTopUp } from '../payments/automatic.ts';
import { readReceipt } from '../payments/receipt.ts';
import { createTopUp, listTopUps, quoteTopUp, readTopUp, readTopUpOptions } from '../payments/top-ups.ts';
import type { AccountHandler, PrincipalHandler, Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { purgeOwnCache, readCache } from './cache.ts';
import { changeCircuitBreaker, readCircuitBreaker } from './circuit-breaker.ts';
import { readCredits } from './credits.ts';
import { listOwnExposures } from './exposure.ts';
import { readGeneration } from './generation.ts';
import { listGenerations } from './generations.ts';
import { readInsights } from './insights.ts';
import { readOwnAccount } from './own-account.ts';
import { redeemCode } from './redeem.ts';
import { readUsage } from './usage.ts';

// biome-ignore format: a table reads best with one row a line.
export function sessionAccountRoutes(services: Services, { principal }: Protect): readonly RouteRow[] {
  const reader = (handle: AccountHandler) => principal(ofChosenAccount(services, READERS, handle));
  const person = (handle: AccountHandler) => principal(ofChosenAccount(services, ORG_ROLES, handle));
  const buyer = (handle: AccountHandler) => principal(ofChosenAccount(services, BUYERS, handle));
  return [
    { method: 'GET', path: '/api/account', access: 'session', handle: reader(readOwnAccount(services)) },
    { method: 'GET', path: '/api/account/credits', access: 'session', handle: reader(readCredits(services.ledger)) },
    { method: 'GET', path: '/api/account/batches', access: 'session', handle: person(listOwnBatches(services)) },
    { method: 'POST', path: '/api/account/batches/:id/cancel', access: 'session', handle: person(cancelOwnBatch(services)) },
    { method: 'GET', path: '/api/account/files', access: 'session', handle: person(listOwnFiles(services)) },
    { method: 'GET', path: '/api/account/cache', access: 'session', handle: reader(readCache(services)) },
    { method: 'DELETE', path: '/api/account/cache', access: 'session', handle: principal(purgeOwnCache(services)) },
    { method: 'POST', path: '/api/account/redeem', access: 'session', handle: buyer(redeemCode(services)) },
    { method: 'GET', path: '/api/account/usage', access: 'session', handle: reader(readUsage(services)) },
    { method: 'GET', path: '/api/account/insights', access: 'session', handle: reader(readInsights(services)) },
    { method: 'GET', path: '/api/account/generation', access: 'session', handle: reader(readGeneration(services)) },
    { method: 'GET', path: '/api/account/generations', access: 'session', handle: reader(listGenerations(services.usage)) },
    { method: 'GET', path: '/api/account/calls', access: 'session', handle: reader(listOwnCalls(services)) },
    { method: 'GET', path: '/api/account/circuit-breaker', access: 'session', handle: principal(readCircuitBreaker(services)) },
    { method: 'PATCH', path: '/api/account/circuit-breaker', access: 'session', handle: principal(changeCircuitBreaker(services)) },
    { method: 'GET', path: '/api/account/exposures', access: 'session', handle: principal(listOwnExposures(services)) },
    { method: 'GET', path: '/api/models/:slug/routes', access: 'session', handle: principal(readModelRoutes(services)) },
    { method: 'GET', path: '/api/account/auto-topup', access: 'session', handle: reader(readAutomaticTopUp(services)) },
    { method: 'PUT', path: '/api/account/auto-topup', access: 'session', handle: buyer(changeAutomaticTopUp(services)) },
    { method: 'POST', path: '/api/account/auto-topup/card', access: 'session', handle: buyer(openCardPage(services)) },
    { method: 'DELETE', path: '/api/account/auto-topup/card', access: 'session', handle: buyer(forgetCard(services)) },
    { method: 'POST', path: '/api/account/topups', access: 'session', handle: buyer(createTopUp(services)) },
    { method: 'GET', path: '/api/account/topups', access: 'session', handle: reader(listTopUps(services)) },
    { method: 'GET', path: '/api/account/topups/options', access: 'session', handle: reader(readTopUpOptions(services)) },
    { method: 'GET', path: '/api/account/topups/quote', access: 'session', handle: reader(quoteTopUp(services)) },
    { method: 'GET', path: '/api/account/topups/:id', access: 'session', handle: reader(readTopUp(services)) },
    { method: 'GET', path: '/api/account/topups/:id/receipt', access: 'session', handle: reader(readReceipt(services)) },
  ];
}

// Which account a signed-in person means: their own, or with `?orgId=` that of an organization whose figures their role
// lets them see. Buying for an organization takes its administrator.

const READERS: readonly OrgRole[] = ['org_admin', 'billing_viewer'];
const BUYERS: readonly OrgRole[] = ['org_admin'];

const ofChosenAccount =
  (services: RoleServices, roles: readonly OrgRole[], handle: AccountHandler): PrincipalHandler =>
  async (exchange, principal) => {
    const { userId } = principal;
    const orgId = new URLSearchParams(exchange.queryText).get('orgId');
    if (orgId !== null) await requireRole(services, principal, orgId, roles);
    await handle(exchange, { userId, accountId: orgId ?? userId });
  };
