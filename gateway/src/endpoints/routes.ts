// Every route of the gateway, and nothing else: method, path, access, handler. Authorization is tested row by row from
// this table.

import type { RouteRow } from '../http/exchange.ts';
import { createLater } from '../pipeline/later/respond-later.ts';
import { createOnce } from '../pipeline/repeats/run-once.ts';
import { purgeOwnCache, readCache } from './account/cache.ts';
import { changeCircuitBreaker, readCircuitBreaker } from './account/circuit-breaker.ts';
import { readCredits } from './account/credits.ts';
import { readOwnExposure } from './account/exposure.ts';
import { readGeneration } from './account/generation.ts';
import { readInsights } from './account/insights.ts';
import { readAuthKey, readKeyInfo } from './account/key-info.ts';
import { redeemCode } from './account/redeem.ts';
import { sessionAccountRoutes } from './account/session-routes.ts';
import { readAccountStatement } from './account/statement.ts';
import { readUsage } from './account/usage.ts';
import { operatorRoutes } from './admin/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import { byokRoutes } from './byok/routes.ts';
import { docsRoutes } from './docs/routes.ts';
import { eduRoutes } from './edu/routes.ts';
import { feedRoutes } from './feeds/routes.ts';
import { imageRoutes } from './images/routes.ts';
import { inferenceRoutes, orBeside } from './inference/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { listImageModelsEndpoint } from './models/list-image-models.ts';
import { listModelsEndpoint } from './models/list-models.ts';
import { readPublicModelRoutes } from './models/model-routes.ts';
import { retrieveModelEndpoint } from './models/retrieve-model.ts';
import { noticeRoutes } from './notices/routes.ts';
import { contentFilterRoutes } from './orgs/content-filters-routes.ts';
import { guardRoutes } from './orgs/guards.ts';
import { provisioningRoutes } from './orgs/provisioning.ts';
import { orgSpendRoutes } from './orgs/reports-routes.ts';
import { orgRoutes } from './orgs/routes.ts';
import { signOnRoutes } from './orgs/sign-on-routes.ts';
import { readReceipt } from './payments/receipt.ts';
import { createTopUp, listTopUps, quoteTopUp, readTopUp } from './payments/top-ups.ts';
import { receiveNotification } from './payments/webhook.ts';
import { createProtect, type Protect } from './protect.ts';
import { scimRoutes } from './scim/routes.ts';
import type { Services } from './services.ts';
import { consoleFile, redirectToConsole } from './system/console.ts';
import { readHealth, readReadiness } from './system/health.ts';
import { answerHello } from './system/hello.ts';
import { readMetrics } from './system/metrics.ts';
import { readSite } from './system/site.ts';
import { transcriptRoutes } from './transcripts/transcripts.ts';
import { videoRoutes } from './videos/routes.ts';

type Rows = readonly RouteRow[];

export function createRoutes(services: Services): Rows {
  const protect = createProtect(services);
  const once = createOnce(services);
  const later = createLater(services);
  const model = orBeside(once, later);
  const rows: Rows = [
    ...inferenceRoutes(services, protect, model),
    ...modelRoutes(services, protect),
    ...videoRoutes(services, protect, once),
    ...imageRoutes(services, model),
    ...batchRoutes(services, protect),
    ...accountRoutes(services, protect),
    ...authRoutes(services, protect),
    ...sessionAccountRoutes(services, protect),
    ...keyRoutes(services, protect),
    ...orgRoutes(services, protect),
    ...signOnRoutes(services, protect),
    ...provisioningRoutes(services, protect),
    ...scimRoutes(services, protect),
    ...byokRoutes(services, protect),
    ...orgSpendRoutes(services, protect),
    ...contentFilterRoutes(services, protect),
    ...guardRoutes(services, protect),
    ...noticeRoutes(services, protect),
    ...feedRoutes(services, protect),
    ...transcriptRoutes(services, protect),
    ...eduRoutes(services, protect),
    ...operatorRoutes(services, protect),
    ...systemRoutes(services, protect),
    ...docsRoutes(services, () => rows),
  ];
  return rows;
}

// biome-ignore format: a table reads best with one row a line.
function modelRoutes(services: Services, { listing }: Protect): Rows {
  return [
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
    { method: 'GET', path: '/v1/cache', access: 'account', handle: caller(readCache(services)) },
    { method: 'DELETE', path: '/v1/cache', access: 'account', handle: caller(purgeOwnCache(services)) },
    { method: 'POST', path: '/v1/credits/redeem', access: 'account', handle: caller(redeemCode(services)) },
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
