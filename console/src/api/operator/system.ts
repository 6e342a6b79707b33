// The state of the gateway: its routes, its brake, its books, and absorbed cost.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { LedgerCheckAnswer } from '../../../../gateway/src/contract/admin.ts';
import type { BrakeAnswer, BrakeBody } from '../../../../gateway/src/contract/breaker.ts';
import type { ExplanationAnswer } from '../../../../gateway/src/contract/explanation.ts';
import type { ExposureBody, UserExposure, UserExposureList } from '../../../../gateway/src/contract/exposure.ts';
import type { EvidenceAnswer, EvidenceListAnswer } from '../../../../gateway/src/contract/guardrails.ts';
import type {
  RouteHealthAnswer,
  RouteHealthEntry,
  RouteHistoryAnswer,
  RouteState,
} from '../../../../gateway/src/contract/health.ts';
import type { OperatorOrder, OperatorOrderList, OrderRefundBody } from '../../../../gateway/src/contract/payments.ts';
import type { RootSecretAnswer } from '../../../../gateway/src/contract/root-secret.ts';
import type { AbsorbedAnswer } from '../../../../gateway/src/contract/usage.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type Brake = BrakeAnswer;
export type Order = OperatorOrderList['data'][number];
export type RootSecret = RootSecretAnswer;
export type Explanation = ExplanationAnswer;
export type RouteHistory = RouteHistoryAnswer;
export type { RouteHealthEntry, RouteState };

const REFRESH_MS = 5_000;

export const routeHealthQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'health'],
  refetchInterval: REFRESH_MS,
  queryFn: async () => (await operate<RouteHealthAnswer>('GET', '/health/routes')).routes,
});

export const routeHistoryQuery = (provider: string, upstreamModel: string) =>
  queryOptions({
    queryKey: [OPERATOR_KEY, 'health', provider, upstreamModel],
    queryFn: () =>
      operate<RouteHistory>('GET', `/health/history${queryText({ provider, upstream_model: upstreamModel })}`),
  });

export const brakeQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'brake'],
  queryFn: () => operate<Brake>('GET', '/brake'),
});

export const changeBrake = (body: BrakeBody) => operate<Brake>('PATCH', '/brake', { body });

export const rootSecretQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'secret'],
  refetchInterval: REFRESH_MS,
  queryFn: () => operate<RootSecret>('GET', '/secret'),
});

/** It reads every entry of the ledger, so it runs only when it is asked for. */
export const checkLedger = (isFull: boolean) => operate<LedgerCheckAnswer>('GET', `/ledger/check?full=${isFull}`);

export const absorbedQuery = queryOptions({
  queryKey: [OPERATOR_KEY, 'absorbed'],
  queryFn: () => operate<AbsorbedAnswer>('GET', '/absorbed'),
});

export type { UserExposure };

export const exposuresKey = [OPERATOR_KEY, 'exposures'];

export const exposuresQuery = queryOptions({
  queryKey: exposuresKey,
  queryFn: async () => (await operate<UserExposureList>('GET', '/exposures')).exposures,
});

export const changeExposure = ({ accountId, userId }: UserExposure, body: ExposureBody) =>
  operate<UserExposure>('PATCH', `/exposures/${encodeURIComponent(accountId)}/${encodeURIComponent(userId)}`, { body });

export const ordersQuery = (state: string, query: string) =>
  infiniteQueryOptions({
    queryKey: [OPERATOR_KEY, 'orders', state, query],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      operate<OperatorOrderList>('GET', `/orders${queryText({ state, query, after: pageParam })}`),
    getNextPageParam: ({ next }) => next,
  });

export const evidenceListQuery = (user: string) =>
  infiniteQueryOptions({
    queryKey: [OPERATOR_KEY, 'evidence', user],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => operate<EvidenceListAnswer>('GET', `/evidence${queryText({ user, after: pageParam })}`),
    getNextPageParam: ({ next }) => next,
  });

/** Opening one writes a line to the gateway's log, so it is read only when it is asked for. */
export const readEvidence = (id: string) => operate<EvidenceAnswer>('GET', `/evidence/${encodeURIComponent(id)}`);

export const explainGeneration = (id: string) =>
  operate<Explanation>('GET', `/generations/${encodeURIComponent(id)}/explain`);

export const refundOrder = (id: string, body: OrderRefundBody) =>
  operate<OperatorOrder>('POST', `/orders/${encodeURIComponent(id)}/refund`, { body });
