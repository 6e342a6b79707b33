// The invitations that a person has received. An organization's rules do not apply to them before they accept.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { acceptOwnInvitation, declineInvitation, heldQuery, type OwnInvitation } from '../../api/invitations.ts';
import { membershipsQuery } from '../../api/orgs/organizations.ts';
import { sessionQuery } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ROLE_NAMES } from '../org/role-names.ts';

const COLUMNS = [
  { label: 'Organization' },
  { label: 'As' },
  { label: 'Asked by' },
  { label: 'Until' },
  { label: 'Answer', isHidden: true },
];

export function OwnInvitations() {
  const { data } = useQuery(heldQuery);
  if (data === undefined || data.invitations.length === 0) return null;
  return (
    <Card title="Invitations" isFlush>
      <Table label="Invitations" columns={COLUMNS}>
        {data.invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </Table>
    </Card>
  );
}

function InvitationRow({ invitation }: Readonly<{ invitation: OwnInvitation }>) {
  const { id, organization, role, invitedBy, expiresAt } = invitation;
  const accepting = useAnswer(acceptOwnInvitation, `You are a member of ${organization.name}.`);
  const declining = useAnswer(declineInvitation, 'The invitation is declined.');
  return (
    <tr>
      <Cell>
        {organization.name}
        <ErrorNotice error={accepting.error ?? declining.error} />
      </Cell>
      <Cell className="whitespace-nowrap">{ROLE_NAMES[role]}</Cell>
      <Cell>{invitedBy ?? <span className="text-quiet">nobody</span>}</Cell>
      <Cell>
        <Moment at={expiresAt} isDateOnly />
      </Cell>
      <Cell className="text-right">
        <span className="inline-flex gap-2">
          <Button isSmall isBusy={declining.isPending} onClick={() => declining.mutate(id)}>
            Decline
          </Button>
          <Button isSmall kind="primary" isBusy={accepting.isPending} onClick={() => accepting.mutate(id)}>
            Accept
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

function useAnswer(answer: (id: string) => Promise<unknown>, done: string) {
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: answer,
    onSuccess: async () => {
      await Promise.all(
        [heldQuery, membershipsQuery, sessionQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
      );
      toast(done);
    },
  });
}
