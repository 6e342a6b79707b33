// The operator's desk: the overview, the log of calls, and corrections.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  AdjustedAnswer,
  AdjustmentBody,
  RefundBody,
  RefundedAnswer,
} from '../../../../gateway/src/contract/adjustments.ts';
import type { CallLogAnswer, LoggedCall, OperatorOverviewAnswer } from '../../../../gateway/src/contract/overview.ts';
import type { UsageAnswer, UsagePeriod } from '../../../../gateway/src/contract/usage.ts';
import { momentsOf } from '../../ui/local-days.ts';
import { queryText } from '../request.ts';
import type { CallFilter } from './call-filters.ts';
import { OPERATOR_KEY, operate, operateRaw } from './token.ts';

export type OperatorOverview = OperatorOverviewAnswer;
export type { LoggedCall };

export const overviewQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [OPERATOR_KEY, 'overview', from, to],
    queryFn: () => operate<OperatorOverview>('GET', `/overview${queryText({ from, to })}`),
  });

const callsPath = (filter: CallFilter, more: Readonly<Record<string, string | null>>): string =>
  `/calls${queryText({ ...filter, ...momentsOf(filter), ...more })}`;

export const readCallsCsv = async (filter: CallFilter): Promise<Blob> =>
  (await operateRaw(callsPath(filter, { format: 'csv' }))).blob();

export const callsQuery = (filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: [OPERATOR_KEY, 'calls', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => operate<CallLogAnswer>('GET', callsPath(filter, { cursor: pageParam })),
    getNextPageParam: ({ next }) => next,
  });

export type AccountPeriod = Extract<UsagePeriod, '24h' | '7d' | '30d' | '90d'>;

export const accountUsageQuery = (kind: 'users' | 'orgs', id: string, period: AccountPeriod) =>
  queryOptions({
    queryKey: [OPERATOR_KEY, kind, id, 'usage', period],
    placeholderData: keepPreviousData,
    queryFn: () => operate<UsageAnswer>('GET', `/${kind}/${encodeURIComponent(id)}/usage${queryText({ period })}`),
  });

export const adjustAccount = (kind: 'users' | 'orgs', id: string, body: AdjustmentBody) =>
  operate<AdjustedAnswer>('POST', `/${kind}/${encodeURIComponent(id)}/adjustments`, { body });

export const refundCall = (id: string, body: RefundBody) =>
  operate<RefundedAnswer>('POST', `/generations/${encodeURIComponent(id)}/refund`, { body });
