// The people who operate the gateway, and what operators did.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { OperatorLogAnswer } from '../../../../gateway/src/contract/admin.ts';
import type {
  NewOperatorBody,
  OperatorAnswer,
  OperatorChangesBody,
  OperatorListAnswer,
} from '../../../../gateway/src/contract/operators.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type Operator = OperatorAnswer;

export const operatorsKey = [OPERATOR_KEY, 'operators'] as const;

export const operatorsQuery = queryOptions({
  queryKey: operatorsKey,
  queryFn: async () => (await operate<OperatorListAnswer>('GET', '/operators')).operators,
});

export const appointOperator = (body: NewOperatorBody) => operate<Operator>('POST', '/operators', { body });

export const changeOperator = (userId: string, body: OperatorChangesBody) =>
  operate<Operator>('PATCH', `/operators/${encodeURIComponent(userId)}`, { body });

export const dismissOperator = (userId: string) => operate<void>('DELETE', `/operators/${encodeURIComponent(userId)}`);

export type LogFilter = Readonly<{ operator?: string | undefined; changes?: string | undefined }>;

export const operatorLogQuery = (filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: [OPERATOR_KEY, 'audit-log', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      operate<OperatorLogAnswer>('GET', `/audit-log${queryText({ ...filter, after: pageParam })}`),
    getNextPageParam: ({ next }) => next,
  });
