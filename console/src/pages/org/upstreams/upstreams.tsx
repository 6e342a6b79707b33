// The organization's own keys at upstreams: calls of the mapped models go there, and are not charged here.

import { useQuery } from '@tanstack/react-query';
import { Plug, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type ByokKey, byokKeysQuery } from '../../../api/orgs/byok.ts';
import { orgKeysQuery } from '../../../api/orgs/keys.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { UpstreamCard } from './upstream-card.tsx';
import { UpstreamDialog } from './upstream-dialog.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(byokKeysQuery(orgId));
  void queryClient.prefetchQuery(orgKeysQuery(orgId));
}

export function Upstreams() {
  const { id: orgId } = useOrg();
  const query = useQuery(byokKeysQuery(orgId));
  const [edited, setEdited] = useState<ByokKey | 'new' | null>(null);
  const add = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      <Plus size={16} aria-hidden="true" /> Add an upstream key
    </Button>
  );
  return (
    <Page
      title="Own upstreams"
      description="Your own contracts with providers. Calls for the models of a key go to its upstream, with your key."
      actions={add}
    >
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <NoUpstreams action={add} />
          ) : (
            keys.map((key) => <UpstreamCard key={key.id} upstream={key} onEdit={() => setEdited(key)} />)
          )
        }
      </QueryView>
      <UpstreamDialog upstream={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}

function NoUpstreams({ action }: Readonly<{ action: ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<Plug size={22} />} title="No upstreams of your own" action={action}>
        Everything goes through the gateway’s own providers. Add a key of yours to send chosen models elsewhere.
      </EmptyState>
    </Card>
  );
}
