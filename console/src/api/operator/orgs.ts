// Organizations as the operator sees them: how they pay, what they owe, and whether they may call at all.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { KeyList } from '../../../../gateway/src/contract/account.ts';
import type { BalanceAnswer, CreditBody } from '../../../../gateway/src/contract/admin.ts';
import type { MembersAnswer } from '../../../../gateway/src/contract/org-management.ts';
import type {
  NewOrgBody,
  OrgAnswer,
  OrgChangesBody,
  OrgListAnswer,
  OrgStateAnswer,
  StatementAnswer,
  StatementPaidBody,
} from '../../../../gateway/src/contract/orgs.ts';
import type { Sorting } from '../../ui/sorting.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type OrgState = OrgStateAnswer;
export type Statement = StatementAnswer;

export const orgsKey = [OPERATOR_KEY, 'orgs'] as const;
const pathOf = (id: string): string => `/orgs/${encodeURIComponent(id)}`;

export const orgsQuery = (query: string, { sort, isDescending }: Sorting<string>) =>
  infiniteQueryOptions({
    queryKey: [...orgsKey, 'list', query, sort, isDescending],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => {
      const order = isDescending ? 'desc' : 'asc';
      return operate<OrgListAnswer>('GET', `/orgs${queryText({ query, sort, order, cursor: pageParam })}`);
    },
    getNextPageParam: ({ next }) => next,
  });

export const orgQuery = (id: string) =>
  queryOptions({ queryKey: [...orgsKey, id], queryFn: () => operate<OrgState>('GET', pathOf(id)) });

/** `month` is written 2026-01. */
export const statementQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: [...orgsKey, id, 'statement', month],
    queryFn: () => {
      const [year, monthOfYear] = month.split('-').map(Number);
      return operate<Statement>('GET', `${pathOf(id)}/statements${queryText({ year, month: monthOfYear })}`);
    },
  });

export const orgMembersQuery = (id: string) =>
  queryOptions({
    queryKey: [...orgsKey, id, 'members'],
    queryFn: async () => (await operate<MembersAnswer>('GET', `${pathOf(id)}/members`)).members,
  });

export const orgKeysQuery = (id: string) =>
  queryOptions({
    queryKey: [...orgsKey, id, 'keys'],
    queryFn: async () => (await operate<KeyList>('GET', `${pathOf(id)}/keys`)).keys,
  });

export const createOrg = (body: NewOrgBody) => operate<OrgAnswer>('POST', '/orgs', { body });

export const changeOrg = (id: string, body: OrgChangesBody) => operate<OrgState>('PATCH', pathOf(id), { body });

export const creditOrg = (id: string, body: CreditBody, idempotencyKey: string) =>
  operate<BalanceAnswer>('POST', `${pathOf(id)}/credits`, { body, idempotencyKey });

export const markPaid = (id: string, month: string, body: StatementPaidBody) =>
  operate<Statement>('POST', `${pathOf(id)}/statements/${encodeURIComponent(month)}/paid`, { body });
