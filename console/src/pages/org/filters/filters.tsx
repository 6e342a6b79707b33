// The rules on what may be in the requests of the organization's keys, and a box to try a text on them.

import { useQuery } from '@tanstack/react-query';
import { Plus, ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { changeFilter, deleteFilter, type Filter, filtersQuery } from '../../../api/orgs/content-filters.ts';
import { guardsQuery } from '../../../api/orgs/guards.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { EditButton } from '../edit-button.tsx';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';
import { FilterDialog } from './filter-dialog.tsx';
import { ACTION_TONES, ACTIONS, patternText, SIDES, TYPES } from './filter-words.ts';
import { GuardsCard } from './guards-card.tsx';
import { TryCard } from './try-card.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(filtersQuery(orgId));
  void queryClient.prefetchQuery(guardsQuery(orgId));
}

export function Filters() {
  const { id: orgId } = useOrg();
  const query = useQuery(filtersQuery(orgId));
  const [edited, setEdited] = useState<Filter | 'new' | null>(null);
  const create = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      <Plus size={16} aria-hidden="true" /> New rule
    </Button>
  );
  return (
    <Page
      title="Content filters"
      description="Filters check what the organization’s keys send, before it leaves the gateway, and what models answer. Personal keys are not checked."
      actions={create}
    >
      <QueryView query={query}>
        {(rules) => (rules.length === 0 ? <NoRules action={create} /> : <RuleTable rules={rules} onEdit={setEdited} />)}
      </QueryView>
      <TryCard />
      <GuardsCard />
      <FilterDialog rule={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}

function NoRules({ action }: Readonly<{ action: ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<ShieldCheck size={22} />} title="No rules yet" action={action}>
        Begin with a template, such as credit card numbers or API keys, or list words that must not be sent.
      </EmptyState>
    </Card>
  );
}

const COLUMNS = [
  { label: 'Rule' },
  { label: 'Looks for' },
  { label: 'Then' },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

function RuleTable({ rules, onEdit }: Readonly<{ rules: readonly Filter[]; onEdit: (rule: Filter) => void }>) {
  const { id: orgId } = useOrg();
  const switching = useOrgChange({
    run: ({ id, enabled }: Pick<Filter, 'id' | 'enabled'>) => changeFilter(orgId, id, { enabled }),
  });
  const wanted = switching.isPending ? switching.variables : null;
  return (
    <>
      <ErrorNotice error={switching.error} />
      <Card isFlush>
        <Table label="Rules" columns={COLUMNS}>
          {rules.map((rule) => (
            <tr key={rule.id}>
              <Cell className="font-medium">{rule.name}</Cell>
              <Cell className="max-w-80">
                <p className={rule.type === 'template' ? '' : 'font-mono text-xs break-all'}>{patternText(rule)}</p>
                <p className="text-xs text-quiet">
                  {TYPES[rule.type]}, {SIDES[rule.appliesTo]}
                </p>
              </Cell>
              <Cell>
                <Badge tone={ACTION_TONES[rule.action]}>{ACTIONS[rule.action]}</Badge>
              </Cell>
              <Cell>
                <Switch
                  label={`Rule ${rule.name} is on`}
                  isLabelHidden
                  isOn={wanted?.id === rule.id ? wanted.enabled : rule.enabled}
                  onChange={(enabled) => switching.mutate({ id: rule.id, enabled })}
                />
              </Cell>
              <Cell>
                <span className="flex justify-end gap-1">
                  <EditButton label={`Edit ${rule.name}`} onClick={() => onEdit(rule)} />
                  <Removal
                    label={`Delete ${rule.name}`}
                    verb="Delete the rule"
                    done="The rule is deleted."
                    run={() => deleteFilter(orgId, rule.id)}
                  >
                    What it looks for may be sent from the next call on.
                  </Removal>
                </span>
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}
