// The catalog: search, narrow down, compare prices.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { type Model, modelsQuery, type Purpose, purposeOf } from '../../api/models.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { formatCompact, formatDate } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { filterModels, type ModelFilter, type ModelOrder, NO_FILTER, providersOf } from './filter-models.ts';
import { priceSummary } from './price-text.ts';

const PURPOSES: readonly (readonly [Purpose | 'all', string])[] = [
  ['all', 'Everything'],
  ['text', 'Text'],
  ['image', 'Images'],
  ['video', 'Video'],
  ['audio', 'Speech'],
  ['transcription', 'Transcription'],
  ['embeddings', 'Embeddings'],
];

const ORDERS: readonly (readonly [ModelOrder, string])[] = [
  ['name', 'Name'],
  ['price', 'Lowest input price'],
  ['context', 'Longest context'],
  ['newest', 'Newest'],
];

export function Models() {
  const query = useQuery(modelsQuery);
  const [filter, setFilter] = useState(NO_FILTER);
  // Typing stays smooth however long the list is.
  const shownFilter = useDeferredValue(filter);
  const change = (part: Partial<ModelFilter>): void => setFilter({ ...filter, ...part });
  return (
    <Page title="Models" description="Everything you can call, with what it costs. Prices are in US dollars.">
      <QueryView query={query}>
        {(models) => (
          <>
            <Filters filter={filter} providers={providersOf(models)} onChange={change} />
            <ModelList models={models} filter={shownFilter} onClear={() => setFilter(NO_FILTER)} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

type FiltersProps = Readonly<{
  filter: ModelFilter;
  providers: readonly string[];
  onChange: (part: Partial<ModelFilter>) => void;
}>;

function Filters({ filter, providers, onChange }: FiltersProps) {
  return (
    <search className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1fr_1fr]">
      <TextField
        label="Search"
        type="search"
        placeholder="Name, provider or what it is good at"
        value={filter.text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <SelectField
        label="Makes"
        value={filter.purpose}
        onChange={(event) => onChange({ purpose: event.target.value as Purpose | 'all' })}
      >
        {PURPOSES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Provider"
        value={filter.provider}
        onChange={(event) => onChange({ provider: event.target.value })}
      >
        <option value="all">All providers</option>
        {providers.map((provider) => (
          <option key={provider}>{provider}</option>
        ))}
      </SelectField>
      <SelectField
        label="Order"
        value={filter.order}
        onChange={(event) => onChange({ order: event.target.value as ModelOrder })}
      >
        {ORDERS.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
    </search>
  );
}

type ModelListProps = Readonly<{ models: readonly Model[]; filter: ModelFilter; onClear: () => void }>;

function ModelList({ models, filter, onClear }: ModelListProps) {
  const shown = filterModels(models, filter);
  if (shown.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={<SearchX size={22} />}
          title="No model fits"
          action={<Button onClick={onClear}>Clear the filters</Button>}
        >
          Nothing in the catalog matches all of what you chose.
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
        {shown.map((model) => (
          <ModelCard key={model.id} model={model} />
        ))}
      </ul>
    </>
  );
}

function ModelCard({ model }: Readonly<{ model: Model }>) {
  return (
    <li className="relative grid content-start gap-2 rounded-xl border border-line bg-surface p-5 hover:border-accent">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">
          <Link to="/models/$slug" params={{ slug: slugOf(model) }} className="after:absolute after:inset-0">
            {model.name}
          </Link>
        </h2>
        <ModelBadges model={model} />
      </div>
      <p className="font-mono text-xs break-all text-quiet">{model.id}</p>
      {model.description !== null && <p className="line-clamp-2 text-sm">{model.description}</p>}
      <p className="text-sm text-quiet">
        {priceSummary(model.pricing)}
        {model.context_length !== null && ` · ${formatCompact(model.context_length)} context`}
      </p>
    </li>
  );
}

export function ModelBadges({ model }: Readonly<{ model: Model }>) {
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge>{purposeOf(model)}</Badge>
      {model.id.endsWith(':free') && <Badge tone="good">free</Badge>}
      {model.end_of_life && model.expiration_date !== undefined && (
        <Badge tone="warn">ends {formatDate(model.expiration_date)}</Badge>
      )}
    </span>
  );
}

/** What `/v1/models/{slug}` calls the model. */
export const slugOf = (model: Model): string => model.links.details.slice('/v1/models/'.length);
