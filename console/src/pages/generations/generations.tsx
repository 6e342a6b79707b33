// Every call of an account, newest first, those too that were refused. All filters are in the address, so that a link
// shows the same.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { usageQuery } from '../../api/account.ts';
import type { GenerationFilter } from '../../api/generation-filters.ts';
import { generationsQuery, readGenerationsCsv } from '../../api/generations.ts';
import { AccountSwitch } from '../../layout/account-switch.tsx';
import type { Coming } from '../../page-route.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { sortingOf } from '../../ui/sorting.ts';
import { useSaving } from '../../ui/use-saving.ts';
import { GenerationFilters } from './generation-filters.tsx';
import { GenerationTable } from './generation-table.tsx';
import { CALL_SORTS, NEWEST_FIRST, sortedCalls } from './sorted-calls.ts';

export function ahead({ queryClient, search: { sort: _sort, ...filter } }: Coming): void {
  void queryClient.prefetchQuery(usageQuery({ orgId: filter.orgId, period: 'year' }));
  void queryClient.prefetchInfiniteQuery(generationsQuery(filter));
}

export function Generations() {
  const { sort, ...filter } = useSearch({ from: '/member/generations' });
  const navigate = useNavigate({ from: '/generations' });
  const change = (part: GenerationFilter): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  // The choices are everything that was used within the year.
  const { data: usage } = useQuery(usageQuery({ orgId: filter.orgId, period: 'year' }));
  const { save, isSaving, error } = useSaving(async () => {
    saveFile('tollgate-calls.csv', await readGenerationsCsv(filter), 'text/csv');
  });
  return (
    <Page
      title="Generations"
      description="Every call with its duration and cost, and the calls that were refused. Shows the last 31 days unless you choose other dates."
      actions={
        <>
          <AccountSwitch
            orgId={filter.orgId}
            onChange={(orgId) => void navigate({ search: { orgId }, replace: true })}
          />
          <Button isBusy={isSaving} onClick={save}>
            Save as CSV
          </Button>
        </>
      }
    >
      <ErrorNotice error={error} />
      <GenerationFilters filter={filter} usage={usage ?? null} onChange={change} />
      <GenerationList
        filter={filter}
        sort={sort}
        onSort={(chosen) => void navigate({ search: (before) => ({ ...before, sort: chosen }), replace: true })}
        onClear={() => void navigate({ search: { orgId: filter.orgId }, replace: true })}
      />
    </Page>
  );
}

type GenerationListProps = Readonly<{
  filter: GenerationFilter;
  sort: string | undefined;
  onSort: (sort: string) => void;
  onClear: () => void;
}>;

function GenerationList({ filter, sort, onSort, onClear }: GenerationListProps) {
  const query = useInfiniteQuery(generationsQuery(filter));
  const { orgId, ...narrowing } = filter;
  const isNarrowed = Object.values(narrowing).some((value) => value !== undefined);
  const sorting = sortingOf(sort, CALL_SORTS, NEWEST_FIRST);
  return (
    <QueryView query={query}>
      {({ pages }) => {
        const calls = pages.flatMap((page) => page.calls);
        if (calls.length === 0) return <NoGenerations isNarrowed={isNarrowed} onClear={onClear} />;
        return (
          <Card isFlush>
            <GenerationTable calls={sortedCalls(calls, sorting)} orgId={orgId} sorting={sorting} onSort={onSort} />
            <MoreButton list={query} verb="Show older ones" />
          </Card>
        );
      }}
    </QueryView>
  );
}

function NoGenerations({ isNarrowed, onClear }: Readonly<{ isNarrowed: boolean; onClear: () => void }>) {
  return (
    <Card>
      <EmptyState
        icon={<ListFilter size={22} />}
        title={isNarrowed ? 'No call matches' : 'No calls yet'}
        action={isNarrowed && <Button onClick={onClear}>Clear the filters</Button>}
      >
        {isNarrowed
          ? 'No call matches all of your filters.'
          : 'Each call appears here as soon as it is answered. Make one in the playground or with a key.'}
      </EmptyState>
    </Card>
  );
}
