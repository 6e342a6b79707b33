// What narrows the figures down. The choices are what the account has used within the year.

import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/account.ts';
import { Choices } from '../../ui/choices.tsx';
import { usedNames } from './used-names.ts';

type Chosen = Readonly<{ model?: string | undefined; key?: string | undefined; app?: string | undefined }>;

type UsageFiltersProps = Readonly<{ orgId: string | undefined; chosen: Chosen; onChange: (part: Chosen) => void }>;

export function UsageFilters({ orgId, chosen, onChange }: UsageFiltersProps) {
  const { data: usage } = useQuery(usageQuery({ orgId, period: 'year' }));
  const { models, keys, apps } = usedNames(usage ?? null);
  return (
    <search className="grid gap-3 sm:grid-cols-3">
      <Choices
        label="Model"
        all="All models"
        choices={models}
        value={chosen.model}
        onChange={(model) => onChange({ model })}
      />
      <Choices label="Key" all="All keys" choices={keys} value={chosen.key} onChange={(key) => onChange({ key })} />
      <Choices label="App" all="All apps" choices={apps} value={chosen.app} onChange={(app) => onChange({ app })} />
    </search>
  );
}
