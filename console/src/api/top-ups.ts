// Buying credit: what is offered, what it will cost, the orders made so far and their receipts.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TopUp, TopUpBody, TopUpList, TopUpOptions, TopUpPrice } from '../../../gateway/src/contract/payments.ts';
import { queryText, request, send } from './request.ts';

export type { TopUp, TopUpOptions, TopUpPrice };

const path = (rest: string, values: Parameters<typeof queryText>[0]): string =>
  `/api/account/topups${rest}${queryText(values)}`;

export const topUpOptionsQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['top-up-options', orgId ?? null],
    staleTime: 300_000,
    queryFn: () => request<TopUpOptions>('GET', path('/options', { orgId })),
  });

export type QuoteWish = Readonly<{ orgId?: string; amountUsd: string; channel: string }>;

export const quoteQuery = (wish: QuoteWish) =>
  queryOptions({
    queryKey: ['top-up-quote', wish],
    placeholderData: keepPreviousData,
    queryFn: () => request<TopUpPrice>('GET', path('/quote', wish)),
  });

export const topUpsQuery = (orgId?: string) =>
  infiniteQueryOptions({
    queryKey: ['top-ups', orgId ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => request<TopUpList>('GET', path('', { orgId, after: pageParam })),
    getNextPageParam: (page) => page.next,
  });

const POLL_MS = 2_000;

/** Read again until the provider has reported the result. */
export const topUpQuery = (id: string, orgId?: string) =>
  queryOptions({
    queryKey: ['top-up', id, orgId ?? null],
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.state === 'paid' || data?.state === 'expired' ? false : POLL_MS),
    queryFn: () => request<TopUp>('GET', path(`/${encodeURIComponent(id)}`, { orgId })),
  });

export const createTopUp = (body: TopUpBody, orgId?: string) => request<TopUp>('POST', path('', { orgId }), { body });

/** The receipt as a text for people and their accountants. */
export async function readReceipt(id: string, orgId?: string): Promise<string> {
  const response = await send('GET', path(`/${encodeURIComponent(id)}/receipt`, { orgId }), { accept: 'text/plain' });
  return response.text();
}
