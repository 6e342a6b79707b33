// The organizations that a person belongs to, and one of them. Everything of an organization is cached under its id, so
// that after a change everything that shows it is read again.

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

/** Paths take only ids; other text from an address must not become part of a path. */
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
