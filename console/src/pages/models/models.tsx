// The catalog: search, narrow down, compare prices.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useDeferredValue } from 'react';
import { type Model, modelsQuery, slugOf } from '../../api/models.ts';
import type { Coming } from '../../page-route.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCompact } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { usePortion } from '../../ui/use-portion.ts';
import { filterModels, filterOf, type ModelFilter, NO_FILTER, providersOf, searchOf } from './filter-models.ts';
import { ModelBadges } from './model-badges.tsx';
import { ModelFilters } from './model-filters.tsx';
import { priceSummary } from './price-text.ts';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(modelsQuery);
}

export function Models() {
  const query = useQuery(modelsQuery);
  const filter = filterOf(useSearch({ from: '/reader/models' }));
  const navigate = useNavigate({ from: '/models' });
  const setFilter = (chosen: ModelFilter): void => void navigate({ search: searchOf(chosen), replace: true });
  // Typing stays smooth however long the list is.
  const shownFilter = useDeferredValue(filter);
  const change = (part: Partial<ModelFilter>): void => setFilter({ ...filter, ...part });
  return (
    <Page title="Models" description="Everything you can call, with what it costs. Prices are in US dollars.">
      <QueryView query={query}>
        {(models) => (
          <>
            <ModelFilters filter={filter} providers={providersOf(models)} onChange={change} />
            <ModelList models={models} filter={shownFilter} onClear={() => setFilter(NO_FILTER)} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

type ModelListProps = Readonly<{ models: readonly Model[]; filter: ModelFilter; onClear: () => void }>;

function ModelList({ models, filter, onClear }: ModelListProps) {
  const shown = filterModels(models, filter);
  const portion = usePortion(shown.length);
  if (shown.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={<SearchX size={22} />}
          title="No model matches"
          action={<Button onClick={onClear}>Clear the filters</Button>}
        >
          Nothing in the catalog matches all of your filters.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <p role="status" className="text-sm text-quiet">
        {shown.length} of {models.length} models
      </p>
      <ul className="grid gap-3 md:grid-cols-2">
        {shown.slice(0, portion.shown).map((model) => (
          <ModelCard key={model.id} model={model} />
        ))}
        {portion.edge !== null && <li key={portion.shown} ref={portion.edge} aria-hidden="true" />}
      </ul>
    </>
  );
}

function ModelCard({ model }: Readonly<{ model: Model }>) {
  return (
    <li className="relative grid grid-rows-[auto_auto_1fr_auto] gap-2 rounded-xl border border-line bg-surface p-5 hover:border-accent">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          <Link to="/models/$slug" params={{ slug: slugOf(model) }} className="after:absolute after:inset-0">
            {model.name}
          </Link>
        </h2>
        <ModelBadges model={model} />
      </div>
      <p className="font-mono text-xs break-all text-quiet">{model.id}</p>
      <p className="line-clamp-2 text-sm">{model.description}</p>
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium tabular-nums">{priceSummary(model.pricing)}</span>
        {model.context_length !== null && (
          <span className="text-quiet">{formatCompact(model.context_length)} context</span>
        )}
      </p>
    </li>
  );
}
