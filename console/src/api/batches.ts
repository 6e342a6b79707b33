// Batches and files of a person, or with an id those that they made with an organization's keys.

import { queryOptions } from '@tanstack/react-query';
import type { FileList } from '../../../gateway/src/contract/inference/batches.ts';
import type { OwnBatch, OwnBatchList } from '../../../gateway/src/contract/own-batches.ts';
import type { Shape } from '../../../gateway/src/contract/shape.ts';
import { queryText, request } from './request.ts';

export type { OwnBatch } from '../../../gateway/src/contract/own-batches.ts';

/** Progress is live. */
const REFRESH_MS = 3_000;

export const batchesQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['batches', orgId ?? null],
    refetchInterval: REFRESH_MS,
    queryFn: async () => (await request<OwnBatchList>('GET', `/api/account/batches${queryText({ orgId })}`)).data,
  });

export const filesQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['files', orgId ?? null],
    queryFn: async () =>
      (await request<Shape<typeof FileList>>('GET', `/api/account/files${queryText({ orgId })}`)).data,
  });

export const cancelBatch = (id: string, orgId?: string) =>
  request<OwnBatch>('POST', `/api/account/batches/${encodeURIComponent(id)}/cancel${queryText({ orgId })}`);
