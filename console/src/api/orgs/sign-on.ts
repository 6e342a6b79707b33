// Single sign-on of an organization, the domains that it proves, and the directory that sends its people.

import { queryOptions } from '@tanstack/react-query';
import type { NewProvisioningTokenAnswer, ProvisioningAnswer } from '../../../../gateway/src/contract/scim.ts';
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
export type Provisioning = ProvisioningAnswer;

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

export const provisioningQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'provisioning'],
    queryFn: () => request<Provisioning>('GET', orgApiPath(orgId, '/provisioning')),
  });

export const createProvisioningToken = (orgId: string, name: string) =>
  request<NewProvisioningTokenAnswer>('POST', orgApiPath(orgId, '/provisioning/tokens'), { body: { name } });

export const removeProvisioningToken = (orgId: string, tokenId: string) =>
  request<void>('DELETE', orgApiPath(orgId, `/provisioning/tokens/${encodeURIComponent(tokenId)}`));
