// The keys of an organization: as many of them as the role may see.

import { queryOptions } from '@tanstack/react-query';
import type { KeyList, KeyObject, NewKeyObject } from '../../../../gateway/src/contract/account.ts';
import type { ChangeKeyBody, CreateOrgKeyBody, KeyChangedAnswer } from '../../../../gateway/src/contract/keys.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type OrgKey = KeyObject;

const REFRESH_MS = 10_000;

export const orgKeysQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'keys'],
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<readonly OrgKey[]> => (await request<KeyList>('GET', orgApiPath(orgId, '/keys'))).keys,
  });

const keyPath = (orgId: string, id: string): string => orgApiPath(orgId, `/keys/${encodeURIComponent(id)}`);

export const createOrgKey = (orgId: string, body: CreateOrgKeyBody) =>
  request<NewKeyObject>('POST', orgApiPath(orgId, '/keys'), { body });

export const changeOrgKey = (orgId: string, id: string, body: ChangeKeyBody) =>
  request<KeyChangedAnswer>('PATCH', keyPath(orgId, id), { body });

export const deleteOrgKey = (orgId: string, id: string) => request<void>('DELETE', keyPath(orgId, id));
