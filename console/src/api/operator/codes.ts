// Batches of codes that people redeem for credit.

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CodeBatchList, NewCodesAnswer, NewCodesBody } from '../../../../gateway/src/contract/codes.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type CodeBatch = CodeBatchList['batches'][number];

export const codesKey = [OPERATOR_KEY, 'codes'] as const;

export const codesQuery = infiniteQueryOptions({
  queryKey: codesKey,
  initialPageParam: null as string | null,
  queryFn: ({ pageParam }) => operate<CodeBatchList>('GET', `/codes${queryText({ cursor: pageParam })}`),
  getNextPageParam: ({ next }) => next,
});

export const makeCodes = (body: NewCodesBody) => operate<NewCodesAnswer>('POST', '/codes', { body });

export const withdrawCodes = (id: string) => operate<void>('DELETE', `/codes/${encodeURIComponent(id)}`);
