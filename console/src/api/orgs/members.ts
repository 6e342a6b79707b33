// The people of an organization and those who are invited to it.

import { queryOptions } from '@tanstack/react-query';
import type {
  InvitationObject,
  InvitationsAnswer,
  MemberObject,
  MembersAnswer,
  OrgRole,
} from '../../../../gateway/src/contract/org-management.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf, orgPath } from './organizations.ts';

export type Member = MembersAnswer['members'][number];
export type OrgInvitation = InvitationObject;
export type { OrgRole };

/** What is left out stays as it is, or is what the organization gives to newcomers. */
export type MemberChanges = Readonly<{ role?: OrgRole; teamId?: string | null; monthlyBudget?: number | null }>;
export type MemberWish = MemberChanges & Readonly<{ email: string }>;

export const membersQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'members'],
    queryFn: async (): Promise<readonly Member[]> =>
      (await request<MembersAnswer>('GET', orgPath(orgId, '/members'))).members,
  });

const memberPath = (orgId: string, id: string): string => orgPath(orgId, `/members/${encodeURIComponent(id)}`);

export const addMember = (orgId: string, body: MemberWish) =>
  request<MemberObject>('POST', orgPath(orgId, '/members'), { body });

export const changeMember = (orgId: string, id: string, body: MemberChanges) =>
  request<MemberObject>('PATCH', memberPath(orgId, id), { body });

export const removeMember = (orgId: string, id: string) => request<void>('DELETE', memberPath(orgId, id));

export const orgInvitationsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'invitations'],
    queryFn: async (): Promise<readonly OrgInvitation[]> =>
      (await request<InvitationsAnswer>('GET', orgApiPath(orgId, '/invitations'))).invitations,
  });

export const inviteMember = (orgId: string, body: MemberWish) =>
  request<OrgInvitation>('POST', orgApiPath(orgId, '/invitations'), { body });

export const withdrawInvitation = (orgId: string, id: string) =>
  request<void>('DELETE', orgApiPath(orgId, `/invitations/${encodeURIComponent(id)}`));
