// How an upstream lists its models: the same path in every protocol, with the protocol's own credentials. A list that
// comes in pages is asked for in one; what is left out of it all the same makes it worthless as evidence.

import { isJsonObject } from '../canonical/json.ts';
import type { ProtocolName } from '../canonical/model.ts';
import { assert } from '../platform/assert.ts';
import { readJsonObject } from './read-json-object.ts';
import { protocolOf } from './registry.ts';

const paths: Readonly<Record<ProtocolName, string>> = { openai: '/models', anthropic: '/models?limit=1000' };
const MODELS_MAX = 10_000;

export function listModelsCall(
  name: ProtocolName,
  apiKey: string,
): Readonly<{ path: string; headers: readonly string[] }> {
  const protocol = protocolOf(name);
  assert(protocol !== undefined, 'every protocol that can be named is registered');
  return { path: paths[name], headers: protocol.authorize(apiKey) };
}

/** Null when it is no list, or not all of it. */
export function readModelList(body: Buffer): ReadonlySet<string> | null {
  const json = readJsonObject(body);
  if (json === null || !Array.isArray(json.data) || json.has_more === true || json.data.length > MODELS_MAX)
    return null;
  const names = new Set<string>();
  for (const entry of json.data as readonly unknown[]) {
    if (isJsonObject(entry) && typeof entry.id === 'string') names.add(entry.id);
  }
  return names;
}
