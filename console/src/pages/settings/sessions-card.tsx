// Where a person is signed in, with buttons to end each session, or all of them.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionEntry } from '../../../../gateway/src/contract/auth.ts';
import { endSession, sessionsQuery } from '../../api/auth.ts';
import { signOutEverywhere } from '../../api/sign-out.ts';
import { useLeave } from '../../layout/use-leave.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Moment } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { deviceName } from './device-name.ts';

export function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const queryClient = useQueryClient();
  const toast = useToast();
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      toast('That session is signed out.');
    },
  });
  return (
    <Card title="Sessions" description="Where you are signed in." actions={<SignOutEverywhere />} isFlush>
      {end.error !== null && (
        <div className="px-5 pb-3">
          <ErrorNotice error={end.error} />
        </div>
      )}
      <QueryView query={query}>
        {(sessions) => (
          <SessionTable
            sessions={sessions}
            endingId={end.isPending ? end.variables : null}
            onEnd={(id) => end.mutate(id)}
          />
        )}
      </QueryView>
    </Card>
  );
}

const COLUMNS = [
  { label: 'Device' },
  { label: 'Address' },
  { label: 'Last seen' },
  { label: 'Signed in' },
  { label: 'Actions', isHidden: true },
];

type SessionTableProps = Readonly<{
  sessions: readonly SessionEntry[];
  endingId: string | null;
  onEnd: (id: string) => void;
}>;

function SessionTable({ sessions, endingId, onEnd }: SessionTableProps) {
  return (
    <Table label="Sessions" columns={COLUMNS}>
      {sessions.map((session) => (
        <tr key={session.id}>
          <Cell>
            <span title={session.userAgent ?? undefined}>{deviceName(session.userAgent)}</span>
          </Cell>
          <Cell className="font-mono text-xs">{session.ip ?? 'unknown'}</Cell>
          <Cell>
            <Moment at={session.lastSeenAt} />
          </Cell>
          <Cell>
            <Moment at={session.createdAt} />
          </Cell>
          <Cell className="text-right">
            {session.current ? (
              <Badge tone="accent">this one</Badge>
            ) : (
              <Button isSmall isBusy={endingId === session.id} onClick={() => onEnd(session.id)}>
                Sign out
              </Button>
            )}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function SignOutEverywhere() {
  const [isOpen, setOpen] = useState(false);
  const leave = useLeave();
  const everywhere = useMutation({ mutationFn: signOutEverywhere, onSuccess: leave });
  return (
    <>
      <Button kind="danger" isSmall onClick={() => setOpen(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        title="Sign out everywhere?"
        verb="Sign out everywhere"
        isOpen={isOpen}
        isBusy={everywhere.isPending}
        error={everywhere.error}
        onConfirm={() => everywhere.mutate()}
        onClose={() => setOpen(false)}
      >
        Every session ends, this one too. Your keys keep working.
      </ConfirmDialog>
    </>
  );
}
