// Every route of the gateway, and nothing else: method, path, who may call it, what answers. Authorization is tested
// row by row from this table.

import type { RouteRow } from '../http/exchange.ts';
import { createOnce, type Once } from '../pipeline/run-once.ts';
import { changeCircuitBreaker, readCircuitBreaker } from './account/circuit-breaker.ts';
import { readCredits } from './account/credits.ts';
import { readOwnExposure } from './account/exposure.ts';
import { readGeneration } from './account/generation.ts';
import { readInsights } from './account/insights.ts';
import { readAuthKey, readKeyInfo } from './account/key-info.ts';
import { sessionAccountRoutes } from './account/session-routes.ts';
import { readAccountStatement, readOrgEntries, readUserEntries } from './account/statement.ts';
import { readUsage } from './account/usage.ts';
import { adjustOrg, adjustUser, refundGeneration } from './admin/adjustments.ts';
import { readOperatorLog } from './admin/audit-log.ts';
import { changeBrakeEndpoint, readBrakeEndpoint } from './admin/brake.ts';
import { listAllCalls } from './admin/calls.ts';
import {
  changeAutoTierEndpoint,
  readAutoTierEndpoint,
  readConfigEndpoint,
  replaceConfigEndpoint,
} from './admin/config.ts';
import { listRevisionsEndpoint, readRevisionEndpoint, restoreRevisionEndpoint } from './admin/config-revisions.ts';
import { creditUser } from './admin/credits.ts';
import { listEvidence, readEvidence } from './admin/evidence.ts';
import { explainGeneration, readUpstreamCosts } from './admin/explain.ts';
import { changeExposure, listExposures } from './admin/exposure.ts';
import { readRouteHealth } from './admin/health.ts';
import { changeKeyOfUser, createUserKey, deleteKeyOfUser, listUserKeys } from './admin/keys.ts';
import {
  archiveLedgerMonth,
  checkLedger,
  listLedgerCheckpoints,
  listLedgerLines,
  listLedgerMonths,
} from './admin/ledger.ts';
import { listOrders } from './admin/orders.ts';
import { changeOrg, createOrg, createOrgKey, creditOrg, listOrgs, readOrg } from './admin/orgs.ts';
import { readOperatorOverview } from './admin/overview.ts';
import { readPriceFindings, readPrices, updatePricesEndpoint } from './admin/prices.ts';
import { removeKeyEndpoint, setKeyEndpoint } from './admin/provider-keys.ts';
import {
  connectEndpoint,
  discoverEndpoint,
  listProviders,
  listVendors,
  testProviderEndpoint,
} from './admin/providers.ts';
import { readRouteHistory } from './admin/route-history.ts';
import { markStatementPaid, readStatement } from './admin/statements.ts';
import { dropUsageMonths, readAbsorbed, rebuildUsage } from './admin/usage.ts';
import { changeUser, createUser, listUsers, readUser } from './admin/users.ts';
import { createSpeech } from './audio/speech.ts';
import { createTranscription } from './audio/transcriptions.ts';
import { authRoutes } from './auth/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import { byokRoutes } from './byok/routes.ts';
import { chatCompletions } from './chat/chat-completions.ts';
import { createCompletion } from './completions/completions.ts';
import { docsRoutes } from './docs/routes.ts';
import { eduRoutes } from './edu/routes.ts';
import { createEmbeddings } from './embeddings/embeddings.ts';
import { imageRoutes } from './images/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { countTokens } from './messages/count-tokens.ts';
import { createMessage } from './messages/messages.ts';
import { listImageModelsEndpoint } from './models/list-image-models.ts';
import { listModelsEndpoint } from './models/list-models.ts';
import { readPublicModelRoutes } from './models/model-routes.ts';
import { retrieveModelEndpoint } from './models/retrieve-model.ts';
import { createModeration } from './moderations/moderations.ts';
import { noticeRoutes } from './notices/routes.ts';
import { contentFilterRoutes } from './orgs/content-filters-routes.ts';
import { orgSpendRoutes } from './orgs/reports-routes.ts';
import { orgRoutes } from './orgs/routes.ts';
import { readReceipt } from './payments/receipt.ts';
import { createTopUp, listTopUps, quoteTopUp, readTopUp } from './payments/top-ups.ts';
import { receiveNotification } from './payments/webhook.ts';
import { createProtect, type Protect } from './protect.ts';
import { createRanking } from './rerank/rerank.ts';
import { createResponse } from './responses/responses.ts';
import type { Services } from './services.ts';
import { consoleFile, redirectToConsole } from './system/console.ts';
import { readHealth, readReadiness } from './system/health.ts';
import { answerHello, refuseUpgrade } from './system/hello.ts';
import { readMetrics } from './system/metrics.ts';
import { readSite } from './system/site.ts';
import { videoRoutes } from './videos/routes.ts';

type Rows = readonly RouteRow[];

const isForStudents = true;

export function createRoutes(services: Services): Rows {
  const protect = createProtect(services);
  const once = createOnce(services);
  const rows: Rows = [
    ...inferenceRoutes(services, protect, once),
    ...videoRoutes(services, protect, once),
    ...imageRoutes(services, once),
    ...batchRoutes(services, protect),
    ...accountRoutes(services, protect),
    ...authRoutes(services, protect),
    ...sessionAccountRoutes(services, protect),
    ...keyRoutes(services, protect),
    ...orgRoutes(services, protect),
    ...byokRoutes(services, protect),
    ...orgSpendRoutes(services, protect),
    ...contentFilterRoutes(services, protect),
    ...noticeRoutes(services, protect),
    ...eduRoutes(services, protect),
    ...operatorRoutes(services, protect),
    ...catalogRoutes(services, protect),
    ...systemRoutes(services, protect),
    ...docsRoutes(services, () => rows),
  ];
  return rows;
}

// biome-ignore format: a table reads best with one row a line.
function inferenceRoutes(services: Services, { caller, listing }: Protect, once: Once): Rows {
  return [
    { method: 'POST', path: '/v1/chat/completions', access: 'model', isForStudents, handle: once(chatCompletions(services)) },
    { method: 'POST', path: '/v1/cursor/chat/completions', access: 'model', isForStudents, handle: once(chatCompletions(services)) },
    { method: 'POST', path: '/v1/completions', access: 'model', handle: once(createCompletion(services)) },
    { method: 'POST', path: '/v1/responses', access: 'model', handle: once(createResponse(services)) },
    { method: 'POST', path: '/v1/messages', access: 'model', errors: 'messages', handle: once(createMessage(services)) },
    { method: 'POST', path: '/v1/messages/count_tokens', access: 'model', errors: 'messages', handle: caller(countTokens(services)) },
    { method: 'GET', path: '/v1/responses', access: 'public', handle: refuseUpgrade },
    { method: 'POST', path: '/v1/embeddings', access: 'model', isForStudents, handle: once(createEmbeddings(services)) },
    { method: 'POST', path: '/v1/rerank', access: 'model', handle: once(createRanking(services)) },
    { method: 'POST', path: '/v2/rerank', access: 'model', handle: once(createRanking(services)) },
    { method: 'POST', path: '/v1/moderations', access: 'model', handle: once(createModeration(services)) },
    { method: 'POST', path: '/v1/audio/speech', access: 'model', handle: once(createSpeech(services)) },
    { method: 'POST', path: '/v1/audio/transcriptions', access: 'model', handle: once(createTranscription(services)) },
    { method: 'GET', path: '/v1/models', access: 'public', handle: listing(listModelsEndpoint(services)) },
    { method: 'GET', path: '/v1/models/:slug', access: 'public', handle: listing(retrieveModelEndpoint(services)) },
    { method: 'GET', path: '/v1/models/:vendor/:name', access: 'public', handle: listing(retrieveModelEndpoint(services)) },
    { method: 'GET', path: '/v1/images/models', access: 'public', handle: listing(listImageModelsEndpoint(services)) },
  ];
}

// biome-ignore format: a table reads best with one row a line.
function accountRoutes(services: Services, { caller, uncountedCaller, principal }: Protect): Rows {
  return [
    { method: 'GET', path: '/v1/key', access: 'account', handle: caller(readKeyInfo(services)) },
    { method: 'GET', path: '/v1/auth/key', access: 'account', handle: uncountedCaller(readAuthKey(services)) },
    { method: 'GET', path: '/v1/credits', access: 'account', handle: caller(readCredits(services.ledger)) },
    { method: 'POST', path: '/v1/credits/topups', access: 'account', handle: caller(createTopUp(services)) },
    { method: 'GET', path: '/v1/credits/topups', access: 'account', handle: caller(listTopUps(services)) },
    { method: 'GET', path: '/v1/credits/topups/quote', access: 'account', handle: caller(quoteTopUp(services)) },
    { method: 'GET', path: '/v1/credits/topups/:id', access: 'account', handle: caller(readTopUp(services)) },
    { method: 'GET', path: '/v1/credits/topups/:id/receipt', access: 'account', handle: caller(readReceipt(services)) },
    { method: 'GET', path: '/v1/generation', access: 'account', handle: caller(readGeneration(services)) },
    { method: 'GET', path: '/v1/usage', access: 'account', handle: caller(readUsage(services)) },
    { method: 'GET', path: '/v1/statement', access: 'person', handle: principal(readAccountStatement(services)) },
    { method: 'GET', path: '/v1/insights', access: 'person', handle: principal(readInsights(services)) },
    { method: 'GET', path: '/v1/account/circuit-breaker', access: 'account', handle: caller(readCircuitBreaker(services)) },
    { method: 'PATCH', path: '/v1/account/circuit-breaker', access: 'account', handle: caller(changeCircuitBreaker(services)) },
    { method: 'GET', path: '/v1/account/exposure', access: 'account', handle: caller(readOwnExposure(services)) },
  ];
}

// biome-ignore format: a table reads best with one row a line.
function operatorRoutes(services: Services, { operator }: Protect): Rows {
  return [
    { method: 'GET', path: '/admin/v1/users', access: 'operator', handle: operator(listUsers(services)) },
    { method: 'POST', path: '/admin/v1/users', access: 'operator', handle: operator(createUser(services)) },
    { method: 'GET', path: '/admin/v1/users/:id', access: 'operator', handle: operator(readUser(services)) },
    { method: 'PATCH', path: '/admin/v1/users/:id', access: 'operator', handle: operator(changeUser(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/credits', access: 'operator', handle: operator(creditUser(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/adjustments', access: 'operator', handle: operator(adjustUser(services)) },
    { method: 'GET', path: '/admin/v1/users/:id/entries', access: 'operator', handle: operator(readUserEntries(services)) },
    { method: 'GET', path: '/admin/v1/users/:id/keys', access: 'operator', handle: operator(listUserKeys(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/keys', access: 'operator', handle: operator(createUserKey(services)) },
    { method: 'PATCH', path: '/admin/v1/keys/:id', access: 'operator', handle: operator(changeKeyOfUser(services)) },
    { method: 'DELETE', path: '/admin/v1/keys/:id', access: 'operator', handle: operator(deleteKeyOfUser(services)) },
    { method: 'GET', path: '/admin/v1/orders', access: 'operator', handle: operator(listOrders(services.payments)) },
    { method: 'GET', path: '/admin/v1/orgs', access: 'operator', handle: operator(listOrgs(services)) },
    { method: 'POST', path: '/admin/v1/orgs', access: 'operator', handle: operator(createOrg(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id', access: 'operator', handle: operator(readOrg(services)) },
    { method: 'PATCH', path: '/admin/v1/orgs/:id', access: 'operator', handle: operator(changeOrg(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/credits', access: 'operator', handle: operator(creditOrg(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/adjustments', access: 'operator', handle: operator(adjustOrg(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/entries', access: 'operator', handle: operator(readOrgEntries(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/keys', access: 'operator', handle: operator(createOrgKey(services)) },
    { method: 'GET', path: '/admin/v1/orgs/:id/statements', access: 'operator', handle: operator(readStatement(services)) },
    { method: 'POST', path: '/admin/v1/orgs/:id/statements/:month/paid', access: 'operator', handle: operator(markStatementPaid(services)) },
    { method: 'GET', path: '/admin/v1/brake', access: 'operator', handle: operator(readBrakeEndpoint(services.brake)) },
    { method: 'PATCH', path: '/admin/v1/brake', access: 'operator', handle: operator(changeBrakeEndpoint(services.brake)) },
    { method: 'GET', path: '/admin/v1/overview', access: 'operator', handle: operator(readOperatorOverview(services)) },
    { method: 'GET', path: '/admin/v1/calls', access: 'operator', handle: operator(listAllCalls(services)) },
    { method: 'GET', path: '/admin/v1/health/history', access: 'operator', handle: operator(readRouteHistory(services)) },
    { method: 'GET', path: '/admin/v1/health/routes', access: 'operator', handle: operator(readRouteHealth(services)) },
    { method: 'GET', path: '/admin/v1/audit-log', access: 'operator', handle: operator(readOperatorLog(services)) },
    { method: 'GET', path: '/admin/v1/ledger/check', access: 'operator', handle: operator(checkLedger(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months', access: 'operator', handle: operator(listLedgerMonths(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months/:month/entries', access: 'operator', handle: operator(listLedgerLines(services)) },
    { method: 'GET', path: '/admin/v1/ledger/months/:month/checkpoints', access: 'operator', handle: operator(listLedgerCheckpoints(services)) },
    { method: 'POST', path: '/admin/v1/ledger/months/:month/archive', access: 'operator', handle: operator(archiveLedgerMonth(services)) },
    { method: 'GET', path: '/admin/v1/generations/:id/explain', access: 'operator', handle: operator(explainGeneration(services)) },
    { method: 'POST', path: '/admin/v1/generations/:id/refund', access: 'operator', handle: operator(refundGeneration(services)) },
    { method: 'GET', path: '/admin/v1/upstream-costs', access: 'operator', handle: operator(readUpstreamCosts(services)) },
    { method: 'GET', path: '/admin/v1/absorbed', access: 'operator', handle: operator(readAbsorbed(services.usage)) },
    { method: 'GET', path: '/admin/v1/exposures', access: 'operator', handle: operator(listExposures(services)) },
    { method: 'PATCH', path: '/admin/v1/exposures/:accountId/:userId', access: 'operator', handle: operator(changeExposure(services)) },
    { method: 'GET', path: '/admin/v1/evidence', access: 'operator', handle: operator(listEvidence(services)) },
    { method: 'GET', path: '/admin/v1/evidence/:id', access: 'operator', handle: operator(readEvidence(services)) },
    { method: 'POST', path: '/admin/v1/usage/rebuild', access: 'operator', handle: operator(rebuildUsage(services)) },
    { method: 'POST', path: '/admin/v1/usage/drop-months', access: 'operator', handle: operator(dropUsageMonths(services)) },
  ];
}

// biome-ignore format: a table reads best with one row a line.
function catalogRoutes(services: Services, { operator }: Protect): Rows {
  return [
    { method: 'GET', path: '/admin/v1/config', access: 'operator', handle: operator(readConfigEndpoint(services)) },
    { method: 'PUT', path: '/admin/v1/config', access: 'operator', handle: operator(replaceConfigEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/config/revisions', access: 'operator', handle: operator(listRevisionsEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/config/revisions/:revision', access: 'operator', handle: operator(readRevisionEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/config/revisions/:revision/restore', access: 'operator', handle: operator(restoreRevisionEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/auto-router/:table/:tier', access: 'operator', handle: operator(readAutoTierEndpoint(services)) },
    { method: 'PATCH', path: '/admin/v1/auto-router/:table/:tier', access: 'operator', handle: operator(changeAutoTierEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/vendors', access: 'operator', handle: operator(listVendors) },
    { method: 'GET', path: '/admin/v1/providers', access: 'operator', handle: operator(listProviders(services)) },
    { method: 'POST', path: '/admin/v1/providers', access: 'operator', handle: operator(connectEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/providers/discover', access: 'operator', handle: operator(discoverEndpoint(services)) },
    { method: 'PUT', path: '/admin/v1/providers/:name/keys/:key', access: 'operator', handle: operator(setKeyEndpoint(services)) },
    { method: 'DELETE', path: '/admin/v1/providers/:name/keys/:key', access: 'operator', handle: operator(removeKeyEndpoint(services)) },
    { method: 'POST', path: '/admin/v1/providers/:name/test', access: 'operator', handle: operator(testProviderEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/prices', access: 'operator', handle: operator(readPrices(services)) },
    { method: 'GET', path: '/admin/v1/prices/findings', access: 'operator', handle: operator(readPriceFindings(services)) },
    { method: 'POST', path: '/admin/v1/prices/update', access: 'operator', handle: operator(updatePricesEndpoint(services)) },
  ];
}

// biome-ignore format: a table reads best with one row a line.
function systemRoutes(services: Services, { listing }: Protect): Rows {
  return [
    { method: 'POST', path: '/webhooks/:provider', access: 'public', bodyBytesMax: 1_048_576, handle: receiveNotification(services.payments) },
    { method: 'GET', path: '/api/site', access: 'public', handle: readSite(services) },
    { method: 'GET', path: '/api/site/models/:slug/routes', access: 'public', handle: listing(readPublicModelRoutes(services)) },
    { method: 'GET', path: '/healthz', access: 'public', handle: readHealth },
    { method: 'GET', path: '/readyz', access: 'public', handle: readReadiness(services) },
    { method: 'GET', path: '/metrics', access: 'public', handle: readMetrics(services) },
    { method: 'HEAD', path: '/', access: 'public', handle: answerHello },
    { method: 'HEAD', path: '/api/hello', access: 'public', handle: answerHello },
    { method: 'GET', path: '/', access: 'public', handle: redirectToConsole },
    { method: 'GET', path: '/console', access: 'public', handle: redirectToConsole },
    { method: 'GET', path: '/console/*', access: 'public', handle: consoleFile(services) },
  ];
}
