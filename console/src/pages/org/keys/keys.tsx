// The keys of an organization: those that the role may see, and for managers, making and changing them.

import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type OrgKey, orgKeysQuery } from '../../../api/orgs/keys.ts';
import { membersQuery } from '../../../api/orgs/members.ts';
import type { OrganizationRole } from '../../../api/session.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { EditOrgKeyDialog } from './edit-org-key-dialog.tsx';
import { NewOrgKeyDialog } from './new-org-key-dialog.tsx';
import { OrgKeyTable } from './org-key-table.tsx';

const DESCRIPTIONS: Readonly<Record<OrganizationRole, string>> = {
  org_admin: 'They call models on the organization’s balance. Each belongs to one member, whose limits hold for it.',
  billing_viewer: 'Every key of the organization with what it has spent.',
  team_admin: 'The keys of your team. Each belongs to one member, whose limits hold for it.',
  member: 'The keys that you were given. The person who made a key has its secret.',
};

const isManager = (role: OrganizationRole): boolean => role === 'org_admin' || role === 'team_admin';

export function ahead({ queryClient, params: { orgId }, role }: ComingToOrg): void {
  void queryClient.prefetchQuery(orgKeysQuery(orgId));
  if (isManager(role)) void queryClient.prefetchQuery(membersQuery(orgId));
}

export function OrgKeys() {
  const { id: orgId, role } = useOrg();
  const query = useQuery(orgKeysQuery(orgId));
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<OrgKey | null>(null);
  const mayManage = isManager(role);
  const create = mayManage && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden="true" /> New key
    </Button>
  );
  return (
    <Page title="Organization keys" description={DESCRIPTIONS[role]} actions={create}>
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <NoKeys action={create} />
          ) : (
            <OrgKeyTable keys={keys} isManager={mayManage} onEdit={setEdited} />
          )
        }
      </QueryView>
      <NewOrgKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <EditOrgKeyDialog editedKey={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}

function NoKeys({ action }: Readonly<{ action: ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<KeyRound size={22} />} title="No keys yet" action={action}>
        {action === false
          ? 'An administrator makes keys and gives them out.'
          : 'Make one for a member. Its secret is shown once, to you; hand it over in a safe way.'}
      </EmptyState>
    </Card>
  );
}
