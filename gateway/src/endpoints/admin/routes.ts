// The operator's routes, each with the lowest role that may use it. Routes that change the platform or show a secret
// are for owners; those about one customer are for support; reading is for all roles, except for what customers wrote.

import type { RouteRow } from '../../http/exchange.ts';
import { readOrgEntries, readUserEntries } from '../account/statement.ts';
import type { Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { listOrgKeys, listOrgMembers, readOrgUsage, readUserUsage } from './account-pages.ts';
import { adjustOrg, adjustUser, refundGeneration } from './adjustments.ts';
import { readOperatorLog } from './audit-log.ts';
import { changeBrakeEndpoint, readBrakeEndpoint } from './brake.ts';
import { listAllCalls } from './calls.ts';
import { listCodes, makeCodes, voidCodes } from './codes.ts';
import { changeAutoTierEndpoint, readAutoTierEndpoint, readConfigEndpoint, replaceConfigEndpoint } from './config.ts';
import { listRevisionsEndpoint, readRevisionEndpoint, restoreRevisionEndpoint } from './config-revisions.ts';
import { creditUser } from './credits.ts';
import { listEvidence, readEvidence } from './evidence.ts';
import { explainGeneration, readUpstreamCosts } from './explain.ts';
import { changeExposure, listExposures } from './exposure.ts';
import { resetFactors } from './factors.ts';
import { readRouteHealth } from './health.ts';
import { changeKeyOfUser, createUserKey, deleteKeyOfUser, listUserKeys } from './keys.ts';
import { archiveLedgerMonth, checkLedger, listLedgerCheckpoints, listLedgerLines, listLedgerMonths } from './ledger.ts';
import { appointOperator, changeOperator, dismissOperator, listOperators, readActingOperator } from './operators.ts';
import { listOrders, refundOrder } from './orders.ts';
import { changeOrg, createOrg, createOrgKey, creditOrg, listOrgs, readOrg } from './orgs.ts';
import { readOperatorOverview } from './overview.ts';
import { readPriceFindings, readPrices, updatePricesEndpoint } from './prices.ts';
import { removeKeyEndpoint, setKeyEndpoint } from './provider-keys.ts';
import { connectEndpoint, discoverEndpoint, listProviders, listVendors, testProviderEndpoint } from './providers.ts';
import { readRootSecretEndpoint } from './root-secret.ts';
import { readRouteHistory } from './route-history.ts';
import { removeOrgSignOn } from './sign-on.ts';
import { markStatementPaid, readStatement } from './statements.ts';
import { dropUsageMonths, readAbsorbed, rebuildUsage } from './usage.ts';
import { changeUser, createUser, listUsers, readUser } from './users.ts';

const access = 'operator';

export const operatorRoutes = (services: Services, protect: Protect): readonly RouteRow[] => [
  ...peopleRoutes(services, protect),
  ...platformRoutes(services, protect),
];

// biome-ignore format: a table reads best with one row a line.
function peopleRoutes(services: Services, { operator }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/admin/v1/operator', access, leastRole: 'read_only', handle: operator(readActingOperator) },
    { method: 'GET', path: '/admin/v1/operators', access, leastRole: 'read_only', handle: operator(listOperators(services)) },
    { method: 'POST', path: '/admin/v1/operators', access, leastRole: 'owner', handle: operator(appointOperator(services)) },
    { method: 'PATCH', path: '/admin/v1/operators/:userId', access, leastRole: 'owner', handle: operator(changeOperator(services)) },
    { method: 'DELETE', path: '/admin/v1/operators/:userId', access, leastRole: 'owner', handle: operator(dismissOperator(services)) },
    { method: 'GET', path: '/admin/v1/users', access, leastRole: 'read_only', handle: operator(listUsers(services)) },
    { method: 'POST', path: '/admin/v1/users', access, leastRole: 'support', handle: operator(createUser(services)) },
    { method: 'GET', path: '/admin/v1/users/:id', access, leastRole: 'read_only', handle: operator(readUser(services)) },
    { method: 'PATCH', path: '/admin/v1/users/:id', access, leastRole: 'support', handle: operator(changeUser(services)) },
    { method: 'DELETE', path: '/admin/v1/users/:id/factors', access, leastRole: 'support', handle: operator(resetFactors(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/credits', access, leastRole: 'support', handle: operator(creditUser(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/adjustments', access, leastRole: 'support', handle: operator(adjustUser(services)) },
    { method: 'GET', path: '/admin/v1/users/:id/entries', access, leastRole: 'read_only', handle: operator(readUserEntries(services)) },
    { method: 'GET', path: '/admin/v1/users/:id/keys', access, leastRole: 'read_only', handle: operator(listUserKeys(services)) },
    { method: 'GET', path: '/admin/v1/users/:id/usage', access, leastRole: 'read_only', handle: operator(readUserUsage(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/keys', access, leastRole: 'owner', handle: operator(createUserKey(services)) },
    { method: 'PATCH', path: '/admin/v1/keys/:id', access, leastRole: 'support', handle: operator(changeKeyOfUser(services)) },
    { method: 'DELETE', path: '/admin/v1/keys/:id', access, leastRole: 'support', handle: operator(deleteKeyOfUser(services)) },
    { method: 'GET', path: '/admin/v1/codes', access, leastRole: 'read_only', handle: operator(listCodes(services)) },
    { method: 'POST', path: '/admin/v1/codes', access, leastRole: 'owner', handle: operator(makeCodes(services)) },
    { method: 'DELETE', path: '/admin/v1/codes/:id', access, leastRole: 'support', handle: operator(voidCodes(services)) },
    { method: 'POST', path: '/admin/v1/orders/:id/refund', access, leastRole: 'support', handle: operator(refundOrder(services)) },
    { method: 'GET', path: '/admin/v1/orders', access, leastRole: 'read_only', handle: operator(listOrders(services.payments)) },
    { method: 'GET', path: '/admin/v1/orgs', access, leastRole: 'read_only', handle: operator(listOrgs(services)) },
    { method: 'POST', path: '/admin/v1/orgs', access, leastRole: 'support', handle: operator(createOrg(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id', access, leastRole: 'read_only', handle: operator(readOrg(services)) },
    { method: 'PATCH', path: '/admin/v1/orgs/:id', access, leastRole: 'owner', handle: operator(changeOrg(services)) },
    { method: 'DELETE', path: '/admin/v1/orgs/:id/sign-on', access, leastRole: 'owner', handle: operator(removeOrgSignOn(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/credits', access, leastRole: 'support', handle: operator(creditOrg(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/adjustments', access, leastRole: 'support', handle: operator(adjustOrg(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/entries', access, leastRole: 'read_only', handle: operator(readOrgEntries(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/usage', access, leastRole: 'read_only', handle: operator(readOrgUsage(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/members', access, leastRole: 'read_only', handle: operator(listOrgMembers(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/keys', access, leastRole: 'read_only', handle: operator(listOrgKeys(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/keys', access, leastRole: 'owner', handle: operator(createOrgKey(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/statements', access, leastRole: 'read_only', handle: operator(readStatement(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/statements/:month/paid', access, leastRole: 'support', handle: operator(markStatementPaid(services)) },
  ];
}

// biome-ignore format: a table reads best with one row a line.
function platformRoutes(services: Services, { operator }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/admin/v1/config', access, leastRole: 'read_only', handle: operator(readConfigEndpoint(services)) },
    { method: 'PUT', path: '/admin/v1/config', access, leastRole: 'owner', handle: operator(replaceConfigEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/config/revisions', access, leastRole: 'read_only', handle: operator(listRevisionsEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/config/revisions/:revision', access, leastRole: 'read_only', handle: operator(readRevisionEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/config/revisions/:revision/restore', access, leastRole: 'owner', handle: operator(restoreRevisionEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/auto-router/:table/:tier', access, leastRole: 'read_only', handle: operator(readAutoTierEndpoint(services)) },
    { method: 'PATCH', path: '/admin/v1/auto-router/:table/:tier', access, leastRole: 'owner', handle: operator(changeAutoTierEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/vendors', access, leastRole: 'read_only', handle: operator(listVendors) },
    { method: 'GET', path: '/admin/v1/providers', access, leastRole: 'read_only', handle: operator(listProviders(services)) },
    { method: 'POST', path: '/admin/v1/providers', access, leastRole: 'owner', handle: operator(connectEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/providers/discover', access, leastRole: 'owner', handle: operator(discoverEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/providers/:name/test', access, leastRole: 'owner', handle: operator(testProviderEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/prices', access, leastRole: 'read_only', handle: operator(readPrices(services)) },
    { method: 'GET', path: '/admin/v1/prices/findings', access, leastRole: 'read_only', handle: operator(readPriceFindings(services)) },
    { method: 'POST', path: '/admin/v1/prices/update', access, leastRole: 'owner', handle: operator(updatePricesEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/brake', access, leastRole: 'read_only', handle: operator(readBrakeEndpoint(services.brake)) },
    { method: 'PATCH', path: '/admin/v1/brake', access, leastRole: 'owner', handle: operator(changeBrakeEndpoint(services.brake)) },
    { method: 'GET', path: '/admin/v1/secret', access, leastRole: 'read_only', handle: operator(readRootSecretEndpoint(services.rootSecrets)) },
    { method: 'GET', path: '/admin/v1/overview', access, leastRole: 'read_only', handle: operator(readOperatorOverview(services)) },
    { method: 'GET', path: '/admin/v1/calls', access, leastRole: 'read_only', handle: operator(listAllCalls(services)) },
    { method: 'GET', path: '/admin/v1/health/routes', access, leastRole: 'read_only', handle: operator(readRouteHealth(services)) },
    { method: 'GET', path: '/admin/v1/audit-log', access, leastRole: 'read_only', handle: operator(readOperatorLog(services)) },
    { method: 'GET', path: '/admin/v1/ledger/check', access, leastRole: 'read_only', handle: operator(checkLedger(services)) },
    { method: 'GET', path: '/admin/v1/generations/:id/explain', access, leastRole: 'read_only', handle: operator(explainGeneration(services)) },
    { method: 'POST', path: '/admin/v1/generations/:id/refund', access, leastRole: 'support', handle: operator(refundGeneration(services)) },
    { method: 'GET', path: '/admin/v1/upstream-costs', access, leastRole: 'read_only', handle: operator(readUpstreamCosts(services)) },
    { method: 'GET', path: '/admin/v1/absorbed', access, leastRole: 'read_only', handle: operator(readAbsorbed(services.usage)) },
    { method: 'GET', path: '/admin/v1/exposures', access, leastRole: 'read_only', handle: operator(listExposures(services)) },
    { method: 'PATCH', path: '/admin/v1/exposures/:accountId/:userId', access, leastRole: 'support', handle: operator(changeExposure(services)) },
    { method: 'GET', path: '/admin/v1/evidence', access, leastRole: 'read_only', handle: operator(listEvidence(services)) },
    { method: 'GET', path: '/admin/v1/evidence/:id', access, leastRole: 'support', handle: operator(readEvidence(services)) },
    { method: 'POST', path: '/admin/v1/usage/rebuild', access, leastRole: 'owner', handle: operator(rebuildUsage(services)) },
    { method: 'POST', path: '/admin/v1/usage/drop-months', access, leastRole: 'owner', handle: operator(dropUsageMonths(services)) },
    { method: 'GET', path: '/admin/v1/health/history', access, leastRole: 'read_only', handle: operator(readRouteHistory(services)) },
    { method: 'PUT', path: '/admin/v1/providers/:name/keys/:key', access, leastRole: 'owner', handle: operator(setKeyEndpoint(services)) },
    { method: 'DELETE', path: '/admin/v1/providers/:name/keys/:key', access, leastRole: 'owner', handle: operator(removeKeyEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months', access, leastRole: 'read_only', handle: operator(listLedgerMonths(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months/:month/entries', access, leastRole: 'read_only', handle: operator(listLedgerLines(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months/:month/checkpoints', access, leastRole: 'read_only', handle: operator(listLedgerCheckpoints(services)) },
    { method: 'POST', path: '/admin/v1/ledger/months/:month/archive', access, leastRole: 'owner', handle: operator(archiveLedgerMonth(services)) },
  ];
}
