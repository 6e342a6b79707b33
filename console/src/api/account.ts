// The balance and the usage of an account: a person's own, or with an id that of an organization.

import { queryOptions } from '@tanstack/react-query';
import type { OwnAccountAnswer } from '../../../gateway/src/contract/own-account.ts';
import type { UsageAnswer, UsagePeriod } from '../../../gateway/src/contract/usage.ts';
import { queryText, request } from './request.ts';

export type Account = OwnAccountAnswer['data'];

export const accountQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['account', orgId ?? null],
    queryFn: async (): Promise<Account> =>
      (await request<OwnAccountAnswer>('GET', `/api/account${queryText({ orgId })}`)).data,
  });

export type UsageWish = Readonly<{
  orgId?: string;
  period: UsagePeriod;
  /** `from` and `to` are sent only with the period `custom`. */
  from?: string;
  to?: string;
  series?: 'key' | 'app';
  by?: 'day' | 'hour';
  compare?: 'previous';
  model?: string;
  api_key_id?: string;
  app?: string;
}>;

export const usageQuery = (wish: UsageWish) =>
  queryOptions({
    queryKey: ['usage', wish.orgId ?? null, wish],
    placeholderData: ofSameAccount(wish.orgId),
    queryFn: () => request<UsageAnswer>('GET', `/api/account/usage${queryText(wish)}`),
  });

/** Keeps showing the earlier figures until the new ones arrive, but never those of another account. */
export const ofSameAccount =
  (orgId: string | undefined) =>
  <Data>(before: Data | undefined, query: Readonly<{ queryKey: readonly unknown[] }> | undefined): Data | undefined =>
    query?.queryKey[1] === (orgId ?? null) ? before : undefined;
