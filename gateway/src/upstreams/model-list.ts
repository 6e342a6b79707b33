// Lists an upstream's models, with the protocol's own credentials and path. A list in pages is asked for in one; if it
// is still incomplete, it proves nothing about missing models.

import { isJsonObject } from '../canonical/json.ts';
import type { Provider } from '../canonical/model.ts';
import { readJsonObject } from '../platform/read-json-object.ts';
import { protocolOf } from './registry.ts';

const MODELS_MAX = 10_000;
/** Some upstreams list models by their paths. */
const PATH_PREFIX = /^models\//;

type Listed = Pick<Provider, 'protocol' | 'baseUrl' | 'apiKey'>;

/** Null where there is no list, or where a key is not enough to read it. */
export function listModelsCall(target: Listed): Readonly<{ path: string; headers: readonly string[] }> | null {
  const protocol = protocolOf(target.protocol);
  if (protocol?.modelsPath === undefined) return null;
  const provider: Provider = { ...target, name: '', dataCollection: 'deny', speaksResponses: false };
  const url = target.baseUrl + protocol.modelsPath;
  const headers = protocol.authorize({ method: 'GET', url, headers: [], body: '', nowMs: 0 }, provider, '');
  return headers instanceof Promise ? null : { path: protocol.modelsPath, headers };
}

/** Null when it is not a list, or not a complete one. */
export function readModelList(body: Buffer): ReadonlySet<string> | null {
  const json = readJsonObject(body);
  if (json === null) return null;
  const list = json.data ?? json.models;
  const isPart = json.has_more === true || Boolean(json.nextPageToken) || Boolean(json.next_page_token);
  if (!Array.isArray(list) || isPart || list.length > MODELS_MAX) return null;
  const names = new Set<string>();
  for (const entry of list as readonly unknown[]) {
    const name = isJsonObject(entry) ? (entry.id ?? entry.name) : undefined;
    if (typeof name === 'string') names.add(name.replace(PATH_PREFIX, ''));
  }
  return names;
}
