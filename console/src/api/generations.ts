// The records of calls: page by page, and one by one.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { GenerationAnswer } from '../../../gateway/src/contract/account.ts';
import type { GenerationListAnswer, GenerationSummary } from '../../../gateway/src/contract/own-account.ts';
import { ofSameAccount } from './account.ts';
import { queryText, request } from './request.ts';

export type Generation = GenerationAnswer['data'];
export type GenerationEntry = GenerationSummary;

export type GenerationFilter = Readonly<{
  orgId?: string;
  model?: string;
  key?: string;
  app?: string;
  from?: string;
  to?: string;
}>;

export const generationsQuery = ({ key, ...filter }: GenerationFilter) =>
  infiniteQueryOptions({
    queryKey: ['generations', filter.orgId ?? null, { key, ...filter }],
    initialPageParam: null as string | null,
    placeholderData: ofSameAccount(filter.orgId),
    queryFn: ({ pageParam }) =>
      request<GenerationListAnswer>(
        'GET',
        `/api/account/generations${queryText({ ...filter, api_key_id: key, after: pageParam })}`,
      ),
    getNextPageParam: (page) => page.next,
  });

export const generationQuery = (id: string, orgId?: string) =>
  queryOptions({
    queryKey: ['generation', id, orgId ?? null],
    // A record never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Generation> =>
      (await request<GenerationAnswer>('GET', `/api/account/generation${queryText({ id, orgId })}`)).data,
  });
