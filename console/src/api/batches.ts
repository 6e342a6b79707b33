// Batches and files of a person, or with an id those that they made with an organization's keys.

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { FileList } from '../../../gateway/src/contract/inference/batches.ts';
import type { OwnBatch, OwnBatchList } from '../../../gateway/src/contract/own-batches.ts';
import type { Shape } from '../../../gateway/src/contract/shape.ts';
import { queryText, request } from './request.ts';

export type { OwnBatch } from '../../../gateway/src/contract/own-batches.ts';

/** Progress is live. */
const REFRESH_MS = 3_000;

type ListPage = Readonly<{ last_id: string | null; has_more: boolean }>;

const nextOf = ({ last_id: last, has_more: hasMore }: ListPage): string | null => (hasMore ? last : null);

export const batchesQuery = (orgId?: string) =>
  infiniteQueryOptions({
    queryKey: ['batches', orgId ?? null],
    initialPageParam: null as string | null,
    refetchInterval: REFRESH_MS,
    queryFn: ({ pageParam: after }) =>
      request<OwnBatchList>('GET', `/api/account/batches${queryText({ orgId, after })}`),
    getNextPageParam: nextOf,
  });

export const filesQuery = (orgId?: string) =>
  infiniteQueryOptions({
    queryKey: ['files', orgId ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam: after }) =>
      request<Shape<typeof FileList>>('GET', `/api/account/files${queryText({ orgId, after })}`),
    getNextPageParam: nextOf,
  });

export const cancelBatch = (id: string, orgId?: string) =>
  request<OwnBatch>('POST', `/api/account/batches/${encodeURIComponent(id)}/cancel${queryText({ orgId })}`);
