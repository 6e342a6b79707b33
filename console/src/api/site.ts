// What anybody may know of this gateway.

import { queryOptions } from '@tanstack/react-query';
import type { SiteAnswer } from '../../../gateway/src/contract/site.ts';
import { request } from './request.ts';

export const siteQuery = queryOptions({
  queryKey: ['site'],
  staleTime: 600_000,
  queryFn: () => request<SiteAnswer>('GET', '/api/site'),
});
