// The spend breakers of an organization, its teams and its members. What they have seen is read again now and then.

import { queryOptions } from '@tanstack/react-query';
import type { BreakerBody, OrgBreakerAnswer } from '../../../../gateway/src/contract/breaker.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';
import { type Scope, scopePath, scopeText } from './scopes.ts';

export type OrgBreaker = OrgBreakerAnswer;

const REFRESH_MS = 5_000;

const path = (orgId: string, scope: Scope): string => orgApiPath(orgId, `${scopePath(scope)}/circuit-breaker`);

export const orgBreakerQuery = (orgId: string, scope: Scope) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'breaker', scopeText(scope)],
    refetchInterval: REFRESH_MS,
    queryFn: () => request<OrgBreaker>('GET', path(orgId, scope)),
  });

export const changeOrgBreaker = (orgId: string, scope: Scope, body: BreakerBody) =>
  request<OrgBreaker>('PATCH', path(orgId, scope), { body });
