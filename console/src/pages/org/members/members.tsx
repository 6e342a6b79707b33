// The people of an organization, and those who are invited to it.

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type Member, membersQuery, orgInvitationsQuery } from '../../../api/orgs/members.ts';
import { teamsQuery } from '../../../api/orgs/teams.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { Invitations } from './invitations.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { MemberTable } from './member-table.tsx';
import { NewMemberDialog } from './new-member-dialog.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(membersQuery(orgId));
  void queryClient.prefetchQuery(teamsQuery(orgId));
  void queryClient.prefetchQuery(orgInvitationsQuery(orgId));
}

export function Members() {
  const { id: orgId, role } = useOrg();
  const query = useQuery(membersQuery(orgId));
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<Member | null>(null);
  return (
    <Page
      title="Members"
      description={
        role === 'org_admin'
          ? 'The members with their roles and teams, and what each may spend in a month.'
          : 'The people of your team, and what each may spend in a month.'
      }
      actions={
        <Button kind="primary" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" /> Add a member
        </Button>
      }
    >
      <QueryView query={query}>{(members) => <MemberTable members={members} onEdit={setEdited} />}</QueryView>
      <Invitations />
      <NewMemberDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <MemberDialog member={edited} onClose={() => setEdited(null)} />
    </Page>
  );
}
