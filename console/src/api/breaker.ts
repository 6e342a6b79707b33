// A person's own spend breaker: it covers all their keys, those of organizations too.

import { queryOptions } from '@tanstack/react-query';
import type { BreakerAnswer, BreakerBody } from '../../../gateway/src/contract/breaker.ts';
import { request } from './request.ts';

const REFRESH_MS = 10_000;

export const ownBreakerQuery = queryOptions({
  queryKey: ['own-breaker'],
  refetchInterval: REFRESH_MS,
  queryFn: () => request<BreakerAnswer>('GET', '/api/account/circuit-breaker'),
});

export const changeOwnBreaker = (body: BreakerBody) =>
  request<BreakerAnswer>('PATCH', '/api/account/circuit-breaker', { body });
