// Who changed what, newest first. Each entry says what was before and what came after, field by field.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { type AuditEntry, type AuditFilter, auditLogQuery } from '../../../api/orgs/audit-log.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { fetchPeople, useOrgPeople } from '../scope-choice.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { EntryItem } from './entry-item.tsx';

const NO_FILTER = { action: undefined, actor: undefined, from: undefined, to: undefined };

export function ahead(coming: ComingToOrg): void {
  fetchPeople(coming);
  void coming.queryClient.prefetchInfiniteQuery(auditLogQuery(coming.params.orgId, coming.search));
}

export function AuditLog() {
  const filter = useSearch({ from: '/member/org/$orgId/audit-log' });
  const navigate = useNavigate({ from: '/org/$orgId/audit-log' });
  const change = (part: Partial<AuditFilter>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <Page title="Audit log" description="Who changed what in the organization.">
      <AuditFilters filter={filter} onChange={change} />
      <Entries filter={filter} onClear={() => change(NO_FILTER)} />
    </Page>
  );
}

function Entries({ filter, onClear }: Readonly<{ filter: AuditFilter; onClear: () => void }>) {
  const { id: orgId, name } = useOrg();
  const query = useInfiniteQuery(auditLogQuery(orgId, filter));
  const { teams, members } = useOrgPeople();
  const names = new Map([
    [orgId, name],
    ...teams.map((team) => [team.id, team.name] as const),
    ...members.flatMap(({ id, user }) => [[id, user.name] as const, [user.id, user.name] as const]),
  ]);
  return (
    <QueryView query={query}>
      {({ pages }) => {
        const entries = pages.flatMap((page): readonly AuditEntry[] => page.entries);
        if (entries.length === 0) return <NoEntries onClear={onClear} />;
        return (
          <Card isFlush>
            <ul className="divide-y divide-line">
              {entries.map((entry) => (
                <EntryItem key={entry.id} entry={entry} names={names} />
              ))}
            </ul>
            <MoreButton list={query} verb="Show older ones" />
          </Card>
        );
      }}
    </QueryView>
  );
}

function NoEntries({ onClear }: Readonly<{ onClear: () => void }>) {
  return (
    <Card>
      <EmptyState
        icon={<ScrollText size={22} />}
        title="No entry matches"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        Nothing in the log matches all of your filters.
      </EmptyState>
    </Card>
  );
}
