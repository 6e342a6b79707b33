// Single sign-on of an organization, and the domains that it proves.

import { queryOptions } from '@tanstack/react-query';
import type {
  DomainAnswer,
  DomainListAnswer,
  SignOnAnswer,
  SignOnBody,
} from '../../../../gateway/src/contract/sign-on.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type SignOn = SignOnAnswer;
export type OrgDomain = DomainAnswer;

export const signOnQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'sign-on'],
    queryFn: () => request<SignOn>('GET', orgApiPath(orgId, '/sign-on')),
  });

export const changeSignOn = (orgId: string, body: SignOnBody) =>
  request<SignOn>('PUT', orgApiPath(orgId, '/sign-on'), { body });

export const removeSignOn = (orgId: string) => request<void>('DELETE', orgApiPath(orgId, '/sign-on'));

export const domainsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'domains'],
    queryFn: async () => (await request<DomainListAnswer>('GET', orgApiPath(orgId, '/domains'))).domains,
  });

const domainPath = (orgId: string, domain: string): string =>
  orgApiPath(orgId, `/domains/${encodeURIComponent(domain)}`);

export const claimDomain = (orgId: string, domain: string) =>
  request<OrgDomain>('POST', orgApiPath(orgId, '/domains'), { body: { domain } });

export const checkDomain = (orgId: string, domain: string) =>
  request<OrgDomain>('POST', `${domainPath(orgId, domain)}/check`, { body: {} });

export const dropDomain = (orgId: string, domain: string) => request<void>('DELETE', domainPath(orgId, domain));
