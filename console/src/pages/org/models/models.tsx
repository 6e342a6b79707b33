// Which models may be used. There are three lists, the organization's, the team's and the member's; a model must be in
// each that is not empty, and the result is shown as one list.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ModelList, modelListQuery } from '../../../api/orgs/allowed-models.ts';
import { parseScope, type Scope, scopeText, WHOLE } from '../../../api/orgs/scopes.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { chainTo, fetchPeople, ScopeChoice, scopeName, useOrgPeople } from '../scope-choice.tsx';
import { ListDialog } from './list-dialog.tsx';

export function ahead(coming: ComingToOrg): void {
  const { queryClient, params, search } = coming;
  fetchPeople(coming);
  const scopes = new Map([WHOLE, parseScope(search.for)].map((scope) => [scopeText(scope), scope]));
  for (const scope of scopes.values()) void queryClient.prefetchQuery(modelListQuery(params.orgId, scope));
}

export function AllowedModels() {
  const { id: orgId } = useOrg();
  const { for: wanted } = useSearch({ from: '/member/org/$orgId/models' });
  const navigate = useNavigate({ from: '/org/$orgId/models' });
  const people = useOrgPeople();
  const scope = parseScope(wanted);
  const query = useQuery(modelListQuery(orgId, scope));
  return (
    <Page
      title="Allowed models"
      description="A model must be in every list that is not empty. An empty list allows every model. Changes count from the next call on."
      actions={
        <ScopeChoice
          scope={scope}
          people={people}
          onChange={(chosen) => void navigate({ search: { for: scopeText(chosen) }, replace: true })}
        />
      }
    >
      <div className="grid gap-5 lg:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))]">
        {chainTo(scope, people.members).map((layer) => (
          <LayerCard key={scopeText(layer)} layer={layer} name={scopeName(layer, people)} />
        ))}
      </div>
      <Card title={`What ${scope.kind === 'org' ? 'everyone' : scopeName(scope, people)} may use`}>
        <QueryView query={query}>{({ effective }) => <Effective list={effective} />}</QueryView>
      </Card>
    </Page>
  );
}

const LAYER_NAMES: Readonly<Record<Scope['kind'], string>> = {
  org: 'For everyone',
  team: 'For the team',
  member: 'For this person',
};

function LayerCard({ layer, name }: Readonly<{ layer: Scope; name: string }>) {
  const { id: orgId } = useOrg();
  const query = useQuery(modelListQuery(orgId, layer));
  const [edited, setEdited] = useState<ModelList | null>(null);
  return (
    <Card
      title={name}
      description={LAYER_NAMES[layer.kind]}
      actions={
        <Button
          isSmall
          aria-label={`Edit the list of ${name}`}
          disabled={query.data === undefined}
          onClick={() => setEdited(query.data ?? null)}
        >
          Edit
        </Button>
      }
    >
      <QueryView query={query}>
        {({ allowedModels }) =>
          allowedModels.length === 0 ? (
            <p className="text-sm text-quiet">Nothing is set: every model is allowed.</p>
          ) : (
            <Entries list={allowedModels} />
          )
        }
      </QueryView>
      <ListDialog layer={layer} name={name} list={edited?.allowedModels ?? null} onClose={() => setEdited(null)} />
    </Card>
  );
}

function Effective({ list }: Readonly<{ list: readonly string[] | null }>) {
  if (list === null) return <Badge tone="good">every model</Badge>;
  if (list.length === 0) {
    return (
      <p className="text-sm text-bad">No model at all: the lists have nothing in common. Every call is refused.</p>
    );
  }
  return <Entries list={list} />;
}

function Entries({ list }: Readonly<{ list: readonly string[] }>) {
  return (
    <ul className="flex flex-wrap gap-1.5">
      {list.map((entry) => (
        <li key={entry} className="max-w-full rounded-md bg-sunken px-2 py-0.5 font-mono text-xs break-all">
          {entry}
        </li>
      ))}
    </ul>
  );
}
