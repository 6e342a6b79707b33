// The auto router's tables: for each kind of request the models that are tried, in order, and whether the tier is on.

import { useQuery } from '@tanstack/react-query';
import { type AutoTable, type AutoTier, type ConfigDocument, configQuery } from '../../../api/operator/config.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { TierCard } from './tier-card.tsx';

/** In the order of the gateway's own list, which the console may not import, because it is code and not a type. */
const TIERS: Readonly<Record<AutoTier, string>> = {
  simple: 'Simple',
  standard: 'Standard',
  complex: 'Complex',
  reasoning: 'Reasoning',
  coding: 'Coding',
  vision: 'Vision',
  image: 'Pictures',
  video: 'Video',
  data: 'Data',
  search: 'Search',
  social: 'Social',
  email: 'Email',
  calendar: 'Calendar',
  trading: 'Trading',
};

export function AutoRouter() {
  const query = useQuery(configQuery);
  return (
    <Page
      title="Auto router"
      description="Which models answer a request that names none, by what the request is about. The first model that can answer is used."
    >
      <QueryView query={query}>
        {(config) => (
          <Tabs
            label="Tables"
            tabs={[
              { id: 'paid', label: 'Paid', content: <Tiers table="paid" config={config} /> },
              { id: 'free', label: 'Free', content: <Tiers table="free" config={config} /> },
            ]}
          />
        )}
      </QueryView>
    </Page>
  );
}

function Tiers({ table, config }: Readonly<{ table: AutoTable; config: ConfigDocument }>) {
  const known = Object.keys(config.models ?? {});
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {(Object.entries(TIERS) as [AutoTier, string][]).map(([tier, title]) => (
        <TierCard key={tier} place={{ table, tier, title }} entry={config.auto?.[table]?.[tier]} known={known} />
      ))}
    </div>
  );
}
