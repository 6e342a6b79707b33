// Invitations that nobody has accepted yet.

import { useQuery } from '@tanstack/react-query';
import { type OrgInvitation, orgInvitationsQuery, withdrawInvitation } from '../../../api/orgs/members.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatDate, formatUsd } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { ROLE_NAMES } from '../role-names.ts';

const COLUMNS = [
  { label: 'Sent to' },
  { label: 'Role' },
  { label: 'Team' },
  { label: 'Budget', isNumber: true },
  { label: 'Invited by' },
  { label: 'Valid until' },
  { label: 'Actions', isHidden: true },
];

export function Invitations() {
  const { id: orgId } = useOrg();
  const query = useQuery(orgInvitationsQuery(orgId));
  return (
    <Card title="Invitations" description="Sent, and not accepted yet." isFlush>
      <QueryView query={query}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-quiet">None are open.</p>
          ) : (
            <Table label="Invitations" columns={COLUMNS}>
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} />
              ))}
            </Table>
          )
        }
      </QueryView>
    </Card>
  );
}

function InvitationRow({ invitation }: Readonly<{ invitation: OrgInvitation }>) {
  const { id: orgId } = useOrg();
  const { id, email, role, team, monthlyBudget, invitedBy, expiresAt, expired } = invitation;
  return (
    <tr>
      <Cell className="font-medium">{email}</Cell>
      <Cell className="whitespace-nowrap">{ROLE_NAMES[role]}</Cell>
      <Cell>{team?.name ?? <span className="text-quiet">none</span>}</Cell>
      <Cell isNumber>
        {monthlyBudget === null ? <span className="text-quiet">none</span> : formatUsd(monthlyBudget)}
      </Cell>
      <Cell>{invitedBy?.name ?? <span className="text-quiet">nobody</span>}</Cell>
      <Cell className="whitespace-nowrap">{expired ? <Badge tone="warn">expired</Badge> : formatDate(expiresAt)}</Cell>
      <Cell className="text-right">
        <Removal
          label={`Withdraw the invitation of ${email}`}
          verb="Withdraw"
          text="Withdraw"
          done="The invitation is withdrawn."
          run={() => withdrawInvitation(orgId, id)}
        >
          The link in the mail stops working.
        </Removal>
      </Cell>
    </tr>
  );
}
