// Who changed what in an organization, newest first.

import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { AuditLogAnswer } from '../../../../gateway/src/contract/org-management.ts';
import { momentsOf } from '../../ui/local-days.ts';
import { queryText, request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type AuditEntry = AuditLogAnswer['entries'][number];

/** Days are those of the reader's calendar, as the entries show theirs; both count. */
export type AuditFilter = Readonly<{ action?: string; actor?: string; from?: string; to?: string }>;

export const auditLogQuery = (orgId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...orgKeyOf(orgId), 'audit-log', filter],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      request<AuditLogAnswer>(
        'GET',
        orgApiPath(orgId, `/audit-log${queryText({ ...filter, ...momentsOf(filter), cursor: pageParam })}`),
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
