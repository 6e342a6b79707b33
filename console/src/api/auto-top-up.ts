// Credit that is bought when the balance runs low.

import { queryOptions } from '@tanstack/react-query';
import type { AutomaticTopUp, AutomaticTopUpBody, CardPageAnswer } from '../../../gateway/src/contract/payments.ts';
import { queryText, request } from './request.ts';

export type { AutomaticTopUp };

const path = (rest: string, orgId: string | undefined): string =>
  `/api/account/auto-topup${rest}${queryText({ orgId })}`;

const POLL_MS = 2_000;

/**
 * `isAwaited`: the person comes back from entering a card, which the provider reports to the gateway and not to the
 * browser.
 */
export const autoTopUpQuery = (orgId: string | undefined, isAwaited = false) =>
  queryOptions({
    queryKey: ['auto-top-up', orgId ?? null],
    refetchInterval: ({ state: { data } }) => (isAwaited && data?.card === null ? POLL_MS : false),
    queryFn: () => request<AutomaticTopUp>('GET', path('', orgId)),
  });

export const saveAutoTopUp = (body: AutomaticTopUpBody, orgId?: string) =>
  request<AutomaticTopUp>('PUT', path('', orgId), { body });

export const openCardPage = (orgId?: string) => request<CardPageAnswer>('POST', path('/card', orgId));

export const forgetCard = (orgId?: string) => request<AutomaticTopUp>('DELETE', path('/card', orgId));
