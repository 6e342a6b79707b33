// Every route of the gateway, and nothing else: method, path, who may call it, what answers. Authorization is tested
// row by row from this table.

import type { RouteRow } from '../http/exchange.ts';
import { readCredits } from './account/credits.ts';
import { readGeneration } from './account/generation.ts';
import { readAuthKey, readKeyInfo } from './account/key-info.ts';
import {
  changeAutoTierEndpoint,
  readAutoTierEndpoint,
  readConfigEndpoint,
  replaceConfigEndpoint,
} from './admin/config.ts';
import { creditUser } from './admin/credits.ts';
import { createUserKey } from './admin/keys.ts';
import { checkLedger, readAbsorbed } from './admin/ledger.ts';
import { changeUser, createUser } from './admin/users.ts';
import { chatCompletions } from './chat/chat-completions.ts';
import { countTokens } from './messages/count-tokens.ts';
import { createMessage } from './messages/messages.ts';
import { listImageModelsEndpoint } from './models/list-image-models.ts';
import { listModelsEndpoint } from './models/list-models.ts';
import { retrieveModelEndpoint } from './models/retrieve-model.ts';
import { createProtect } from './protect.ts';
import { createResponse } from './responses/responses.ts';
import type { Services } from './services.ts';
import { consoleFile } from './system/console.ts';
import { readHealth, readReadiness } from './system/health.ts';
import { answerHello, refuseUpgrade } from './system/hello.ts';
import { readMetrics } from './system/metrics.ts';

// biome-ignore format: a table reads best with one row a line.
export function createRoutes(services: Services): readonly RouteRow[] {
  const { caller, uncountedCaller, operator, listing } = createProtect(services);
  return [
    { method: 'POST', path: '/v1/chat/completions', access: 'model', handle: chatCompletions(services) },
    { method: 'POST', path: '/v1/cursor/chat/completions', access: 'model', handle: chatCompletions(services) },
    { method: 'POST', path: '/v1/responses', access: 'model', handle: createResponse(services) },
    { method: 'POST', path: '/v1/messages', access: 'model', errors: 'messages', handle: createMessage(services) },
    { method: 'POST', path: '/v1/messages/count_tokens', access: 'model', errors: 'messages', handle: caller(countTokens(services)) },
    { method: 'GET', path: '/v1/responses', access: 'public', handle: refuseUpgrade },

    { method: 'GET', path: '/v1/models', access: 'public', handle: listing(listModelsEndpoint(services)) },
    { method: 'GET', path: '/v1/models/:slug', access: 'public', handle: listing(retrieveModelEndpoint(services)) },
    { method: 'GET', path: '/v1/images/models', access: 'public', handle: listing(listImageModelsEndpoint(services)) },

    { method: 'GET', path: '/v1/key', access: 'account', handle: caller(readKeyInfo(services)) },
    { method: 'GET', path: '/v1/auth/key', access: 'account', handle: uncountedCaller(readAuthKey(services)) },
    { method: 'GET', path: '/v1/credits', access: 'account', handle: caller(readCredits(services.ledger)) },
    { method: 'GET', path: '/v1/generation', access: 'account', handle: caller(readGeneration(services.usage)) },

    { method: 'POST', path: '/admin/v1/users', access: 'operator', handle: operator(createUser(services)) },
    { method: 'PATCH', path: '/admin/v1/users/:id', access: 'operator', handle: operator(changeUser(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/credits', access: 'operator', handle: operator(creditUser(services)) },
    { method: 'POST', path: '/admin/v1/users/:id/keys', access: 'operator', handle: operator(createUserKey(services)) },
    { method: 'GET', path: '/admin/v1/config', access: 'operator', handle: operator(readConfigEndpoint(services)) },
    { method: 'PUT', path: '/admin/v1/config', access: 'operator', handle: operator(replaceConfigEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/auto-router/:table/:tier', access: 'operator', handle: operator(readAutoTierEndpoint(services)) },
    { method: 'PATCH', path: '/admin/v1/auto-router/:table/:tier', access: 'operator', handle: operator(changeAutoTierEndpoint(services)) },
    { method: 'GET', path: '/admin/v1/ledger/check', access: 'operator', handle: operator(checkLedger(services.ledger)) },
    { method: 'GET', path: '/admin/v1/absorbed', access: 'operator', handle: operator(readAbsorbed(services.usage)) },

    { method: 'GET', path: '/healthz', access: 'public', handle: readHealth },
    { method: 'GET', path: '/readyz', access: 'public', handle: readReadiness(services) },
    { method: 'GET', path: '/metrics', access: 'public', handle: readMetrics(services) },
    { method: 'HEAD', path: '/', access: 'public', handle: answerHello },
    { method: 'HEAD', path: '/api/hello', access: 'public', handle: answerHello },
    { method: 'GET', path: '/', access: 'public', handle: consoleFile(services) },
    { method: 'GET', path: '/:file', access: 'public', handle: consoleFile(services) },
  ];
}
