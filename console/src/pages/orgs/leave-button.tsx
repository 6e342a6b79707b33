// Ends one's own membership, after asking.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { heldQuery, leaveOrganization } from '../../api/invitations.ts';
import { type Membership, membershipsQuery } from '../../api/orgs/organizations.ts';
import { sessionQuery } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

export function LeaveButton({ org: { id, name } }: Readonly<{ org: Pick<Membership, 'id' | 'name'> }>) {
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const toast = useToast();
  const leaving = useMutation({
    mutationFn: () => leaveOrganization(id),
    onSuccess: async () => {
      await Promise.all(
        [heldQuery, membershipsQuery, sessionQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
      );
      toast(`You have left ${name}.`);
    },
  });
  return (
    <>
      <Button
        isSmall
        aria-label={`Leave ${name}`}
        onClick={() => {
          leaving.reset();
          setOpen(true);
        }}
      >
        Leave
      </Button>
      <ConfirmDialog
        title={`Leave ${name}?`}
        verb="Leave"
        isOpen={isOpen}
        isBusy={leaving.isPending}
        error={leaving.error}
        onConfirm={() => leaving.mutate()}
        onClose={() => setOpen(false)}
      >
        Its keys in your name stop working at once. To come back you need an invitation.
      </ConfirmDialog>
    </>
  );
}
