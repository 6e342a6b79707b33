// The organizations a person belongs to, and founding one.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { heldQuery } from '../../api/invitations.ts';
import { foundOrganization, type Membership, membershipsQuery } from '../../api/orgs/organizations.ts';
import { sessionQuery } from '../../api/session.ts';
import type { Coming } from '../../page-route.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../../ui/form-values.ts';
import { formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { useToast } from '../../ui/toast.tsx';
import { ROLE_NAMES } from '../org/role-names.ts';
import { LeaveButton } from './leave-button.tsx';
import { OwnInvitations } from './own-invitations.tsx';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(membershipsQuery);
  void queryClient.prefetchQuery(heldQuery);
}

export function Orgs() {
  const query = useQuery(membershipsQuery);
  const [isFounding, setFounding] = useState(false);
  const found = (
    <Button kind="primary" onClick={() => setFounding(true)}>
      <Plus size={16} aria-hidden="true" /> New organization
    </Button>
  );
  return (
    <Page
      title="Organizations"
      description="One balance for many people, with teams, budgets and rules that hold on every call."
      actions={found}
    >
      <OwnInvitations />
      <QueryView query={query}>
        {(orgs) => (orgs.length === 0 ? <NoOrgs action={found} /> : <OrgTable orgs={orgs} />)}
      </QueryView>
      <FoundDialog isOpen={isFounding} onClose={() => setFounding(false)} />
    </Page>
  );
}

function NoOrgs({ action }: Readonly<{ action: ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<Building2 size={22} />} title="You are not in an organization yet" action={action}>
        Create one to share a balance with others, or ask for an invitation: it comes by mail, or waits here.
      </EmptyState>
    </Card>
  );
}

const COLUMNS = [
  { label: 'Organization' },
  { label: 'Your role' },
  { label: 'Member since' },
  { label: 'Balance', isNumber: true },
  { label: 'Leave', isHidden: true },
];

function OrgTable({ orgs }: Readonly<{ orgs: readonly Membership[] }>) {
  return (
    <Card isFlush>
      <Table label="Organizations" columns={COLUMNS}>
        {orgs.map(({ id, name, role, joinedAt, credits, status }) => (
          <tr key={id}>
            <Cell>
              <span className="flex flex-wrap items-center gap-2">
                <Link to="/org/$orgId" params={{ orgId: id }} className={textLinkClass}>
                  {name}
                </Link>
                {status === 'suspended' && <Badge tone="bad">suspended</Badge>}
              </span>
            </Cell>
            <Cell className="whitespace-nowrap">{ROLE_NAMES[role]}</Cell>
            <Cell>
              <Moment at={joinedAt} isDateOnly />
            </Cell>
            <Cell isNumber>{formatUsd(credits)}</Cell>
            <Cell className="text-right">
              <LeaveButton org={{ id, name }} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function FoundDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const founding = useMutation({
    mutationFn: foundOrganization,
    onSuccess: async ({ id, name }) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: membershipsQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
      toast(`${name} is created. You are its administrator.`);
      onClose();
      await navigate({ to: '/org/$orgId', params: { orgId: id } });
    },
  });
  return (
    <FormDialog
      title="New organization"
      verb="Create it"
      isOpen={isOpen}
      sending={founding}
      read={(form) => textIn(form, 'name')}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={200}
        hint="You become its administrator. It begins with its own balance of zero."
      />
    </FormDialog>
  );
}
