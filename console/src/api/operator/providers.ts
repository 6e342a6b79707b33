// Providers and revisions of the catalog, as the operator sees them. A key goes to the gateway and never comes back.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AppliedConfig,
  ConfigRevision,
  ConfigRevisionDetail,
  ConfigRevisionList,
} from '../../../../gateway/src/contract/config-revisions.ts';
import type {
  ConnectedAnswer,
  DiscoveryAnswer,
  OfferView,
  PriceFindingsAnswer,
  ProviderKeyView,
  ProviderList,
  ProviderTestAnswer,
  ProviderView,
  VendorList,
  VendorView,
} from '../../../../gateway/src/contract/providers.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type {
  ConfigRevision,
  ConnectedAnswer,
  DiscoveryAnswer,
  OfferView,
  ProviderKeyView,
  ProviderTestAnswer,
  ProviderView,
  VendorView,
};

export const vendorsQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'vendors'],
  queryFn: async () => (await operate<VendorList>('GET', '/vendors')).data,
});

export const providersKey = [OPERATOR_KEY, 'providers'];

export const providersQuery = queryOptions({
  queryKey: providersKey,
  queryFn: async () => (await operate<ProviderList>('GET', '/providers')).data,
});

export const priceFindingsQuery = queryOptions({
  queryKey: [...providersKey, 'findings'],
  queryFn: async () => (await operate<PriceFindingsAnswer>('GET', '/prices/findings')).findings,
});

export type Connection = Readonly<{
  preset: string;
  name?: string;
  baseUrl?: string;
  apiKey?: string;
  settings?: Readonly<Record<string, string>>;
}>;

export const discoverModels = (body: Connection) => operate<DiscoveryAnswer>('POST', '/providers/discover', { body });

type Wish = Readonly<{ connection: Connection; models: readonly string[] }>;

/** Tries everything and changes nothing. */
export const previewConnection = ({ connection, models }: Wish) =>
  operate<ConnectedAnswer>('POST', '/providers?dry_run=true', { body: { ...connection, models } });

/** Exactly what was shown: refused when the catalog has changed meanwhile. */
export const connectProvider = ({ connection, models, revision }: Wish & Readonly<{ revision: number }>) =>
  operate<ConnectedAnswer>('POST', `/providers${queryText({ revision: String(revision) })}`, {
    body: { ...connection, models, test: false },
  });

export const testProvider = (name: string) =>
  operate<ProviderTestAnswer>('POST', `/providers/${encodeURIComponent(name)}/test`);

const keyPath = (provider: string, key: string): string =>
  `/providers/${encodeURIComponent(provider)}/keys/${encodeURIComponent(key)}`;

type KeyWish = Readonly<{ provider: string; key: string; setting: Readonly<{ apiKey: string; weight?: number }> }>;

export const setProviderKey = ({ provider, key, setting }: KeyWish) =>
  operate<AppliedConfig>('PUT', keyPath(provider, key), { body: setting });

export const removeProviderKey = (provider: string, key: string) =>
  operate<AppliedConfig>('DELETE', keyPath(provider, key));

const REVISIONS = '/config/revisions';

export const revisionsQuery = infiniteQueryOptions({
  queryKey: [OPERATOR_KEY, 'revisions'],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam }) => operate<ConfigRevisionList>('GET', REVISIONS + queryText({ after: pageParam })),
  getNextPageParam: ({ next }) => next,
});

export const revisionQuery = (revision: number) =>
  queryOptions({
    queryKey: [OPERATOR_KEY, 'revisions', revision],
    queryFn: () => operate<ConfigRevisionDetail>('GET', `${REVISIONS}/${revision}`),
  });

export const previewRestore = (revision: number) =>
  operate<AppliedConfig>('POST', `${REVISIONS}/${revision}/restore?dry_run=true&confirm_prices=true`, { body: {} });

/** Prices that look like a wrong unit are refused until the operator confirms them. */
export const restoreRevision = (revision: number, live: number, isConfirmed: boolean) =>
  operate<AppliedConfig>(
    'POST',
    `${REVISIONS}/${revision}/restore${queryText({ revision: String(live), confirm_prices: String(isConfirmed) })}`,
    { body: {} },
  );
