// Services of others that are asked about an organization's calls, and what they have decided lately.

import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeGuardBody,
  GuardObject,
  GuardsAnswer,
  NewGuardBody,
} from '../../../../gateway/src/contract/guards.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type Guard = GuardObject;
export type GuardWish = NewGuardBody;
export type GuardDecision = GuardsAnswer['decisions'][number];

export const guardsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'guards'],
    queryFn: () => request<GuardsAnswer>('GET', orgApiPath(orgId, '/guards')),
  });

const guardPath = (orgId: string, id: string): string => orgApiPath(orgId, `/guards/${encodeURIComponent(id)}`);

export const createGuard = (orgId: string, body: GuardWish) =>
  request<Guard>('POST', orgApiPath(orgId, '/guards'), { body });

export const changeGuard = (orgId: string, id: string, body: ChangeGuardBody) =>
  request<Guard>('PATCH', guardPath(orgId, id), { body });

export const deleteGuard = (orgId: string, id: string) => request<void>('DELETE', guardPath(orgId, id));
