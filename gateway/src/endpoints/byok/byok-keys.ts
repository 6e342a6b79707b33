// An organization's own upstream keys: GET, POST /v1/management/byok-keys and GET, PATCH, DELETE below it, and the same
// on /api/orgs/:orgId/byok-keys. A change and its log entry are one transaction; calls see it right after.

import { ByokKeyChangesBody, type ByokKeysAnswer, NewByokKeyBody, type NewByokKeyObject } from '../../contract/byok.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Byok } from '../../modules/byok/byok.ts';
import { compareMappings } from '../../modules/byok/sync.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import { ownProtocolNames } from '../../modules/catalog/protocols.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import {
  checkBaseUrl,
  checkChanges,
  checkMappings,
  checkProtocol,
  checkScope,
  completeChanges,
} from './byok-fields.ts';
import { byokLogEntry, byokObject } from './byok-object.ts';
import type { OrgOf } from './org-of.ts';

export type ByokServices = Readonly<{
  database: Database;
  byok: Byok;
  audit: Pick<Audit, 'record'>;
  outbound: Pick<Outbound, 'checkUrl'>;
  catalog: Pick<Catalog, 'current'>;
  clock: Clock;
}>;

const TARGET_TYPE = 'byok_key';

const notFound = (): ApiError => new ApiError('http_404', 'There is no such upstream key.');

export const listByokKeys =
  ({ byok }: ByokServices, orgOf: OrgOf): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await orgOf(exchange, principal);
    const answer: ByokKeysAnswer = { keys: (await byok.list(orgId)).map(byokObject), protocols: ownProtocolNames };
    sendJson(exchange, 200, answer);
  };

export const readByokKey =
  ({ byok }: ByokServices, orgOf: OrgOf): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await orgOf(exchange, principal);
    const key = await byok.find(orgId, exchange.params.id ?? '');
    if (key === null) throw notFound();
    sendJson(exchange, 200, byokObject(key));
  };

export function createByokKey(services: ByokServices, orgOf: OrgOf): PrincipalHandler {
  const readBody = bodyReader(NewByokKeyBody);
  const { byok, audit, database, outbound } = services;
  return async (exchange, principal) => {
    const { orgId, actor } = await orgOf(exchange, principal);
    const body = await readBody(exchange);
    const mappings = checkMappings(body.modelMappings ?? []);
    const scopedKeyIds = await checkScope(orgId, body.scopedApiKeyIds ?? [], byok);
    const newKey = {
      orgId,
      name: body.name,
      baseUrl: await checkBaseUrl(body.baseUrl, outbound),
      apiKey: body.apiKey,
      protocol: checkProtocol(body.protocol),
      fallbackMode: body.fallbackMode ?? 'seamless',
      isEnabled: body.enabled ?? true,
      scopedKeyIds,
      mappings,
    };
    const { id } = await withRoom(database, orgId, async (transaction) => {
      const key = await byok.create(transaction, newKey);
      const entry = { orgId, actor, targetType: TARGET_TYPE, targetId: key.id, after: byokLogEntry(key) };
      await audit.record(transaction, { ...entry, action: 'org.byok_key.create' });
      return key;
    });
    await byok.announce(orgId);
    sendJson(exchange, 201, await checkedKey(services, { orgId, id }));
  };
}

export function changeByokKey(services: ByokServices, orgOf: OrgOf): PrincipalHandler {
  const readBody = bodyReader(ByokKeyChangesBody, { fixed: ['id', 'keyMask'] });
  const { byok, audit, database } = services;
  return async (exchange, principal) => {
    const { orgId, actor } = await orgOf(exchange, principal);
    const place = { orgId, id: exchange.params.id ?? '' };
    const changes = await checkChanges(orgId, await readBody(exchange), services);
    const after = await database.transaction(async (transaction) => {
      const changed = await byok.change(transaction, place, (key) => completeChanges(key, changes));
      if (changed === null) throw notFound();
      const [before, later] = [byokLogEntry(changed.before), byokLogEntry(changed.after)];
      const entry = { orgId, actor, targetType: TARGET_TYPE, targetId: place.id, before, after: later };
      await audit.record(transaction, { ...entry, action: 'org.byok_key.update' });
      return changed.after;
    });
    await byok.announce(orgId);
    sendJson(exchange, 200, byokObject(after));
  };
}

export const deleteByokKey =
  ({ byok, audit, database }: ByokServices, orgOf: OrgOf): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await orgOf(exchange, principal);
    const place = { orgId, id: exchange.params.id ?? '' };
    await database.transaction(async (transaction) => {
      const removed = await byok.remove(transaction, place);
      if (removed === null) throw notFound();
      const entry = { orgId, actor, targetType: TARGET_TYPE, targetId: place.id, before: byokLogEntry(removed) };
      await audit.record(transaction, { ...entry, action: 'org.byok_key.delete' });
    });
    await byok.announce(orgId);
    sendEmpty(exchange, 204);
  };

/**
 * A new key with the results of asking its upstream and comparing it with the catalog. The key is stored even when the
 * upstream does not answer.
 */
async function checkedKey(
  { byok, catalog, clock }: ByokServices,
  place: Readonly<{ orgId: string; id: string }>,
): Promise<NewByokKeyObject> {
  const probe = await byok.check(place);
  const key = await byok.find(place.orgId, place.id);
  if (key === null) throw notFound();
  const { byId } = catalog.current();
  const isInCatalog = (modelId: string): boolean => {
    const model = byId.find(modelId);
    if (model === null || model === 'ambiguous' || model.id !== modelId) return false;
    return model.retiresAtMs === null || clock.nowMs() < model.retiresAtMs;
  };
  return { ...byokObject(key), sync: compareMappings(key.mappings, isInCatalog, probe?.models ?? null) };
}
