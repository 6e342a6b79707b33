// Who changed what in an organization, newest first.

import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { AuditLogAnswer } from '../../../../gateway/src/contract/org-management.ts';
import { queryText, request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type AuditEntry = AuditLogAnswer['entries'][number];

/** Days are those of UTC; both count. */
export type AuditFilter = Readonly<{ action?: string; actor?: string; from?: string; to?: string }>;

const DAY_MS = 86_400_000;

export const auditLogQuery = (orgId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...orgKeyOf(orgId), 'audit-log', filter],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      request<AuditLogAnswer>(
        'GET',
        orgApiPath(orgId, `/audit-log${queryText({ ...filter, to: dayAfter(filter.to), cursor: pageParam })}`),
      ),
    getNextPageParam: (page) => page.nextCursor,
  });

/** The gateway reads a day as its first moment, so the day after is sent to include the whole day. */
function dayAfter(day: string | undefined): string | undefined {
  const timeMs = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs + DAY_MS).toISOString().slice(0, 10);
}
