// The fields of an upstream key that need more checks than their type: the upstream's address, whose calls it serves,
// and its models.

import type { ByokKeyChangesBody, NewByokKeyBody } from '../../contract/byok.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Byok, ByokKey, ByokKeyChanges } from '../../modules/byok/byok.ts';
import { UPSTREAM_PURPOSE } from '../../modules/byok/probe.ts';
import { ownProtocolNames } from '../../modules/catalog/protocols.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../platform/outbound/outbound-error.ts';
import { given } from '../request-fields.ts';

type Mappings = NonNullable<NewByokKeyBody['modelMappings']>;

/** The base URL without a trailing slash. 400 where it leads, or may lead, into a network that is not public. */
export async function checkBaseUrl(text: string, outbound: Pick<Outbound, 'checkUrl'>): Promise<string> {
  try {
    const url = await outbound.checkUrl(text, { ...UPSTREAM_PURPOSE, mustResolve: true });
    // Paths are appended to it, and would end up after the question mark.
    if (url.search !== '') throw new ForbiddenUrlError('must not have a query');
    return (url.origin + url.pathname).replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof ForbiddenUrlError) throw new ApiError('http_400', `baseUrl: ${error.message}.`);
    throw error;
  }
}

/** The first of them where it is left out. */
export function checkProtocol(name: string = ownProtocolNames[0] ?? ''): string {
  if (ownProtocolNames.includes(name)) return name;
  throw new ApiError('http_400', `protocol: must be one of ${ownProtocolNames.join(', ')}.`);
}

type Scope = Readonly<{ keyIds: readonly string[]; foreignKeyIds: readonly string[] }>;

async function readScope(orgId: string, keyIds: readonly string[], byok: Pick<Byok, 'foreignKeyIds'>): Promise<Scope> {
  return { keyIds, foreignKeyIds: await byok.foreignKeyIds(orgId, [...new Set(keyIds)]) };
}

export async function checkScope(
  orgId: string,
  keyIds: readonly string[],
  byok: Pick<Byok, 'foreignKeyIds'>,
): Promise<readonly string[]> {
  return allowedScope(await readScope(orgId, keyIds, byok), []);
}

/** Revoked keys that are in the scope already may stay: without them it could become empty, which means every key. */
function allowedScope({ keyIds, foreignKeyIds }: Scope, held: readonly string[]): readonly string[] {
  const foreign = foreignKeyIds.find((id) => !held.includes(id));
  if (foreign === undefined) return [...new Set(keyIds)];
  throw new ApiError('http_400', `scopedApiKeyIds.${keyIds.indexOf(foreign)}: the organization has no such key.`);
}

export function checkMappings(mappings: Mappings): ByokKey['mappings'] {
  const seen = new Set<string>();
  return mappings.map(({ model, upstreamModel, enabled = true }, place) => {
    if (seen.has(model)) throw new ApiError('http_400', `modelMappings.${place}.model: is mapped twice.`);
    seen.add(model);
    return { model, upstreamModel, enabled };
  });
}

/** Checked as far as possible without the key; the rest depends on the key as it is. */
type CheckedChanges = Readonly<{
  fields: ByokKeyChanges;
  scope: Scope | null;
  toggles: ReadonlyMap<string, boolean>;
}>;

export async function checkChanges(
  orgId: string,
  body: ByokKeyChangesBody,
  services: Readonly<{ byok: Pick<Byok, 'foreignKeyIds'>; outbound: Pick<Outbound, 'checkUrl'> }>,
): Promise<CheckedChanges> {
  if (body.apiKey !== undefined) {
    const advice = 'create another one and delete this one';
    throw new ApiError('unsupported_param', `apiKey: cannot be replaced; ${advice}.`);
  }
  const { name, protocol, fallbackMode, enabled, baseUrl, scopedApiKeyIds, modelMappings, modelToggles } = body;
  return {
    fields: given({
      name,
      protocol: protocol === undefined ? undefined : checkProtocol(protocol),
      fallbackMode,
      isEnabled: enabled,
      mappings: modelMappings === undefined ? undefined : checkMappings(modelMappings),
      baseUrl: baseUrl === undefined ? undefined : await checkBaseUrl(baseUrl, services.outbound),
    }),
    scope: scopedApiKeyIds === undefined ? null : await readScope(orgId, scopedApiKeyIds, services.byok),
    toggles: new Map(Object.entries(modelToggles ?? {})),
  };
}

/** Runs against the key as it is when the change is made. */
export function completeChanges(key: ByokKey, { fields, scope, toggles }: CheckedChanges): ByokKeyChanges {
  if (fields.baseUrl !== undefined && new URL(fields.baseUrl).origin !== new URL(key.baseUrl).origin) {
    // A person who may change a key may not read it, and a key that is sent to another address could be read there.
    const advice = 'create another one for it';
    throw new ApiError('http_400', `baseUrl: the stored key goes to no other scheme, host or port; ${advice}.`);
  }
  const scoped = scope === null ? fields : { ...fields, scopedKeyIds: allowedScope(scope, key.scopedKeyIds) };
  if (toggles.size === 0) return scoped;
  const mappings = fields.mappings ?? key.mappings;
  for (const model of toggles.keys()) {
    if (mappings.some((mapping) => mapping.model === model)) continue;
    throw new ApiError('http_400', 'modelToggles: names a model that this key has no mapping for.');
  }
  const toggled = mappings.map((mapping) => ({ ...mapping, enabled: toggles.get(mapping.model) ?? mapping.enabled }));
  return { ...scoped, mappings: toggled };
}
