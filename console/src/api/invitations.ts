// Invitations to organizations: one as the holder of its link sees it, and all that a person has received.

import { queryOptions } from '@tanstack/react-query';
import type {
  AcceptedInvitation,
  HeldAnswer,
  InvitationPreview,
} from '../../../gateway/src/contract/org-management.ts';
import { request } from './request.ts';

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => request<InvitationPreview>('GET', `/api/invitations/${encodeURIComponent(token)}`),
  });

export const acceptInvitation = (token: string) =>
  request<AcceptedInvitation>('POST', '/api/invitations/accept', { body: { token } });

export type OwnInvitation = HeldAnswer['invitations'][number];

export const heldQuery = queryOptions({
  queryKey: ['held'],
  queryFn: () => request<HeldAnswer>('GET', '/api/account/held'),
});

export const acceptOwnInvitation = (id: string) =>
  request<AcceptedInvitation>('POST', '/api/invitations/accept', { body: { id } });

export const declineInvitation = (id: string) => request<null>('POST', '/api/invitations/decline', { body: { id } });

export const leaveOrganization = (orgId: string) =>
  request<null>('POST', `/api/orgs/${encodeURIComponent(orgId)}/leave`, { body: {} });
