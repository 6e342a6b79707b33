// Reads what an organization has of its own and arranges it for calls: by model, in the order of trying, with the keys
// opened. Only what is switched on is in it.

import type { OwnUpstream, OwnUpstreams, Provider } from '../../canonical/model.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { SealingKey } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { openKey } from './sealed-key.ts';
import * as store from './store.ts';

type LoadOptions = Readonly<{ database: Database; sealingKey: SealingKey; logger: Logger }>;

const RETRY_AFTER_SECONDS = 2;
/** One name for all of them, in records and in metrics: there are as many as customers make. */
const PROVIDER_NAME = 'byok';

/** 503 when it cannot be read: to go on without it could cost money, or send a prompt where it must not go. */
export async function loadUpstreams(options: LoadOptions, orgId: string): Promise<OwnUpstreams> {
  try {
    const rows = await store.listKeys(options.database, orgId);
    return arrange(
      rows.filter(({ isEnabled }) => isEnabled).map((row) => ({ row, provider: providerOf(row, options) })),
    );
  } catch (error) {
    throw new ApiError(
      'http_503',
      "Your organization's own upstreams cannot be read at the moment. Try again shortly.",
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        detail: 'the own upstreams of an organization could not be read',
        cause: error,
      },
    );
  }
}

/** A key that cannot be opened stays in its place with an empty one: to leave it out would undo a strict choice. */
function providerOf(row: store.ByokKeyRow, { sealingKey, logger }: LoadOptions): Provider {
  const apiKey = openKey(sealingKey, row.sealedApiKey, row);
  if (apiKey === null) {
    logger.error({ byokKeyId: row.id }, "a customer's upstream key was sealed with another TOLLGATE_SECRET");
  }
  const { protocol, baseUrl } = row;
  return {
    name: PROVIDER_NAME,
    protocol,
    baseUrl,
    apiKey: apiKey ?? '',
    dataCollection: 'deny',
    speaksResponses: false,
  };
}

/** Those that are meant for certain keys go before those for everybody, and older ones before newer. */
function arrange(keys: readonly Readonly<{ row: store.ByokKeyRow; provider: Provider }>[]): OwnUpstreams {
  const upstreams = new Map<string, OwnUpstream[]>();
  for (const isScoped of [true, false]) {
    for (const { row, provider } of keys) {
      if (row.scopedKeyIds.length > 0 !== isScoped) continue;
      const scopedKeyIds = isScoped ? new Set(row.scopedKeyIds) : null;
      const facts = {
        byokKeyId: row.id,
        orgId: row.orgId,
        provider,
        isStrict: row.fallbackMode === 'strict',
        scopedKeyIds,
      };
      for (const { model, upstreamModel, enabled } of row.mappings) {
        if (!enabled) continue;
        const known = upstreams.get(model);
        if (known === undefined) upstreams.set(model, [{ ...facts, upstreamModel }]);
        else known.push({ ...facts, upstreamModel });
      }
    }
  }
  return upstreams;
}
