// The organizations a person belongs to, and one of them. Everything of an organization is cached below its id, so that
// a change of one thing can have everything that shows it read again.

import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeOrgBody,
  MembershipsAnswer,
  OrgDetailAnswer,
} from '../../../../gateway/src/contract/org-management.ts';
import type { OrgAnswer } from '../../../../gateway/src/contract/orgs.ts';
import { request } from '../request.ts';

export type Membership = MembershipsAnswer['orgs'][number];
export type Organization = OrgDetailAnswer;

export const orgKeyOf = (orgId: string) => ['org', orgId] as const;

/** Paths take ids only; what else stands in an address must not become a path of its own. */
export const orgPath = (orgId: string, rest = ''): string => `/v1/orgs/${encodeURIComponent(orgId)}${rest}`;
export const orgApiPath = (orgId: string, rest: string): string => `/api/orgs/${encodeURIComponent(orgId)}${rest}`;

export const membershipsQuery = queryOptions({
  queryKey: ['memberships'],
  queryFn: async (): Promise<readonly Membership[]> => (await request<MembershipsAnswer>('GET', '/v1/orgs')).orgs,
});

export const organizationQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'detail'],
    queryFn: () => request<Organization>('GET', orgPath(orgId)),
  });

export const foundOrganization = (name: string) => request<OrgAnswer>('POST', '/api/orgs', { body: { name } });

export const changeOrganization = (orgId: string, body: ChangeOrgBody) =>
  request<Organization>('PATCH', orgPath(orgId), { body });
