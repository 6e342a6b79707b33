// The institution plan of an organization: the keys for students, its rules, and the students' sessions.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  EduConfigBody,
  EduConfigObject,
  EduKeyObject,
  EduKeysAnswer,
  EduSessionObject,
  EduSessionsAnswer,
  NewEduKeyObject,
} from '../../../../gateway/src/contract/edu.ts';
import { queryText, request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type EduKey = EduKeyObject;
export type EduConfig = EduConfigObject;
export type EduConfigChanges = EduConfigBody;
export type EduSession = EduSessionObject;
export type EduSessionFilter = Readonly<{ status?: string; email?: string }>;

const path = (orgId: string, rest: string): string => orgApiPath(orgId, `/edu${rest}`);
const keyOf = (orgId: string, what: string) => [...orgKeyOf(orgId), 'edu', what] as const;

export const eduKeysQuery = (orgId: string) =>
  queryOptions({
    queryKey: keyOf(orgId, 'keys'),
    queryFn: async (): Promise<readonly EduKey[]> => (await request<EduKeysAnswer>('GET', path(orgId, '/keys'))).keys,
  });

export const createEduKey = (orgId: string, name: string) =>
  request<NewEduKeyObject>('POST', path(orgId, '/keys'), { body: { name } });

export const deleteEduKey = (orgId: string, id: string) =>
  request<void>('DELETE', path(orgId, `/keys/${encodeURIComponent(id)}`));

export const eduConfigQuery = (orgId: string) =>
  queryOptions({
    queryKey: keyOf(orgId, 'config'),
    queryFn: () => request<EduConfig>('GET', path(orgId, '/config')),
  });

export const changeEduConfig = (orgId: string, body: EduConfigChanges) =>
  request<EduConfig>('PATCH', path(orgId, '/config'), { body });

export const eduSessionsQuery = (orgId: string, filter: EduSessionFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(orgId, 'sessions'), filter],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      request<EduSessionsAnswer>('GET', path(orgId, `/sessions${queryText({ ...filter, cursor: pageParam })}`)),
    getNextPageParam: (page) => page.nextCursor,
  });

export const revokeEduSession = (orgId: string, id: string) =>
  request<void>('DELETE', path(orgId, `/sessions/${encodeURIComponent(id)}`));
