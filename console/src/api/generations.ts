// The records of calls: page by page with those that were refused, and one by one.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { GenerationAnswer } from '../../../gateway/src/contract/account.ts';
import type { CallLogAnswer, LoggedCall } from '../../../gateway/src/contract/overview.ts';
import { momentsOf } from '../ui/local-days.ts';
import { ofSameAccount } from './account.ts';
import type { GenerationFilter } from './generation-filters.ts';
import { queryText, request, send } from './request.ts';

export type Generation = GenerationAnswer['data'];
export type { LoggedCall };

const pathOf = (filter: GenerationFilter, more: Readonly<Record<string, string | number | null>>): string =>
  `/api/account/calls${queryText({ ...filter, ...momentsOf(filter), ...more })}`;

const PAGE = 50;

export const generationsQuery = (filter: GenerationFilter) =>
  infiniteQueryOptions({
    queryKey: ['generations', filter.orgId ?? null, filter],
    initialPageParam: null as string | null,
    placeholderData: ofSameAccount(filter.orgId),
    queryFn: ({ pageParam }) => request<CallLogAnswer>('GET', pathOf(filter, { cursor: pageParam, limit: PAGE })),
    getNextPageParam: (page) => page.next,
  });

export const readGenerationsCsv = async (filter: GenerationFilter): Promise<Blob> =>
  (await send('GET', pathOf(filter, { format: 'csv' }))).blob();

export const generationQuery = (id: string, orgId?: string) =>
  queryOptions({
    queryKey: ['generation', id, orgId ?? null],
    queryFn: async (): Promise<Generation> =>
      (await request<GenerationAnswer>('GET', `/api/account/generation${queryText({ id, orgId })}`)).data,
  });
