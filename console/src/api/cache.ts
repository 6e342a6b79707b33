// What the cache of answers has saved: a person, or with an id an organization.

import { queryOptions } from '@tanstack/react-query';
import type { CacheAnswer } from '../../../gateway/src/contract/cache.ts';
import { queryText, request } from './request.ts';

export const cacheQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['cache', orgId ?? null],
    queryFn: async () => (await request<CacheAnswer>('GET', `/api/account/cache${queryText({ orgId })}`)).data,
  });

export const purgeCache = () => request<void>('DELETE', '/api/account/cache');

export const purgeOrgCache = (orgId: string) => request<void>('DELETE', `/api/orgs/${encodeURIComponent(orgId)}/cache`);
