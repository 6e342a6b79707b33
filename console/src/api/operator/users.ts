// Users as the operator sees them: their balance, their keys, and whether they may call at all.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { KeyList, NewKeyObject } from '../../../../gateway/src/contract/account.ts';
import type {
  BalanceAnswer,
  CreditBody,
  NewKeyBody,
  NewUserBody,
  UserAnswer,
  UserDetailAnswer,
  UserListAnswer,
} from '../../../../gateway/src/contract/admin.ts';
import type { Sorting } from '../../ui/sorting.ts';
import { queryText } from '../request.ts';
import { OPERATOR_KEY, operate } from './token.ts';

export type UserDetail = UserDetailAnswer;

export const usersKey = [OPERATOR_KEY, 'users'] as const;
const pathOf = (id: string): string => `/users/${encodeURIComponent(id)}`;

export const usersQuery = (query: string, { sort, isDescending }: Sorting<string>) =>
  infiniteQueryOptions({
    queryKey: [...usersKey, 'list', query, sort, isDescending],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => {
      const order = isDescending ? 'desc' : 'asc';
      return operate<UserListAnswer>('GET', `/users${queryText({ query, sort, order, cursor: pageParam })}`);
    },
    getNextPageParam: ({ next }) => next,
  });

export const userQuery = (id: string) =>
  queryOptions({ queryKey: [...usersKey, id], queryFn: () => operate<UserDetail>('GET', pathOf(id)) });

export const userKeysQuery = (id: string) =>
  queryOptions({
    queryKey: [...usersKey, id, 'keys'],
    queryFn: async () => (await operate<KeyList>('GET', `${pathOf(id)}/keys`)).keys,
  });

export const createUser = (body: NewUserBody) => operate<UserAnswer>('POST', '/users', { body });

export const suspendUser = (id: string, suspended: boolean) => operate('PATCH', pathOf(id), { body: { suspended } });

export const creditUser = (id: string, body: CreditBody, idempotencyKey: string) =>
  operate<BalanceAnswer>('POST', `${pathOf(id)}/credits`, { body, idempotencyKey });

export const createUserKey = (id: string, body: NewKeyBody) =>
  operate<NewKeyObject>('POST', `${pathOf(id)}/keys`, { body });

export const switchUserKey = (keyId: string, enabled: boolean) =>
  operate('PATCH', `/keys/${encodeURIComponent(keyId)}`, { body: { enabled } });

export const deleteUserKey = (keyId: string) => operate<void>('DELETE', `/keys/${encodeURIComponent(keyId)}`);
