// The config document and the auto router's tables inside it. API keys in it are masked; a mask sent back keeps the
// stored key.

import { queryOptions } from '@tanstack/react-query';
import type {
  AutoTable,
  AutoTier,
  AutoTierEntry,
  AutoTierView,
  ConfigDocument,
} from '../../../../gateway/src/contract/config.ts';
import type { AppliedConfig } from '../../../../gateway/src/contract/config-revisions.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type { AutoTable, AutoTier, AutoTierEntry, ConfigDocument };

export const configQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'config'],
  queryFn: () => operate<ConfigDocument>('GET', '/config'),
});

/** No change is overwritten unseen: the live document must still be the one that was edited. */
export async function applyConfig(base: ConfigDocument, edited: unknown, isConfirmed: boolean): Promise<AppliedConfig> {
  const live = await operate<ConfigDocument>('GET', '/config');
  if (JSON.stringify(live) !== JSON.stringify(base)) {
    throw new Error('Somebody else has changed the config in the meantime. Load it again, then repeat your change.');
  }
  // Prices that look like a wrong unit are refused until the operator confirms them.
  return operate<AppliedConfig>('PUT', isConfirmed ? '/config?confirm_prices=true' : '/config', { body: edited });
}

export const changeAutoTier = (table: AutoTable, tier: AutoTier, body: AutoTierEntry) =>
  operate<AutoTierView>('PATCH', `/auto-router/${table}/${tier}`, { body });
