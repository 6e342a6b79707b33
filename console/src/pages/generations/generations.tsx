// Every call of an account, newest first, by model, key, application and days.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { usageQuery } from '../../api/account.ts';
import { type GenerationFilter, generationsQuery } from '../../api/generations.ts';
import { AccountSwitch } from '../../layout/account-switch.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { GenerationFilters } from './generation-filters.tsx';
import { GenerationTable } from './generation-table.tsx';

const NO_FILTER = { model: undefined, key: undefined, app: undefined, from: undefined, to: undefined };

export function Generations() {
  const filter = useSearch({ from: '/member/generations' });
  const navigate = useNavigate({ from: '/generations' });
  const change = (part: Partial<GenerationFilter>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  // What there is to choose from, and the names of keys: whatever was used within the year.
  const { data: usage } = useQuery(usageQuery({ orgId: filter.orgId, period: 'year' }));
  return (
    <Page
      title="Generations"
      description="Every call with what it took and cost. Times are UTC."
      actions={<AccountSwitch orgId={filter.orgId} onChange={(orgId) => change({ ...NO_FILTER, orgId })} />}
    >
      <GenerationFilters filter={filter} usage={usage ?? null} onChange={change} />
      <GenerationList
        filter={filter}
        keyNames={new Map(usage?.byKey.map(({ keyId, keyName }) => [keyId, keyName ?? keyId]))}
        onClear={() => change(NO_FILTER)}
      />
    </Page>
  );
}

type GenerationListProps = Readonly<{
  filter: GenerationFilter;
  keyNames: ReadonlyMap<string, string>;
  onClear: () => void;
}>;

function GenerationList({ filter, keyNames, onClear }: GenerationListProps) {
  const query = useInfiniteQuery(generationsQuery(filter));
  const { orgId, ...narrowing } = filter;
  const isNarrowed = Object.values(narrowing).some((value) => value !== undefined);
  return (
    <QueryView query={query}>
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data);
        if (entries.length === 0) return <NoGenerations isNarrowed={isNarrowed} onClear={onClear} />;
        return (
          <Card isFlush>
            <GenerationTable entries={entries} keyNames={keyNames} orgId={orgId} />
            {query.hasNextPage && (
              <div className="flex justify-center border-t border-line p-3">
                <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show older ones
                </Button>
              </div>
            )}
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
        title={isNarrowed ? 'No call fits' : 'No calls yet'}
        action={isNarrowed && <Button onClick={onClear}>Clear the filters</Button>}
      >
        {isNarrowed
          ? 'Nothing matches all of what you chose.'
          : 'Each call appears here as soon as it is answered. Make one in the playground or with a key.'}
      </EmptyState>
    </Card>
  );
}
