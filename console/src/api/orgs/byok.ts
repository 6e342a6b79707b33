// An organization's own keys at upstreams. The upstream's secret goes to the gateway and never comes back.

import { queryOptions } from '@tanstack/react-query';
import type {
  ByokKeyChangesBody,
  ByokKeyObject,
  ByokKeysAnswer,
  NewByokKeyBody,
  NewByokKeyObject,
} from '../../../../gateway/src/contract/byok.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type ByokKey = ByokKeyObject;
export type ByokWish = NewByokKeyBody;
export type ByokChanges = Omit<ByokKeyChangesBody, 'apiKey'>;
export type ByokSync = NewByokKeyObject['sync'];

const REFRESH_MS = 15_000;

const answerOf = (orgId: string) => ({
  queryKey: [...orgKeyOf(orgId), 'byok-keys'],
  refetchInterval: REFRESH_MS,
  queryFn: () => request<ByokKeysAnswer>('GET', orgApiPath(orgId, '/byok-keys')),
});

export const byokKeysQuery = (orgId: string) => queryOptions({ ...answerOf(orgId), select: ({ keys }) => keys });

/** What an upstream may speak, the usual first. */
export const byokProtocolsQuery = (orgId: string) =>
  queryOptions({ ...answerOf(orgId), select: ({ protocols }) => protocols });

const keyPath = (orgId: string, id: string): string => orgApiPath(orgId, `/byok-keys/${encodeURIComponent(id)}`);

export const createByokKey = (orgId: string, body: ByokWish) =>
  request<NewByokKeyObject>('POST', orgApiPath(orgId, '/byok-keys'), { body });

export const changeByokKey = (orgId: string, id: string, body: ByokChanges) =>
  request<ByokKey>('PATCH', keyPath(orgId, id), { body });

export const deleteByokKey = (orgId: string, id: string) => request<void>('DELETE', keyPath(orgId, id));
