// An upstream key as the API shows it: field by field, so that no other column of the row is shown by accident.

import type { JsonObject } from '../../canonical/json.ts';
import type { ByokKeyObject } from '../../contract/byok.ts';
import type { ByokKey } from '../../modules/byok/byok.ts';

export function byokObject(key: ByokKey): ByokKeyObject {
  return {
    id: key.id,
    name: key.name,
    baseUrl: key.baseUrl,
    keyMask: key.keyMask,
    protocol: key.protocol,
    fallbackMode: key.fallbackMode,
    modelMappings: key.mappings.map(({ model, upstreamModel, enabled }) => ({ model, upstreamModel, enabled })),
    scopedApiKeyIds: key.scopedKeyIds,
    enabled: key.isEnabled,
    health: {
      status: key.healthStatus,
      lastCheckedAt: key.checkedAt?.toISOString() ?? null,
      lastError: key.lastError,
    },
    createdAt: key.createdAt.toISOString(),
  };
}

/** What the log keeps of it: what people decide, not its health. */
export function byokLogEntry(key: ByokKey): JsonObject {
  const { health: _, createdAt: __, id: ___, ...decided } = byokObject(key);
  return decided;
}
