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
import type {
  AppliedConfig,
  ConfigRevisionDetail,
  ConfigRevisionList,
} from '../../../../gateway/src/contract/config-revisions.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type { AutoTable, AutoTier, AutoTierEntry, ConfigDocument };

export const configQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'config'],
  queryFn: () => operate<ConfigDocument>('GET', '/config'),
});

/**
 * No change is overwritten unseen: the live document must still be the one that was edited. The gateway looks once more
 * when it applies the change, by the number of the revision, because another change may arrive at the same moment.
 */
export async function applyConfig(base: ConfigDocument, edited: unknown, isConfirmed: boolean): Promise<AppliedConfig> {
  const { data } = await operate<ConfigRevisionList>('GET', '/config/revisions?limit=1');
  const revision = data[0]?.revision ?? 0;
  const live = revision === 0 ? {} : await documentOf(revision);
  if (JSON.stringify(live) !== JSON.stringify(base)) {
    throw new Error('Somebody else has changed the config in the meantime. Load it again, then repeat your change.');
  }
  // Prices that look like a wrong unit are refused until the operator confirms them.
  const query = queryText({ revision, confirm_prices: isConfirmed ? true : null });
  return operate<AppliedConfig>('PUT', `/config${query}`, { body: edited });
}

const documentOf = async (revision: number): Promise<ConfigRevisionDetail['config']> =>
  (await operate<ConfigRevisionDetail>('GET', `/config/revisions/${revision}`)).config;

export const changeAutoTier = (table: AutoTable, tier: AutoTier, body: AutoTierEntry) =>
  operate<AutoTierView>('PATCH', `/auto-router/${table}/${tier}`, { body });
