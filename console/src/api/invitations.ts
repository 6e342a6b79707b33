// An invitation to an organization, as whoever holds its link sees it.

import { queryOptions } from '@tanstack/react-query';
import type { AcceptedInvitation, InvitationPreview } from '../../../gateway/src/contract/org-management.ts';
import { request } from './request.ts';

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => request<InvitationPreview>('GET', `/api/invitations/${encodeURIComponent(token)}`),
  });

export const acceptInvitation = (token: string) =>
  request<AcceptedInvitation>('POST', '/api/invitations/accept', { body: { token } });
